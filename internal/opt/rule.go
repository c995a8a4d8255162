package opt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// rule is a line of the rule table.
type rule struct {
	name        string
	class       string
	types       ir.TypeSet
	left, right *term
	when        string
	of          []int // variables that the condition is about
	vars        []string
	typed       int      // the variable whose type the class is about
	ops         [2]ir.Op // of the first two operands of the pattern, 0 for any: what most rows have otherwise
	swaps       bool     // in any order
	second      *term    // the second operand of the pattern if that is a literal, which few rows have
}

// term is a pattern, or what it becomes.
type term struct {
	kind termKind
	op   ir.Op
	args []*term
	v    int // of a variable
	lit  literalKind
	n    float64 // of a literal that is a number
}

func literalTerm(lit string) *term {
	n, err := strconv.ParseFloat(lit, 64)
	kind, named := literalNames[lit]
	if err != nil && !named {
		panic("BUG: opt: literal " + lit)
	}
	return &term{kind: termLit, lit: kind, n: n}
}

// literalKind says what a literal is.
type literalKind uint8

const (
	litNumber literalKind = iota
	litTrue
	litFalse
	litOnes
	litTop
	litWidth
)

var literalNames = map[string]literalKind{"true": litTrue, "false": litFalse, "ones": litOnes, "top": litTop, "width": litWidth}

type termKind uint8

const (
	termVar   termKind = iota // ?x
	termConst                 // #c
	termLit
	termOp
)

var ruleClasses = map[string]ir.TypeSet{
	"int":  ir.Set(ir.I32, ir.U32, ir.I64, ir.U64),
	"uint": ir.Set(ir.U32, ir.U64),
	"sint": ir.Set(ir.I32, ir.I64),
	"real": ir.Set(ir.F32, ir.F64, ir.F16, ir.BF16),
	"bool": ir.Set(ir.Bool),
	"bits": ir.Set(ir.I32, ir.U32, ir.I64, ir.U64, ir.Bool),
	"any":  ir.Set(ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16, ir.Bool),
}

// ruleTable returns the rules by the op of their pattern, each list in the order of the table.
var ruleTable = sync.OnceValue(func() [][]*rule { return rulesByOp(rules) })

func rulesByOp(table string) [][]*rule {
	byOp := make([][]*rule, 1<<10)
	for _, r := range parseRules(table) {
		byOp[r.left.op] = append(byOp[r.left.op], r)
	}
	return byOp
}

// parseRules reads a table in the form of rules. A mistake in it is one of ours.
func parseRules(table string) []*rule {
	var list []*rule
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		text := strings.TrimSpace(line)[len(f[0]):]
		text = strings.TrimSpace(text)[len(f[1]):]
		text, cond, _ := strings.Cut(text, " when ")
		left, right, _ := strings.Cut(text, "=>")
		r := &rule{name: f[0], class: f[1], types: ruleClasses[f[1]]}
		p := termParser{rule: r, rest: left}
		r.left = p.term()
		p.rest = right
		r.right = p.term()
		if c := strings.Fields(cond); len(c) > 0 {
			r.when = c[0]
			for _, v := range c[1:] {
				r.of = append(r.of, p.variable(v))
			}
		}
		r.typed = slices.Index(r.vars, "?x")
		if r.typed < 0 { // the first that is not a condition
			r.typed = slices.IndexFunc(r.vars, func(v string) bool { return v != "?c" })
		}
		if r.types == 0 || r.left.kind != termOp {
			panic("BUG: opt: rule " + line)
		}
		for i, a := range r.left.args[:min(2, len(r.left.args))] {
			switch a.kind {
			case termOp:
				r.ops[i] = a.op
			case termConst, termLit:
				r.ops[i] = ir.OpConst
			}
			if i == 1 && a.kind == termLit {
				r.second = a
			}
		}
		r.swaps = len(r.left.args) == 2 && r.left.op.Info().Attr&ir.Commutative != 0
		list = append(list, r)
	}
	return list
}

type termParser struct {
	rule *rule
	rest string
}

