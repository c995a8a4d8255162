package mine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// most is how many counterexamples become inputs, if terms that are equal on the inputs turn out to be others.
const most = inputs / 4

// Cheaper looks the pattern of a rule up in banks of terms over the rule's variables, literals and ops, beside those of o:
// of one op, then of more. It returns the rule with the result that it finds first, nil if none is cheaper than the pattern. The
// rule's own result is not looked at. A bank that is full counts for what it has.
func Cheaper(ctx context.Context, dev driver.Device, o Options, r *rules.Rule, effort rules.Effort) (*rules.Rule, error) {
	for _, t := range []ir.Type{o.Type, ir.U32, ir.I32, ir.F32, ir.Bool} {
		if o.Type = t; r.At(t) != nil {
			break
		}
	}
	at := r.At(o.Type)
	if at == nil {
		return nil, fmt.Errorf("rule %s is of none of the types %v, u32, i32, f32 and bool", r.Name, o.Type)
	}
	o, err := o.with(r, at)
	if err != nil {
		return nil, err
	}
	size := o.Size
	for o.Size = 1; o.Size <= size; o.Size++ {
		for {
			found, counter, err := cheaper(ctx, dev, o, r, at, effort)
			if found != nil || err != nil {
				return found, err
			}
			if counter == nil || len(o.also) == most {
				break
			}
			o.also = append(o.also, counter.Bits)
		}
	}
	return nil, nil
}

// with are the options for a bank over what a rule names.
func (o Options) with(r, at *rules.Rule) (Options, error) {
	o.Vars, o.Bools, o.Constants, o.Condition = 0, 0, 0, ""
	o.Literals, o.Ops = slices.Clone(o.Literals), slices.Clone(o.Ops)
	for _, v := range at.Vars {
		n, names := &o.Vars, valueNames
		switch {
		case v.Const:
			n, names = &o.Constants, constantNames
		case v.Type == ir.Bool && o.Type != ir.Bool:
			n, names = &o.Bools, boolNames
		}
		if *n == len(names) || names[*n] != v.Name || v.Type != o.Type && n != &o.Bools {
			return o, fmt.Errorf("rule %s has a variable %s of type %v; fix: name values ?x, ?y and ?z, constants #a and #b, bools ?c and ?d, in their order",
				r.Name, v.Name, v.Type)
		}
		*n++
	}
	if r.Cond != "" {
		o.Condition = r.Cond
		for _, v := range r.Of {
			o.Condition += " " + r.Vars[v].Name
		}
	}
	o.Literals = slices.DeleteFunc(o.Literals, func(word string) bool { // such as ones of floats
		_, err := literal(word, o.Type)
		return err != nil
	})
	var walk func(t *rules.Term)
	walk = func(t *rules.Term) {
		if t.Kind == rules.Literal && !slices.Contains(o.Literals, t.String()) {
			o.Literals = append(o.Literals, t.String())
		}
		if t.Kind == rules.Apply && !slices.Contains(o.Ops, t.Op) {
			o.Ops = append(o.Ops, t.Op)
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(at.Left)
	o.Partly = true
	return o, nil
}

// compares reports whether one of ops makes bools.
func compares(ops []ir.Op) bool {
	return slices.ContainsFunc(ops, func(op ir.Op) bool { return op.Info().ResultType() == ir.Bool })
}

func cheaper(ctx context.Context, dev driver.Device, o Options, r, at *rules.Rule, effort rules.Effort) (found *rules.Rule, counter *rules.Counterexample, err error) {
	b, err := Open(ctx, dev, o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if len(b.terms) == b.o.Terms {
		b.o.Terms += roomFor(at.Left)
	}
	have := len(b.terms)
	id, err := b.look(ctx, at.Left)
	if err != nil || int(id) >= have || b.cost(&b.terms[id]) >= costOf(at.Left) {
		return nil, nil, err
	}
	line := r.Name + " " + r.Class + " " + r.Left.String() + " => " + b.text(&b.terms[id])
	if o.Condition != "" {
		line += " when " + o.Condition
	}
	list, err := rules.Parse(line)
	if err != nil {
		return nil, nil, err
	}
	s := &search{ctx: ctx, b: b, effort: effort}
	if counter, err = s.refuted(list[0]); counter != nil || err != nil {
		return nil, counter, err
	}
	return list[0], nil, nil
}

// roomFor is how many terms a pattern can add.
func roomFor(t *rules.Term) int {
	n := 1
	for _, a := range t.Args {
		n += roomFor(a)
	}
	return n
}

// look evaluates a term, the part that the bank lacks, and returns its representative.
func (b *Bank) look(ctx context.Context, t *rules.Term) (uint32, error) {
	if t.Kind != rules.Apply {
		return uint32(slices.IndexFunc(b.terms, func(u term) bool {
			return u.op == 0 && u.typ == t.Type && (u.word == t.String() || t.Kind == rules.Literal && u.literal() && u.bits == t.Bits)
		})), nil
	}
	h := head{op: t.Op, out: t.Type}
	var spans []span
	for _, a := range t.Args {
		id, err := b.look(ctx, a)
		if err != nil {
			return 0, err
		}
		h.in, spans = append(h.in, a.Type), append(spans, span{id, 1})
	}
	if h.commutes() && spans[0].first > spans[1].first {
		spans[0], spans[1] = spans[1], spans[0]
	}
	err := b.claim(ctx, h, spans, b.o.Size+1)
	return b.last, err
}

// costOf is the cost of a side of a rule at a type.
func costOf(t *rules.Term) uint64 {
	seen := make(map[string]bool)
	var sum func(t *rules.Term) (n uint64, constant bool)
	sum = func(t *rules.Term) (uint64, bool) {
		if t.Kind != rules.Apply {
			return 0, t.Kind != rules.Value
		}
		n, constant := uint64(0), true
		for _, a := range t.Args {
			m, is := sum(a)
			n, constant = n+m, constant && is
		}
		if constant || seen[t.String()] {
			return 0, constant
		}
		seen[t.String()] = true
		return n + opCost(t.Op, t.Type, t.Args[max(t.Op.Info().Typed, 1)-1].Type), false
	}
	n, _ := sum(t)
	return n
}
