package build

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// Label names a structured op for Break and Continue.
type Label struct {
	scope uint32
	// next is the block around the body of a For: its Continue leaves that block.
	next uint32
}

// event is an element of program order: a row, or the border of a region.
type event struct {
	kind  eventKind
	value Value  // of eventRow
	scope uint32 // of the others
}

type eventKind uint8

const (
	eventRow eventKind = iota
	eventOpen
	eventElse
	eventClose
	eventNone // what stood here went away
)

// scope is a structured op under construction, or finished. scope 0 is the body.
type scope struct {
	op                    Value // row of the op; noValue for the body
	kind                  ir.Op
	parent                uint32
	at                    int       // its row in program order
	before                uint32    // block in front of it
	head                  uint32    // first block inside (loops)
	after                 uint32    // block after it; 0 until it is closed and can be reached
	writes                [2]uint32 // interval of variable writes inside: [0] at open, [1] at close
	closed                bool
	exits                 []edge // ways to its end
	conts                 []edge // ways back to its head
	args                  []Value
	results               []Value
	types                 []ir.Type // of the results, known from the first exit
	typed                 bool
	headMerges, endMerges []uint32
}

// edge is a way from a block into a merge, through the operand list of row exit.
type edge struct {
	exit  Value
	block uint32
}

// block is a basic block: code without a merge inside, the unit in which variables are
// looked up.
type block struct {
	kind  blockKind
	pred  uint32 // of blockPlain
	scope uint32 // of the merges
}

type blockKind uint8

const (
	blockEntry blockKind = iota
	blockPlain           // one predecessor
	blockHead            // loop head
	blockEnd             // after a structured op
)

func (b *Builder) newBlock(k block) uint32 {
	b.blocks = append(b.blocks, k)
	return uint32(len(b.blocks) - 1)
}

// openScope emits the structured op and enters its first region.
func (b *Builder) openScope(op ir.Op, list []Value, in ...Value) uint32 {
	var row Value
	if list != nil {
		row = b.emitList(op, ir.None, 0, list)
	} else {
		row = b.emit(op, ir.None, 0, in...)
	}
	s := uint32(len(b.scopes))
	b.scopes = append(b.scopes, scope{op: row, kind: op, parent: b.open, before: b.cur})
	b.scopes[s].writes[0] = b.writeClock()
	b.open = s
	if !b.dead {
		b.scopes[s].at = len(b.order) - 1
		b.order = append(b.order, event{kind: eventOpen, scope: s})
	}
	if op == ir.OpLoop {
		b.cur = b.newBlock(block{kind: blockHead, scope: s})
		b.scopes[s].head = b.cur
	} else {
		b.cur = b.newBlock(block{kind: blockPlain, pred: b.cur})
	}
	return s
}

// closeScope leaves the last region. What follows can be reached if an exit leads there.
func (b *Builder) closeScope(s uint32, wasDead bool) []Value {
	sc := &b.scopes[s]
	b.open = sc.parent
	sc.closed = true
	sc.writes[1] = b.writeClock()
	if b.straight(s, wasDead) {
		b.dead = false
		b.cur = b.newBlock(block{kind: blockPlain, pred: sc.exits[0].block})
		return nil
	}
	if !wasDead {
		b.order = append(b.order, event{kind: eventClose, scope: s})
	}
	b.dead = wasDead
	if len(sc.exits) == 0 && !wasDead {
		b.emit(ir.OpUnreachable, ir.None, 0)
		b.dead = true
	}
	b.cur = b.newBlock(block{kind: blockEnd, scope: s})
	sc = &b.scopes[s]
	sc.after = b.cur
	for k, t := range sc.types {
		v := b.add(ir.OpRes, t, uint32(k))
		sc = &b.scopes[s]
		sc.results = append(sc.results, v)
	}
	return sc.results
}

// straight reports whether a block is left at its end only, and then takes the block
// and its exit away: what was inside stays as straight code.
func (b *Builder) straight(s uint32, wasDead bool) bool {
	sc := &b.scopes[s]
	last := len(b.order) - 1
	if wasDead || sc.kind != ir.OpBlock || len(sc.exits) != 1 || len(sc.types) != 0 || b.order[last] != (event{kind: eventRow, value: sc.exits[0].exit}) {
		return false
	}
	b.order[sc.at].kind, b.order[sc.at+1].kind = eventNone, eventNone
	b.order = b.order[:last]
	return true
}

// leave ends the current region's code with an exit to scope target.
func (b *Builder) leave(op ir.Op, target uint32, back bool, vals []Value) {
	if b.dead {
		return
	}
	sc := &b.scopes[target]
	if !back {
		b.agree(sc, vals)
	}
	var x uint32
	if op != ir.OpYield {
		x = uint32(sc.op)
	}
	row := b.emitList(op, ir.None, x, vals)
	sc = &b.scopes[target]
	e := edge{row, b.cur}
	if back {
		sc.conts = append(sc.conts, e)
	} else {
		sc.exits = append(sc.exits, e)
	}
	b.dead = true
}

// agree checks the values of an exit against the first exit's types.
func (b *Builder) agree(sc *scope, vals []Value) {
	if !sc.typed {
		sc.typed = true
		for _, v := range vals {
			sc.types = append(sc.types, b.Type(v))
		}
		return
	}
	if len(vals) != len(sc.types) {
		b.fail("VY010", "this exit", finding.Plural(len(vals), "value"), sc.kind, finding.Plural(len(sc.types), "result"))
		return
	}
	for i, v := range vals {
		if t := b.Type(v); t != sc.types[i] {
			b.fail("VY010", "this exit", fmt.Sprintf("value %d of type %s", i, t), sc.kind, fmt.Sprintf("result %d of type %s", i, sc.types[i]))
		}
	}
}