func (p *termParser) term() *term {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest[0] != '(' {
		i := strings.IndexAny(p.rest, " )\n")
		if i < 0 {
			i = len(p.rest)
		}
		word := p.rest[:i]
		p.rest = p.rest[i:]
		switch word[0] {
		case '?':
			return &term{kind: termVar, v: p.variable(word)}
		case '#':
			return &term{kind: termConst, v: p.variable(word)}
		}
		return literalTerm(word)
	}
	name, rest, _ := strings.Cut(p.rest[1:], " ")
	op, ok := ir.OpByName(name)
	if !ok {
		panic(fmt.Sprintf("BUG: opt: rule %s names the op %q", p.rule.name, name))
	}
	t := &term{kind: termOp, op: op}
	for p.rest = rest; ; {
		t.args = append(t.args, p.term())
		if p.rest = strings.TrimLeft(p.rest, " "); p.rest[0] == ')' {
			p.rest = p.rest[1:]
			return t
		}
	}
}

func (p *termParser) variable(name string) int {
	i := slices.Index(p.rule.vars, name)
	if i < 0 {
		i = len(p.rule.vars)
		p.rule.vars = append(p.rule.vars, name)
	}
	return i
}

// literal returns the raw bits of a literal in type t; w is the width of the rule's class.
func literal(p *term, t ir.Type, mask uint64, w uint64) uint64 {
	switch p.lit {
	case litTrue:
		return 1
	case litFalse:
		return 0
	case litOnes:
		return mask
	case litTop:
		return mask ^ mask>>1
	case litWidth:
		return w
	}
	switch t {
	case ir.F64:
		return math.Float64bits(p.n)
	case ir.F32, ir.F16, ir.BF16:
		bits := uint64(math.Float32bits(float32(p.n)))
		if t != ir.F32 {
			bits = exact.Eval(ir.OpCvt, ir.F32, t, 0, bits, 0, 0)
		}
		return bits
	}
	return uint64(int64(p.n)) & mask
}

// conditions are what rules can ask of constants: raw bits, their type, and the mask and
// width of the class.
var conditions = map[string]func(t ir.Type, mask, w uint64, c []uint64) bool{
	"pow2":         func(_ ir.Type, _, _ uint64, c []uint64) bool { return c[0] != 0 && c[0]&(c[0]-1) == 0 },
	"over":         func(_ ir.Type, _, w uint64, c []uint64) bool { return c[0] >= w },
	"disjoint":     func(_ ir.Type, _, _ uint64, c []uint64) bool { return c[0]&c[1] == 0 },
	"differ":       func(_ ir.Type, _, _ uint64, c []uint64) bool { return c[0] != c[1] },
	"product-fits": func(_ ir.Type, mask, _ uint64, c []uint64) bool { return c[0] != 0 && c[1] != 0 && c[0] <= mask/c[1] },
	"turn":         func(_ ir.Type, _, w uint64, c []uint64) bool { return c[0]+c[1] == w },
	"all-counts":   func(_ ir.Type, _, w uint64, c []uint64) bool { return c[0]&(w-1) == w-1 },
	"nan":          func(t ir.Type, _, _ uint64, c []uint64) bool { return isNaN(t, c[0]) },
	"reciprocal-exact": func(t ir.Type, _, _ uint64, c []uint64) bool {
		return reciprocalExact(t, c[0])
	},
}

// mantissaBits is the number of stored mantissa bits of a float type.
func mantissaBits(t ir.Type) uint {
	switch t {
	case ir.F64:
		return 52
	case ir.F32:
		return 23
	case ir.F16:
		return 10
	}
	return 7
}

// isNaN reports whether c is a NaN.
func isNaN(t ir.Type, c uint64) bool {
	sign := uint64(1) << (t.Bits() - 1)
	infinity := sign - 1<<mantissaBits(t)
	return c&^sign > infinity
}

// reciprocalExact reports whether c is a power of two in the normal range: its reciprocal
// is one too, if only a subnormal one, and multiplying by that rounds the same number as dividing by c.
func reciprocalExact(t ir.Type, c uint64) bool {
	m := mantissaBits(t)
	exp := c >> m & (uint64(1)<<(t.Bits()-1-m) - 1)
	return c&(1<<m-1) == 0 && exp != 0 && exp != uint64(1)<<(t.Bits()-1-m)-1
}
