package opt

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// AtOnce replaces asynchronous copies by loads and stores, for targets that have none: it is as if all arrived at once. A
// program without any is returned as it is. O(rows).
func AtOnce(p *ir.Program) (*ir.Program, error) {
	var w *work
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op < ir.OpCopyAsync4 || op > ir.OpCopyWait {
			continue
		}
		if w == nil {
			w = open(p)
		}
		if w.info(r).Imm == ir.ImmCopy {
			w.copyAtOnce(r)
		}
		w.remove(r)
	}
	if w == nil {
		return p, nil
	}
	w.legalise()
	return verify.Seal(w.code())
}

// copyAtOnce puts loads and stores in front of the copy in row r. Buffer and array are aligned to all of its bytes, and have
// one type of elements.
func (w *work) copyAtOnce(r ir.Row) {
	dst, src := ir.CopyObjects(w.X[r])
	t := w.objs[src].Type()
	n := 4 << (w.Op[r] - ir.OpCopyAsync4) / t.Size() // elements
	part := min(n, 4)
	for part > 1 && !(t.Value() | lanesOf(part)).Valid() {
		part /= 2
	}
	v := t.Value() | lanesOf(part)
	load := [...]ir.Op{1: ir.OpLoad, 2: ir.OpLoadV2, 4: ir.OpLoadV4}[part]
	store := [...]ir.Op{1: ir.OpStore, 2: ir.OpStoreV2, 4: ir.OpStoreV4}[part]
	for k := range n / part {
		from := w.before(r, load, v, uint32(src), w.partOf(r, w.B(r), n/part, k))
		w.before(r, store, ir.None, uint32(dst), w.partOf(r, w.A(r), n/part, k), from)
	}
}

func lanesOf(n int) ir.Type { return [...]ir.Type{1: 0, 2: ir.V2, 4: ir.V4}[n] }

// partOf returns the index of part k of the parts that the unit with index i has, in front of row r. It has 64 bits, and stays
// out of bounds if i is.
func (w *work) partOf(r, i ir.Row, parts, k int) ir.Row {
	if parts == 1 {
		return i
	}
	t := w.Type[i]
	scale, add := ir.OpMulSat, ir.OpAddSat
	if t.Bits() < 64 {
		t += ir.I64 - ir.I32
		i, scale, add = w.before(r, ir.OpCvt, t, 0, i), ir.OpMul, ir.OpAdd
	}
	i = w.before(r, scale, t, 0, i, w.constant(t, uint64(parts)))
	if k == 0 {
		return i
	}
	return w.before(r, add, t, 0, i, w.constant(t, uint64(k)))
}