// If runs then where c is true.
func (b *Builder) If(c Value, then func()) { b.IfElse(c, then, nil) }

// IfElse runs one of two pieces; either may be nil.
func (b *Builder) IfElse(c Value, then, els func()) {
	wrap := func(f func()) func() []Value {
		if f == nil {
			return nil
		}
		return func() []Value {
			f()
			return nil
		}
	}
	b.Choose(c, wrap(then), wrap(els))
}

// Choose runs one of two pieces and returns the values it gave. A piece that leaves
// (by Break, Continue or Return) gives none, and neither does a nil one.
func (b *Builder) Choose(c Value, then, els func() []Value) []Value {
	run := func(f func() []Value) []Value {
		if f == nil {
			return nil
		}
		return f()
	}
	if !b.want(ir.OpIf, ir.None, "", c) {
		c = b.Bool(false)
	}
	wasDead := b.dead
	s := b.openScope(ir.OpIf, nil, c)
	inner := b.cur
	b.leave(ir.OpYield, s, false, run(then))
	b.dead = wasDead
	if !wasDead {
		b.order = append(b.order, event{kind: eventElse, scope: s})
	}
	b.cur = b.newBlock(block{kind: blockPlain, pred: b.blocks[inner].pred})
	b.open = s
	b.leave(ir.OpYield, s, false, run(els))
	return b.closeScope(s, wasDead)
}

// Loop repeats body, whose arguments start as init, until it breaks; the results are
// the values of its breaks. A body that comes to its end goes on with the same arguments; a nil one is
// empty, here as in Block and For.
func (b *Builder) Loop(init []Value, body func(l Label, arg []Value)) []Value {
	wasDead := b.dead
	if !b.ok(init...) {
		return nil
	}
	s := b.openScope(ir.OpLoop, append([]Value{}, init...))
	var args []Value
	for k, v := range init {
		args = append(args, b.add(ir.OpArg, b.Type(v), uint32(k)))
	}
	b.scopes[s].args = args
	if body != nil {
		body(Label{scope: s}, args)
	}
	b.leave(ir.OpContinue, s, true, args)
	return b.closeScope(s, wasDead)
}

// Block runs body, which Break may leave early, and returns the values of its breaks.
// A body without values may simply end.
func (b *Builder) Block(body func(l Label)) []Value {
	wasDead := b.dead
	s := b.openScope(ir.OpBlock, nil)
	if body != nil {
		body(Label{scope: s})
	}
	b.leave(ir.OpBreak, s, false, nil)
	return b.closeScope(s, wasDead)
}

// For counts i from lo up to, not including, hi. Continue(l) goes on with the next i. It ends
// without wrapping round only if hi + step − 1 fits the type.
func (b *Builder) For(lo, hi, step Value, body func(i Value, l Label)) {
	i := b.Var(lo)
	b.Loop(nil, func(l Label, _ []Value) {
		at := i.Get()
		b.If(b.Le(hi, at), func() { b.Break(l) })
		b.Block(func(next Label) {
			if body != nil {
				body(at, Label{scope: l.scope, next: next.scope})
			}
		})
		i.Set(b.Add(i.Get(), step))
	})
}

// Break leaves the structured op of l with its results.
func (b *Builder) Break(l Label, vals ...Value) {
	if b.inside(l.scope, "break") && b.ok(vals...) {
		b.leave(ir.OpBreak, l.scope, false, vals)
	}
}

// Continue starts the next round of the loop of l with the given arguments.
func (b *Builder) Continue(l Label, vals ...Value) {
	if l.next != 0 {
		b.Break(Label{scope: l.next})
		return
	}
	if !b.inside(l.scope, "continue") || !b.ok(vals...) {
		return
	}
	sc := &b.scopes[l.scope]
	if sc.kind != ir.OpLoop {
		b.fail("VY008", "continue", "a block", "an enclosing loop")
		return
	}
	if len(vals) != len(sc.args) {
		b.fail("VY010", "continue", finding.Plural(len(vals), "value"), "loop", finding.Plural(len(sc.args), "argument"))
		return
	}
	for i, v := range vals {
		if t := b.Type(v); t != b.Type(sc.args[i]) {
			b.fail("VY010", "continue", fmt.Sprintf("value %d of type %s", i, t), "loop", fmt.Sprintf("argument %d of type %s", i, b.Type(sc.args[i])))
			return
		}
	}
	b.leave(ir.OpContinue, l.scope, true, vals)
}

func (b *Builder) inside(s uint32, what string) bool {
	if s == 0 || int(s) >= len(b.scopes) || b.scopes[s].closed {
		b.fail("VY008", what, "a label that is not open here", "an enclosing loop or block")
		return false
	}
	return true
}

// Return ends the invocation.
func (b *Builder) Return() {
	if !b.dead {
		b.emit(ir.OpReturn, ir.None, 0)
		b.dead = true
	}
}

// Dead reports whether the current point cannot be reached. What is emitted there is dropped.
func (b *Builder) Dead() bool { return b.dead }

// Unreached runs a piece that control never comes to: it is held against the rules, and none of its rows become a part
// of the program.
func (b *Builder) Unreached(piece func()) {
	was := b.dead
	b.dead = true
	if piece != nil {
		piece()
	}
	b.dead = was
}
