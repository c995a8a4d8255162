package opt

import "github.com/govyre/vyre/ir"

// constTable finds const rows by type and bits: open addressing over row ids, at most
// half full.
type constTable struct {
	slots []ir.Row
	n     int
}

func (t *constTable) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t.slots, t.n = make([]ir.Row, size), 0
	for i := range t.slots {
		t.slots[i] = ir.NoRow
	}
}

// slot returns where the constant is or would be.
func (t *constTable) slot(w *work, typ ir.Type, bits uint64) int {
	mask := uint64(len(t.slots) - 1)
	i := mix(uint64(typ)<<56^bits) & mask
	for {
		r := t.slots[i]
		if r == ir.NoRow || w.Type[r] == typ && w.Pool[w.X[r]] == bits {
			return int(i)
		}
		i = (i + 1) & mask
	}
}

func (t *constTable) add(w *work, r ir.Row) {
	if t.slots == nil || 2*t.n >= len(t.slots) {
		old := t.slots
		t.reset(max(16, len(old)))
		for _, r := range old {
			if r != ir.NoRow {
				t.slots[t.slot(w, w.Type[r], w.Pool[w.X[r]])] = r
				t.n++
			}
		}
	}
	t.slots[t.slot(w, w.Type[r], w.Pool[w.X[r]])] = r
	t.n++
}

// constant returns the const row of a type and bits.
func (w *work) constant(t ir.Type, bits uint64) ir.Row {
	bits &= t.Mask()
	if r := w.consts.slots[w.consts.slot(w, t, bits)]; r != ir.NoRow {
		return r
	}
	w.Pool = append(w.Pool, bits)
	r := w.make(ir.NoRow, ir.OpConst, t, uint32(len(w.Pool)-1), ir.NoRow, ir.NoRow, ir.NoRow)
	w.consts.add(w, r)
	return r
}

// mix spreads the bits of a key over a word (the finalizer of MurmurHash3, Appleby 2011).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xFF51AFD7ED558CCD
	x ^= x >> 33
	x *= 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}
