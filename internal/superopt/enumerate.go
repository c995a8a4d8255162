package superopt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/mine"
	"github.com/govyre/vyre/ir"
)

const (
	lanes = 64 // inputs
	// Terms for which there is room: they are made in a second, and looked through in milliseconds.
	maxEnumerated = 50_000
	// MaxOps is how many ops the terms of a bank without a file have.
	MaxOps = 3
)

// enumerated are the ops of a bank without a file; terms of three ops are of the first few alone, of which there is room for a part.
var enumerated = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg, ir.OpShl, ir.OpShr, ir.OpMin, ir.OpMax,
	ir.OpLt, ir.OpEq, ir.OpNe, ir.OpLe, ir.OpSelect, ir.OpMul, ir.OpPopc, ir.OpAbs}

const few = 7

// Default is the bank of terms of up to three of these ops, over two values, a bool, a constant and literals, or over four
// values. Package mine finds them on a device, where a type is first asked for.
func Default() *Bank {
	return &Bank{Digest: digest(fmt.Sprint(Version, enumerated, few, MaxOps, maxEnumerated)), made: make(map[key]*table)}
}

type column = [lanes]uint64

// enumerate finds terms of which no two of a size have equal values, smallest first.
func enumerate(ctx context.Context, dev driver.Device, of key) (*table, error) {
	b := newBuilder()
	for _, part := range []struct{ ops, size int }{{len(enumerated), min(of.ops, MaxOps-1)}, {few, of.ops}} {
		o := mine.Options{Ops: enumerated[:part.ops], Type: of.typ, Vars: 2, Bools: 1, Constants: 1, Literals: []string{"0", "1", "ones"},
			Size: part.size, Terms: maxEnumerated, Partly: true}
		if of.wide {
			o.Vars, o.Bools, o.Constants, o.Literals = 4, 0, 0, nil
		}
		if err := b.mined(ctx, dev, o); err != nil {
			return nil, err
		}
	}
	return &b.table, nil
}

// mined adds the terms that a device finds.
func (b *builder) mined(ctx context.Context, dev driver.Device, o mine.Options) (err error) {
	m, err := mine.Open(ctx, dev, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	var at []int32
	for _, t := range m.All() {
		r := row{op: t.Op, typ: t.Type, bits: t.Bits}
		if l := slices.Index(leafNames[:], t.Word); l >= 0 {
			r.leaf = leaf(l)
		} else if t.Op == 0 {
			r.op = ir.OpConst
		}
		for i, k := range t.Kids {
			r.kids[i] = at[k]
		}
		if t.Op != 0 && t.Op.Info().Typed > 0 {
			r.in = b.rows[r.kids[t.Op.Info().Typed-1]].typ
		}
		k := b.row(r)
		b.rows[k].whole = true
		at = append(at, k)
	}
	return nil
}

// run evaluates a row of operands' columns on the first n inputs.
func (r *row) run(columns []column, out *column, n int) {
	in := r.op.Info()
	f, types := exact.Of(r.op), exact.Types{Out: r.typ}
	a := &columns[r.kids[0]]
	b, c := a, a
	if in.Args > 1 {
		b = &columns[r.kids[1]]
	}
	if in.Args > 2 {
		c = &columns[r.kids[2]]
	}
	types.In = r.in
	types.Width = uint8(r.in.Bits())
	for k := range n {
		out[k] = f(types, 0, a[k], b[k], c[k])
	}
}

// File returns the file of a bank of enumerated terms of up to so many ops, at some types of integers.
func File(ctx context.Context, dev driver.Device, ops int, types ...ir.Type) ([]byte, error) {
	var terms []string
	for _, t := range types {
		for _, wide := range []bool{false, true} {
			b, err := enumerate(ctx, dev, key{t, wide, ops})
			if err != nil {
				return nil, err
			}
			for k := range b.rows {
				text := b.text(k)
				if r := &b.rows[k]; r.op == 0 || r.op == ir.OpConst || wide && !b.names(k) { // a bank has leaves and literals anyway
					continue
				}
				if _, _, err := parseTerm(text, t); err == nil { // of (popc (shl 1 ?x)) the text does not tell the type
					terms = append(terms, fmt.Sprint(t, " ", text))
				}
			}
		}
	}
	return write(terms), nil
}

// names reports whether a term has a value that a table of two does not.
func (b *table) names(k int) bool {
	r := &b.rows[k]
	if r.op == 0 {
		return r.leaf > 1
	}
	for _, kid := range r.kids[:r.op.Info().Args] {
		if b.names(int(kid)) {
			return true
		}
	}
	return false
}

// text is a term in the syntax of rules.
func (b *table) text(k int) string {
	r := &b.rows[k]
	switch {
	case r.op == 0:
		return leafNames[r.leaf]
	case r.op == ir.OpConst && r.bits == r.typ.Mask():
		return "ones"
	case r.op == ir.OpConst:
		return fmt.Sprint(r.bits)
	}
	text := "(" + r.op.Info().Name
	for _, kid := range r.kids[:r.op.Info().Args] {
		text += " " + b.text(int(kid))
	}
	return text + ")"
}
