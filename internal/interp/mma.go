package interp

import (
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// mulAdd runs a matrix product, which the lanes of w hold together. A value of 64 bits is two words, the low one first.
func (x *worker) mulAdd(w *warp, in *instr) {
	var a, c, d [32][4]uint32
	var b [32][2]uint32
	form := in.op.Info()
	for l := range 32 {
		w.words(in.a, form.In[0].Type, l, a[l][:])
		w.words(in.b, form.In[1].Type, l, b[l][:])
		w.words(in.c, form.In[2].Type, l, c[l][:])
	}
	x.k.rules.mulAdd(matrix.FormOf(in.op), x.matrix, &a, &b, &c, &d)
	for l := range 32 {
		w.setWords(in.dst, form.Result.Type, l, d[l][:])
	}
}

// words reads what lane l has of a value into words.
func (w *warp) words(slot int32, t ir.Type, l int, to []uint32) {
	for i := range t.Lanes() {
		v := w.at(slot + int32(i))[l]
		if t.Size() == 8 {
			to[2*i], to[2*i+1] = uint32(v), uint32(v>>32)
		} else {
			to[i] = uint32(v)
		}
	}
}

// setWords is the other way.
func (w *warp) setWords(slot int32, t ir.Type, l int, from []uint32) {
	for i := range t.Lanes() {
		v := uint64(from[i])
		if t.Size() == 8 {
			v = uint64(from[2*i]) | uint64(from[2*i+1])<<32
		}
		w.at(slot + int32(i))[l] = v
	}
}
