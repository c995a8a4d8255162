package superopt

import (
	"fmt"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

const (
	lanes = 64 // inputs
	// maxEnumerated rows are made in half a second, and looked through in milliseconds.
	maxEnumerated = 50_000
	enumeratedOps = 3
)

// enumerated are the ops of a bank without a file, cheaper and commoner ones first: where there is no room for all terms of a
// size, there is for theirs.
var enumerated = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg, ir.OpShl, ir.OpShr, ir.OpMin, ir.OpMax,
	ir.OpLt, ir.OpEq, ir.OpNe, ir.OpLe, ir.OpSelect, ir.OpMul, ir.OpPopc, ir.OpAbs}

// Default is the bank of terms of up to three of these ops, over two values, a bool, a constant and literals, or over four
// values. There is room for a part of those with three ops. It is made where it is first asked, a type at a time.
func Default() *Bank {
	return &Bank{Digest: digest(fmt.Sprint(Version, enumerated, enumeratedOps, maxEnumerated)), made: make(map[key]*table)}
}

type column = [lanes]uint64

// enumerate finds terms of which no two have equal values, smallest first.
func enumerate(of key) *table {
	t := of.typ
	rng := rand.New(rand.NewPCG(11, uint64(t)))
	b := newBuilder()
	var columns []column
	seen := make(map[column]bool)
	add := func(r row, c *column) {
		if !seen[*c] && len(b.rows) < maxEnumerated {
			seen[*c] = true
			r.whole = true
			b.row(r)
			columns = append(columns, *c)
		}
	}
	leaves, literals := []leaf{0, 1, firstBool, firstConstant}, []uint64{0, 1, t.Mask()}
	if of.wide {
		leaves, literals = []leaf{0, 1, 2, 3}, nil
	}
	for _, l := range leaves {
		r := row{typ: t, leaf: l}
		if l == firstBool {
			r.typ = ir.Bool
		}
		var c column
		for k := range c {
			c[k] = (rng.Uint64() >> (rng.IntN(2) * rng.IntN(64))) & r.typ.Mask()
		}
		add(r, &c)
	}
	for _, v := range literals {
		var c column
		for k := range c {
			c[k] = v
		}
		add(row{op: ir.OpConst, typ: t, bits: v}, &c)
	}
	var c column
	first := []int32{0, int32(len(b.rows))} // rows of a size are from its entry to the next
	for size := 1; size <= of.ops; size++ {
		for _, op := range enumerated {
			in := op.Info()
			var kids [3]int32
			var choose func(i, left int)
			choose = func(i, left int) {
				if i == in.Args {
					if r, ok := b.op(op, kids); ok && left == 0 {
						r.run(columns, &c, lanes)
						add(r, &c)
					}
					return
				}
				for n := range left + 1 {
					for k := first[n]; k < first[n+1] && len(b.rows) < maxEnumerated; k++ {
						if s := in.In[i].Set; (s == 0 || s.Has(b.rows[k].typ)) && !(i == 1 && in.Attr&ir.Commutative != 0 && k < kids[0]) {
							kids[i] = k
							choose(i+1, left-n)
						}
					}
				}
			}
			choose(0, size-1)
		}
		first = append(first, int32(len(b.rows)))
	}
	return &b.table
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
func File(ops int, types ...ir.Type) ([]byte, error) {
	if ops < 1 || ops > enumeratedOps {
		return nil, fmt.Errorf("terms of up to %d ops; fix: choose from 1 to %d", ops, enumeratedOps)
	}
	var terms []string
	for _, t := range types {
		if !t.IsInt() {
			return nil, fmt.Errorf("terms over type %v; fix: choose i32, u32, i64 or u64", t)
		}
		for _, wide := range []bool{false, true} {
			b := enumerate(key{t, wide, ops})
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
