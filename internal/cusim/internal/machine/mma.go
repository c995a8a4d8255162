package machine

import (
	"cmp"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/matrix"
)

// mulAdd is a matrix product: the slots of its operands.
type mulAdd struct {
	form       matrix.Form
	d, a, b, c []int32
	wide       bool // each is two words
}

// mulAdd decodes mma.sync. A product of half of k, or of half of the rows, is one of all with zeros for the rest.
func (dec *decoder) mulAdd(src *asm.Inst) *mulAdd {
	args := src.Args
	return &mulAdd{form: formOf(src), d: dec.each(args[0].Vec, dec.dest), a: dec.each(args[1].Vec, dec.value),
		b: dec.each(args[2].Vec, dec.value), c: dec.each(args[3].Vec, dec.value), wide: src.Type == asm.F64}
}

func formOf(src *asm.Inst) matrix.Form {
	switch {
	case src.Has("tf32"):
		return matrix.TF32
	case src.Has("b1"):
		return matrix.B1
	case src.From == asm.BF16:
		return matrix.BF16
	case src.Type == asm.F16:
		return matrix.F16F16
	case src.Type == asm.F64:
		return matrix.F64
	case src.From == asm.S8:
		return matrix.I8
	case src.From == asm.U8:
		return matrix.U8
	}
	return matrix.F16
}

func runMulAdd(w *warp, in *inst, m uint32) {
	if m != all {
		w.fault(Diverged, in, m, "a matrix product needs all lanes, and only %#x are here", m)
		return
	}
	x := in.x.(*mulAdd)
	var a, c, d [32][4]uint32
	var b [32][2]uint32
	for l := range 32 {
		w.words(in, x, x.a, l, a[l][:])
		w.words(in, x, x.b, l, b[l][:])
		w.words(in, x, x.c, l, c[l][:])
	}
	matrix.MulAdd(x.form, cmp.Or(w.k.mem.Matrix, matrix.SM90), &a, &b, &c, &d)
	for i, s := range x.d {
		if s < 0 {
			continue
		}
		for l := range 32 {
			v := uint64(d[l][i])
			if x.wide {
				v = uint64(d[l][2*i]) | uint64(d[l][2*i+1])<<32
			}
			w.at(s)[l] = v
		}
		w.defined(s, all, all)
	}
}

// words reads what lane l has in some slots.
func (w *warp) words(in *inst, x *mulAdd, slots []int32, l int, to []uint32) {
	for i, s := range slots {
		if l == 0 {
			w.needs(in, s, all, "matrix")
		}
		v := w.at(s)[l]
		if x.wide {
			to[2*i], to[2*i+1] = uint32(v), uint32(v>>32)
		} else {
			to[i] = uint32(v)
		}
	}
}
