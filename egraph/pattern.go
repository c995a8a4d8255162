package egraph

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Rules are rules compiled for matching: each at every type of its class, and one of <=> in both directions. They are
// immutable and may be shared between graphs and goroutines.
type Rules struct {
	list  []*pattern
	heads heads      // that the patterns name
	begun [][]uint32 // by head: the patterns that begin with it
	names []string   // of the rules, in order
}

// pattern is a rule at a type in one direction.
type pattern struct {
	rule        *rules.Rule // at a type
	number      int         // in names
	left, right *rules.Term
	made        output // the right side
	back        bool   // from right to left
	code        []instruction
	regs        int
	vars        []int // register of each variable
	ops         int   // of the left side: rows of a match, in the order of their instructions
	needs       []int // in Rules.heads: those without which nothing matches, that with which it begins first
}

// output is a term that a match makes.
type output struct {
	*rules.Term
	head int // of an op, in Rules.heads
	args []output
}

// instruction is a step of a pattern's program. Registers hold classes.
type instruction struct {
	do   instructionKind
	swap bool // rows, lookup: the children of a commutative head in either order
	r    int  // rows: the class; same, constant, typed, lookup: what is compared
	s    int  // same: the other; lookup: the first of the children's registers in args
	out  int  // rows: the first register of the children
	head int  // in Rules.heads
	node int  // rows, lookup: which op of the pattern
	t    ir.Type
	args []int // lookup: registers of the children; when: of the constants
}

type instructionKind uint8

const (
	doRows     instructionKind = iota // for each row of class r with head: its children in out, out+1, …
	doSame                            // r and s are one class
	doConstant                        // class r is the constant that head says
	doAny                             // class r has a constant
	doType                            // class r has type t
	doLookup                          // the row of head and args, through the table, is in class r
	doWhen                            // the condition of the rule holds for the constants of args
)

// finds reports whether an instruction needs a row of its head.
func (in *instruction) finds() bool {
	return in.do == doRows || in.do == doConstant || in.do == doLookup
}

// Compile prepares rules for graphs. Its error names a rule that a graph cannot read.
func Compile(list []*rules.Rule) (*Rules, error) {
	rs := &Rules{}
	for _, r := range list {
		if v, missing := unbound(r.Left, r.Right); missing {
			return nil, fmt.Errorf("egraph: rule %s: the left side has no variable %d, which the right side has; fix: use variables of the left side", r.Name, v)
		}
		number := len(rs.names)
		rs.names = append(rs.names, r.Name)
		for t := ir.Bool; t <= ir.BF16; t++ {
			at := r.At(t)
			if at == nil {
				continue
			}
			rs.list = append(rs.list, compile(at, number, false, &rs.heads))
			if at.Both {
				rs.list = append(rs.list, compile(at, number, true, &rs.heads))
			}
		}
	}
	rs.begun = make([][]uint32, len(rs.heads.info))
	for i, p := range rs.list {
		rs.begun[p.needs[0]] = append(rs.begun[p.needs[0]], uint32(i))
	}
	return rs, nil
}

// unbound returns a variable of the right side that the left does not have, if there is one.
func unbound(left, right *rules.Term) (v int, missing bool) {
	has := make(map[int]bool)
	variables(left, func(t *rules.Term) { has[t.Var] = true })
	variables(right, func(t *rules.Term) {
		if !has[t.Var] {
			v, missing = t.Var, true
		}
	})
	return v, missing
}

func variables(t *rules.Term, do func(*rules.Term)) {
	if t.Kind == rules.Value || t.Kind == rules.Constant {
		do(t)
	}
	for _, a := range t.Args {
		variables(a, do)
	}
}

// compiler makes the program of a pattern.
type compiler struct {
	*pattern
	heads *heads
	wait  []waiting // ops of which the class is in a register, and the rows not looked at yet
}

type waiting struct {
	term      *rules.Term
	reg, node int
}

func compile(r *rules.Rule, number int, back bool, heads *heads) *pattern {
	p := &pattern{rule: r, number: number, left: r.Left, right: r.Right, back: back, vars: make([]int, len(r.Vars))}
	if back {
		p.left, p.right = r.Right, r.Left
	}
	for i := range p.vars {
		p.vars[i] = -1
	}
	c := compiler{pattern: p, heads: heads}
	p.regs = 1
	c.wait = append(c.wait, waiting{p.left, 0, 0})
	for len(c.wait) > 0 {
		c.next()
	}
	if len(r.Of) > 0 {
		when := instruction{do: doWhen}
		for _, v := range r.Of {
			when.args = append(when.args, p.vars[v])
		}
		c.early(when)
	}
	number = 0
	c.count(p.left, &number)
	p.ops = number
	for i := range p.code {
		if in := &p.code[i]; in.finds() && !slices.Contains(p.needs, in.head) {
			p.needs = append(p.needs, in.head)
		}
	}
	p.made = c.output(p.right)
	return p
}

