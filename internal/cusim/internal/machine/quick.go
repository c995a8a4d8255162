package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// quickRun returns loops for the instructions that programs consist of, without a call a lane; nil for others.
func quickRun(src *asm.Inst) func(*warp, *inst, uint32) {
	if src.Type.Float() || src.Type.Bits() != 32 || len(src.Mods) > 1 {
		return nil
	}
	switch src.Op {
	case "add":
		if len(src.Mods) == 0 {
			return runAdd32
		}
	case "mad":
		if src.Has("wide") && !src.Type.Signed() {
			return runMadWide32
		}
	}
	return nil
}

func runAdd32(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b]
	if m == all {
		for l := range d {
			d[l] = uint64(uint32(a[l]) + uint32(b[l]))
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = uint64(uint32(a[l]) + uint32(b[l]))
		}
	}
	w.defined(in.d, m, w.def[in.a]&w.def[in.b])
}

func runMadWide32(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b, c := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	if m == all {
		for l := range d {
			d[l] = a[l]*b[l] + c[l]
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = a[l]*b[l] + c[l]
		}
	}
	w.defined(in.d, m, w.def[in.a]&w.def[in.b]&w.def[in.c])
}

// quickSetp returns a loop for comparisons of 32-bit integers by less than; nil for others.
func quickSetp(src *asm.Inst) func(*warp, *inst, uint32) {
	if src.Mods[0] == "lt" && src.Type == asm.U32 {
		return runLess32
	}
	return nil
}

func runLess32(w *warp, in *inst, m uint32) {
	a, b := &w.regs[in.a], &w.regs[in.b]
	r := uint32(0)
	for l := range a {
		if a[l] < b[l] {
			r |= 1 << l
		}
	}
	w.setPred(in.d, m, r, w.def[in.a]&w.def[in.b])
}
