package device

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// match is a rule at a type in one direction.
type match struct {
	rule        *rules.Rule // at a type
	left, right *rules.Term
	heads       []uint32 // of its ops, in the order of a walk through both sides
	literals    []uint64
}

// shape is what rules have in common that one wave searches: they differ in heads and literals only.
type shape struct {
	list []*match
}

// shapes finds the rules that can match, at all types and in both directions, and gathers them by shape. A rule can
// match if the graph has its ops, or another rule makes them.
func (s *symbols) shapes(list []*rules.Rule) (all []*shape, err error) {
	var wait []*match
	for _, r := range list {
		if v, missing := unbound(r.Left, r.Right); missing {
			return nil, refused("saturate", "rule %s: the left side has no %s, which the right side has", r.Name, r.Vars[v].Name)
		}
		for t := ir.Bool; t <= ir.BF16; t++ {
			if at := r.At(t); at != nil {
				wait = append(wait, &match{rule: at, left: at.Left, right: at.Right})
				if at.Both {
					wait = append(wait, &match{rule: at, left: at.Right, right: at.Left})
				}
			}
		}
	}
	found := map[string]*shape{}
	for again := true; again; {
		again = false
		for i, m := range wait {
			if m == nil || !s.has(m.left) {
				continue
			}
			if err := m.sayable(); err != nil {
				return nil, err
			}
			wait[i], again = nil, true
			var w walk
			w.symbols = s
			w.term(m.left, false)
			w.text.WriteString(" => ")
			w.term(m.right, true)
			w.condition(m.rule)
			m.heads, m.literals = w.heads, w.literals
			key := w.text.String()
			if found[key] == nil {
				found[key] = &shape{}
				all = append(all, found[key])
			}
			found[key].list = append(found[key].list, m)
		}
	}
	return all, nil
}

// unbound returns a variable of the right side that the left does not have, if there is one.
func unbound(left, right *rules.Term) (v int, missing bool) {
	has := map[int]bool{}
	variables(left, func(v int) { has[v] = true })
	variables(right, func(k int) {
		if !has[k] {
			v, missing = k, true
		}
	})
	return v, missing
}

func variables(t *rules.Term, do func(v int)) {
	if t.Kind == rules.Value || t.Kind == rules.Constant {
		do(t.Var)
	}
	for _, a := range t.Args {
		variables(a, do)
	}
}

// has reports whether all ops of a term have heads.
func (s *symbols) has(t *rules.Term) bool {
	if t.Kind != rules.Apply {
		return true
	}
	if _, ok := s.ids[symbolOf(t)]; !ok {
		return false
	}
	for _, a := range t.Args {
		if !s.has(a) {
			return false
		}
	}
	return true
}

// sayable refuses what waves cannot do.
func (m *match) sayable() error {
	r := m.rule
	if r.Cond != "" && conditions[r.Cond] == nil {
		return refused("saturate", "rule %s: condition %s is not there on a device", r.Name, r.Cond)
	}
	for _, side := range []*rules.Term{m.left, m.right} {
		if t, bad := half(side); bad {
			return refused("saturate", "rule %s: constants of %v are not computed on a device", r.Name, t)
		}
	}
	return nil
}

// half returns the type of a part of a term that has 16 bits.
func half(t *rules.Term) (ir.Type, bool) {
	if t.Type.IsHalf() {
		return t.Type, true
	}
	for _, a := range t.Args {
		if t, bad := half(a); bad {
			return t, true
		}
	}
	return ir.None, false
}

// computed reports whether a term of a right side is computed from constants.
func computed(t *rules.Term) bool {
	if t.Kind != rules.Apply {
		return t.Kind != rules.Value
	}
	for _, a := range t.Args {
		if !computed(a) {
			return false
		}
	}
	return folds(t.Op)
}

// folds reports whether an op of constants is computed.
func folds(op ir.Op) bool {
	in := op.Info()
	return in != nil && in.Args > 0 && in.Attr&ir.Pure != 0 && in.Attr&(ir.Approximate|ir.Convergent) == 0 &&
		exact.Of(op) != nil &&
		op != ir.OpBitcast && op != ir.OpCopysign
}

// walk spells a shape.
type walk struct {
	*symbols
	text     strings.Builder
	heads    []uint32
	literals []uint64
}

func (w *walk) term(t *rules.Term, right bool) {
	switch {
	case right && t.Kind == rules.Apply && computed(t):
		fmt.Fprintf(&w.text, "(%v.%v", t.Op, t.Type)
	case t.Kind == rules.Apply:
		w.heads = append(w.heads, w.number(symbolOf(t)))
		fmt.Fprintf(&w.text, "(%d%v", len(t.Args), t.Op.Info().Attr&ir.Commutative != 0)
	case t.Kind == rules.Literal:
		w.literals = append(w.literals, quiet(t.Type, t.Bits))
		fmt.Fprintf(&w.text, "literal.%v", t.Type)
	case t.Kind == rules.Constant:
		fmt.Fprintf(&w.text, "#%d.%v", t.Var, t.Type)
	default:
		fmt.Fprintf(&w.text, "?%d", t.Var)
	}
	if t.Kind == rules.Apply {
		for _, a := range t.Args {
			w.text.WriteByte(' ')
			w.term(a, right)
		}
		w.text.WriteByte(')')
	}
}

func (w *walk) condition(r *rules.Rule) {
	if r.Cond != "" {
		fmt.Fprintf(&w.text, " when %s %v %v", r.Cond, r.Of, r.Type)
	}
}
