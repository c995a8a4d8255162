package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// loop is an operation on integers that has a loop of its own, without a call a lane: programs consist of them.
type loop uint8

const (
	noLoop loop = iota
	addLoop
	subLoop
	mulLoop
	mulAddLoop
	andLoop
	orLoop
	xorLoop
	shlLoop
	shrLoop
	minLoop
	maxLoop
)

// fewLanes is how many lanes are done one by one: a loop computes all.
const fewLanes = 4

// loopOf is the loop of an instruction, and which bits of what it computes are the result.
func loopOf(src *asm.Inst) (loop, uint64) {
	t := src.Type
	mask, plain := maskOf(t.Bits()), len(src.Mods) == 0
	switch src.Op {
	case "add":
		if plain {
			return addLoop, mask
		}
	case "sub":
		if plain {
			return subLoop, mask
		}
	case "mul", "mad":
		l := mulLoop
		if src.Op == "mad" {
			l = mulAddLoop
		}
		switch {
		case len(src.Mods) == 1 && src.Has("lo"):
			return l, mask
		case len(src.Mods) == 1 && src.Has("wide") && !t.Signed():
			return l, maskOf(2 * t.Bits())
		}
	case "and":
		return andLoop, mask
	case "or":
		return orLoop, mask
	case "xor":
		return xorLoop, mask
	case "shl":
		return shlLoop, mask
	case "shr":
		if !t.Signed() {
			return shrLoop, mask
		}
	case "min", "max":
		switch {
		case t.Signed() || !plain:
		case src.Op == "min":
			return minLoop, mask
		default:
			return maxLoop, mask
		}
	}
	return noLoop, 0
}

// quicken gives an instruction on two or three integers its loop, if there is one.
func (in *inst) quicken(src *asm.Inst) {
	if src.Type.Float() || in.f2 == nil && in.f3 == nil {
		return
	}
	if in.loop, in.mask = loopOf(src); in.loop != noLoop {
		in.run = runLoop
	}
}

func runLoop(w *warp, in *inst, m uint32) {
	if bits.OnesCount32(m) <= fewLanes {
		if in.f3 != nil {
			run3(w, in, m)
		} else {
			run2(w, in, m)
		}
		return
	}
	if in.d < 0 {
		return
	}
	d, a, b, mask := w.at(in.d), w.at(in.a), w.at(in.b), in.mask
	def := w.def[in.a] & w.def[in.b]
	r := d
	if m != all {
		r = &w.g.m.lanes
	}
	switch in.loop {
	case addLoop:
		for l := range r {
			r[l] = (a[l] + b[l]) & mask
		}
	case subLoop:
		for l := range r {
			r[l] = (a[l] - b[l]) & mask
		}
	case mulLoop:
		for l := range r {
			r[l] = a[l] * b[l] & mask
		}
	case mulAddLoop:
		c := w.at(in.c)
		for l := range r {
			r[l] = (a[l]*b[l] + c[l]) & mask
		}
		def &= w.def[in.c]
	case andLoop:
		for l := range r {
			r[l] = a[l] & b[l]
		}
	case orLoop:
		for l := range r {
			r[l] = a[l] | b[l]
		}
	case xorLoop:
		for l := range r {
			r[l] = a[l] ^ b[l]
		}
	case shlLoop:
		for l := range r {
			r[l] = a[l] << b[l] & mask
		}
	case shrLoop:
		for l := range r {
			r[l] = a[l] >> b[l]
		}
	case minLoop:
		for l := range r {
			r[l] = min(a[l], b[l])
		}
	case maxLoop:
		for l := range r {
			r[l] = max(a[l], b[l])
		}
	}
	if m != all {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = r[l]
		}
	}
	w.defined(in.d, m, def)
}

// comparison is a comparison of integers as a loop computes it.
type comparison struct {
	equal, swap, invert bool
	flip                uint64 // the sign bit, which makes the order of signed numbers that of unsigned ones
}

// quickSetp gives a comparison of integers its loop, if there is one.
func (in *inst) quickSetp(src *asm.Inst) {
	t := src.Type
	if t.Float() || t == asm.Pred {
		return
	}
	c := &comparison{}
	if t.Signed() {
		c.flip = 1 << (t.Bits() - 1)
	}
	switch src.Mods[0] {
	case "eq", "ne":
		c.equal, c.invert = true, src.Mods[0] == "ne"
	case "lt", "ge":
		c.invert = src.Mods[0] == "ge"
	case "gt", "le":
		c.swap, c.invert = true, src.Mods[0] == "le"
	default:
		return
	}
	in.x, in.run = c, runCompare
}

func runCompare(w *warp, in *inst, m uint32) {
	a, b := w.at(in.a), w.at(in.b)
	r := uint32(0)
	if bits.OnesCount32(m) <= fewLanes {
		for rest := m; rest != 0; rest &= rest - 1 {
			if l := bits.TrailingZeros32(rest) & 31; in.cmp(a[l], b[l]) {
				r |= 1 << l
			}
		}
		w.setPred(in.d, m, r, w.def[in.a]&w.def[in.b])
		return
	}
	c := in.x.(*comparison)
	if c.swap {
		a, b = b, a
	}
	if c.equal {
		for l := range a {
			_, differ := bits.Sub64(0, a[l]^b[l], 0)
			r |= uint32(1-differ) << l
		}
	} else {
		for l := range a {
			_, less := bits.Sub64(a[l]^c.flip, b[l]^c.flip, 0)
			r |= uint32(less) << l
		}
	}
	if c.invert {
		r = ^r
	}
	w.setPred(in.d, m, r, w.def[in.a]&w.def[in.b])
}