func (c *compiler) output(t *rules.Term) output {
	o := output{Term: t}
	if t.Kind == rules.Apply {
		o.head = c.head(t)
	}
	for _, a := range t.Args {
		o.args = append(o.args, c.output(a))
	}
	return o
}

// early puts a test behind the last instruction that sets one of its registers.
func (c *compiler) early(test instruction) {
	at := len(c.code)
	for at > 0 {
		if in := &c.code[at-1]; in.do == doRows && c.sets(in, test.args) {
			break
		}
		at--
	}
	c.code = append(c.code[:at], append([]instruction{test}, c.code[at:]...)...)
}

func (c *compiler) sets(in *instruction, regs []int) bool {
	n := c.heads.info[in.head].Op.Info().Args
	for _, r := range regs {
		if r >= in.out && r < in.out+n {
			return true
		}
	}
	return false
}

// next takes an op that waits: one whose variables all have registers is looked up, else the first is scanned. A look-up
// needs all its ops to be bound, so that it is at most one row.
func (c *compiler) next() {
	at := 0
	for i, w := range c.wait {
		if i > 0 && c.bound(w.term) {
			at = i
			break
		}
	}
	w := c.wait[at]
	c.wait = append(c.wait[:at], c.wait[at+1:]...)
	if c.bound(w.term) && w.node > 0 {
		c.lookup(w)
		return
	}
	c.rows(w)
}

// bound reports whether all arguments of an op are variables that have registers. Nested ops are scanned: they are rare.
func (c *compiler) bound(t *rules.Term) bool {
	for _, a := range t.Args {
		if a.Kind > rules.Constant || c.vars[a.Var] < 0 {
			return false
		}
	}
	return true
}

func (c *compiler) head(t *rules.Term) int {
	h := HeadInfo{Op: t.Op, Type: t.Type}
	if t.Kind == rules.Literal {
		h = HeadInfo{Op: ir.OpConst, Type: t.Type, Bits: t.Bits}
	} else {
		h.Commutative = t.Op.Info().Attr&ir.Commutative != 0
	}
	return int(c.heads.intern(h))
}

func (c *compiler) lookup(w waiting) {
	in := instruction{do: doLookup, r: w.reg, head: c.head(w.term), node: w.node}
	for _, a := range w.term.Args {
		in.args = append(in.args, c.vars[a.Var])
	}
	c.code = append(c.code, in)
}

// rows scans the rows of an op, and tests what is cheap about its arguments at once.
func (c *compiler) rows(w waiting) {
	out := c.regs
	c.regs += len(w.term.Args)
	c.code = append(c.code, instruction{do: doRows, r: w.reg, out: out, head: c.head(w.term), node: w.node, swap: swaps(w.term)})
	node := w.node + 1
	for i, a := range w.term.Args {
		r := out + i
		switch a.Kind {
		case rules.Literal:
			c.code = append(c.code, instruction{do: doConstant, r: r, head: c.head(a)})
		case rules.Value, rules.Constant:
			c.variable(a, r)
		default:
			c.wait = append(c.wait, waiting{a, r, node})
			c.count(a, &node)
		}
	}
}

// count adds the ops of a term to n: ops are numbered from the outside, then from the left.
func (c *compiler) count(t *rules.Term, n *int) {
	if t.Kind != rules.Apply {
		return
	}
	*n++
	for _, a := range t.Args {
		c.count(a, n)
	}
}

func (c *compiler) variable(a *rules.Term, r int) {
	if was := c.vars[a.Var]; was >= 0 {
		c.code = append(c.code, instruction{do: doSame, r: r, s: was})
		return
	}
	c.vars[a.Var] = r
	c.code = append(c.code, instruction{do: doType, r: r, t: a.Type})
	if a.Kind == rules.Constant {
		c.code = append(c.code, instruction{do: doAny, r: r})
	}
}

// swaps reports whether the children of a pattern's op are tried in both orders. Where that is the same pattern with
// other names the order makes no difference, but rules rarely are so, and the second match is dropped as equal.
func swaps(t *rules.Term) bool {
	return len(t.Args) == 2 && t.Op.Info().Attr&ir.Commutative != 0
}
