package interp

import (
	"fmt"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// decoder turns rows into instructions. Structure becomes straight code: every region
// is followed by one instruction that ends it, and a terminator only moves lanes to
// the mask where they wait and falls into that end. So the innermost end of a row is
// always the next end in the code, and no stack is needed at run time: the frame of a
// structured op is the one of its nesting depth.
type decoder struct {
	k     *Kernel
	p     *ir.Program
	s     *slotting
	code  []instr
	depth map[ir.Row]int32 // open structured ops
	exits [][]int32        // by open region: ends inside it that leave to its end
	temp  bool             // a cycle of moves needs the slot after the last
}

func decode(k *Kernel, share bool) {
	d := &decoder{k: k, p: k.p, s: assignSlots(k.shape, share), depth: map[ir.Row]int32{}}
	d.open()
	d.region(0)
	d.close(instr{kind: doHalt}, false)
	k.code, k.slots, k.bank, k.slotOf = d.code, d.s.slots, d.s.banked, d.s.slot
	if d.temp {
		k.slots++
	}
}

func (d *decoder) emit(in instr) int32 {
	d.code = append(d.code, in)
	return int32(len(d.code) - 1)
}

// open starts a region whose end is not known yet.
func (d *decoder) open() { d.exits = append(d.exits, nil) }

// close emits the instruction that ends the innermost open region and returns where it
// stands. An end that may leave a warp without lanes goes on to the end around it.
func (d *decoder) close(end instr, leaves bool) int32 {
	at := d.emit(end)
	top := len(d.exits) - 1
	for _, pc := range d.exits[top] {
		d.code[pc].exit = at
	}
	d.exits = d.exits[:top]
	if leaves {
		d.exits[top-1] = append(d.exits[top-1], at)
	}
	return at
}

// region emits the rows of region id, without its end.
func (d *decoder) region(id int32) {
	g := d.k.shape.regions[id]
	for r := g.First; r < g.End; {
		if d.p.Op(r).Info().Attr&ir.Structured != 0 {
			d.structured(r)
			r = d.k.shape.end(r)
			continue
		}
		d.row(r)
		r++
	}
}

func (d *decoder) structured(r ir.Row) {
	regions := d.k.shape.owned[r]
	depth := int32(len(d.exits) - 1)
	d.depth[r] = depth
	d.k.depth = max(d.k.depth, depth+1)
	in := d.plain(r)
	in.depth = depth
	switch d.p.Op(r) {
	case ir.OpIf:
		d.branch(r, in, regions[0], regions[1])
	case ir.OpLoop:
		first, last := d.k.shape.args(r)
		in.kind, in.moves = doLoop, d.moves(first, last, d.p.List(r))
		head := d.emit(in) + 1
		d.open()
		d.region(regions[0])
		d.close(instr{kind: doEndLoop, row: r, depth: depth, to: head}, true)
	case ir.OpBlock:
		in.kind = doBlock
		d.emit(in)
		d.open()
		d.region(regions[0])
		d.close(instr{kind: doEndBlock, row: r, depth: depth}, true)
	default:
		panic(fmt.Sprintf("BUG: interp: no way to run the structured op %s", d.p.Op(r)))
	}
	delete(d.depth, r)
}

// branch emits an if. An else arm that does nothing is left out: its lanes wait at the
// end from the start.
func (d *decoder) branch(r ir.Row, in instr, then, els int32) {
	g := d.k.shape.regions[els]
	empty := g.End-g.First == 1 && d.p.Op(g.First) == ir.OpYield && len(d.p.List(g.First)) == 0
	end := instr{kind: doEndIf, row: r, depth: in.depth}
	if empty {
		in.kind = doIf
		at := d.emit(in)
		d.open()
		d.region(then)
		d.code[at].to = d.close(end, true)
		return
	}
	in.kind = doIfElse
	at := d.emit(in)
	d.open()
	d.region(then)
	other := d.close(instr{kind: doElse, row: r, depth: in.depth}, false)
	d.code[at].to = other
	d.open()
	d.region(els)
	d.code[other].to = d.close(end, true)
}

// operand returns the slot or bank entry of the value in row v.
func (d *decoder) operand(v ir.Row) int32 {
	if v == ir.NoRow {
		return noSlot
	}
	return d.s.slot[v]
}

// plain fills in what all instructions have in common.
func (d *decoder) plain(r ir.Row) instr {
	p := d.p
	in := instr{cost: 1, op: p.Op(r), flags: p.Flags(r), row: r, x: p.X(r),
		dst: d.s.slot[r], a: d.operand(p.A(r)), b: d.operand(p.B(r)), c: d.operand(p.C(r))}
	v := r
	if in.op == ir.OpIf || in.op == ir.OpTrap { // what counts is the condition
		v = p.A(r)
	}
	u := p.Uniformity()
	in.uniform = u.Control[r] <= ir.LevelWarp && u.Value[v] <= ir.LevelWarp
	return in
}

// moves returns the copies of the values src to the rows [first, end), done at once.
func (d *decoder) moves(first, end ir.Row, src []uint32) []move {
	if int(end-first) != len(src) {
		panic(fmt.Sprintf("BUG: interp: %d values brought to %d rows at row %d", len(src), end-first, first))
	}
	var to, from []int32
	for i, v := range src {
		to = append(to, d.s.slot[first+ir.Row(i)])
		from = append(from, d.s.slot[v])
	}
	ms, temp := d.k.rules.copies(to, from, d.s.slots)
	d.temp = d.temp || temp
	return ms
}

// row emits the instruction of an unstructured row, if it needs one.
func (d *decoder) row(r ir.Row) {
	in := d.plain(r)
	info := in.op.Info()
	switch {
	case info.Attr&ir.Terminator != 0:
		d.exit(r, &in)
	case info.Attr&ir.Barrier != 0:
		d.barrier(r, &in)
	case in.op == ir.OpResident: // the launch knows
		return
	case info.In[0].Type != 0:
		in.kind = doMulAdd
		d.k.products = true
	case info.Attr&ir.Convergent != 0:
		d.subgroup(r, &in)
	case info.Imm == ir.ImmObject && in.op != ir.OpLen:
		d.access(r, &in)
	case exact.Of(in.op) != nil:
		d.pure(r, &in, info)
	default:
		if !d.special(r, &in) {
			return
		}
	}
	d.emit(in)
}

func (d *decoder) exit(r ir.Row, in *instr) {
	shape := d.k.shape
	switch in.op {
	case ir.OpYield:
		op := shape.regions[d.p.Region(r)].Op
		in.kind, in.depth = doYield, d.depth[op]
		first, end := shape.results(op)
		in.moves = d.moves(first, end, d.p.List(r))
	case ir.OpBreak:
		op := ir.Row(in.x)
		in.kind, in.depth = doBreak, d.depth[op]
		first, end := shape.results(op)
		in.moves = d.moves(first, end, d.p.List(r))
	case ir.OpContinue:
		op := ir.Row(in.x)
		in.kind, in.depth = doContinue, d.depth[op]
		first, end := shape.args(op)
		in.moves = d.moves(first, end, d.p.List(r))
	case ir.OpReturn:
		in.kind = doReturn
	default:
		in.kind = doUnreachable
	}
}

// typeOf returns the type of the operand in row v, None without one.
func (d *decoder) typeOf(v ir.Row) ir.Type {
	if v == ir.NoRow {
		return ir.None
	}
	return d.p.Type(v)
}

func (d *decoder) pure(r ir.Row, in *instr, info *ir.Info) {
	p := d.p
	typed := [3]ir.Row{p.A(r), p.B(r), p.C(r)}[max(info.Typed-1, 0)]
	t := d.typeOf(typed)
	in.t = exact.Types{In: t, Out: p.Type(r), Width: uint8(t.Bits())}
	in.fn = d.k.rules.eval(in.op)
	in.kind = [...]kind{doPure1, doPure1, doPure2, doPure3}[info.Args]
	// A missing operand is read as whatever the first one holds; the op ignores it.
	if in.b == noSlot {
		in.b = in.a
	}
	if in.c == noSlot {
		in.c = in.a
	}
	if in.uniform {
		in.kind = doPureUniform
	}
}

func (d *decoder) access(r ir.Row, in *instr) {
	info := in.op.Info()
	in.elem = d.k.objs[in.x].elem
	in.signed = d.typeOf(d.p.A(r)) == ir.I32
	in.wide = d.typeOf(d.p.A(r)) == ir.I64
	if i, other, ok := memcheck.PartOf(d.p, d.p.A(r), d.k.objs[in.x].Count()); ok {
		in.part = &part{index: d.operand(i), other: d.operand(other), t: d.p.Type(i), u: d.p.Type(other)}
	}
	in.vec = 1
	if info.Vec != 0 {
		in.vec = uint8(info.Vec.Lanes())
	}
	switch {
	case info.Attr&ir.Atomic != 0:
		in.kind = doAtomic
		if op, ok := atomicOp[in.op]; ok {
			t := in.elem
			in.t, in.fn = exact.Types{In: t, Out: t, Width: uint8(t.Bits())}, d.k.rules.eval(op)
		}
	case info.Attr&ir.Reads != 0 && in.vec > 1:
		in.kind = doLoadVec
	case info.Attr&ir.Reads != 0:
		in.kind = doLoad
	case info.Attr&ir.Writes != 0 && in.vec > 1:
		in.kind = doStoreVec
	case info.Attr&ir.Writes != 0:
		in.kind = doStore
	default:
		in.kind = doPrefetch
	}
}

func (d *decoder) barrier(r ir.Row, in *instr) {
	in.kind = [...]kind{ir.LevelGrid: doBarrierGrid, ir.LevelFirst: doBarrierFirst, ir.LevelGroup: doBarrierGroup,
		ir.LevelWarp: doBarrierWarp}[in.op.Info().Level]
	if vote, ok := voteOp[in.op]; ok {
		t := d.typeOf(d.p.A(r))
		in.t, in.fn = exact.Types{In: t, Out: t, Width: uint8(t.Bits())}, d.k.rules.eval(vote)
	}
}

func (d *decoder) subgroup(r ir.Row, in *instr) {
	in.kind = doSubgroup
	t := d.typeOf(d.p.A(r))
	in.t = exact.Types{In: t, Out: t, Width: uint8(t.Bits())}
	if op, ok := exact.Combining(in.op); ok {
		in.fn = d.k.rules.eval(op)
	}
}

// special decodes the rows that read state; false if the row needs no instruction.
func (d *decoder) special(r ir.Row, in *instr) bool {
	switch in.op {
	case ir.OpConst, ir.OpLen, ir.OpGroups, ir.OpArg, ir.OpRes:
		return false
	case ir.OpLocal:
		in.kind = doLocal
	case ir.OpGroup:
		in.kind = doGroup
	case ir.OpGlobal:
		in.kind = doGlobal
	case ir.OpLane:
		in.kind = doLane
	case ir.OpWarp:
		in.kind = doWarp
	case ir.OpClock:
		in.kind = doClock
	case ir.OpTimer:
		in.kind = doTimer
	case ir.OpVec:
		in.kind = doMoves
		for i, v := range d.p.List(r) {
			in.moves = append(in.moves, move{in.dst + int32(i), d.s.slot[v]})
		}
	case ir.OpElem:
		in.kind = doMoves
		in.moves = []move{{in.dst, in.a + int32(in.x)}}
	case ir.OpFence:
		in.kind = doFence
	case ir.OpCopyCommit:
		in.kind = doCopyCommit
	case ir.OpCopyWait:
		in.kind = doCopyWait
	case ir.OpPause:
		in.kind = doPause
	case ir.OpTrap:
		in.kind = doTrap
	case ir.OpTrace:
		in.kind = doTrace
		for _, v := range d.p.List(r) {
			in.list = append(in.list, d.s.slot[v])
		}
	default:
		if in.op.Info().Imm == ir.ImmCopy {
			in.kind = doCopy
			in.copy = d.copyOf(r, in)
			return true
		}
		panic(fmt.Sprintf("BUG: interp: no way to run op %s", in.op))
	}
	return true
}
