package machine

import (
	"math"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// conversion is cvt of one value. The result has the destination type's width; source bits beyond the
// source type's are ignored. wide is the width of the destination register, to which integers extend.
func conversion(in *asm.Inst, wide int) fn1 {
	to, from := in.Type, in.From
	mode := roundings[in.One("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi")]
	sat, ftz := in.Has("sat"), in.Has("ftz")
	w := from.Bits()
	var f fn1
	switch {
	case !to.Float() && !from.Float():
		f = func(a uint64) uint64 { return between(to, from, a&maskOf(w), sat) }
	case to.Float() && !from.Float():
		t := formats[to]
		f = func(a uint64) uint64 { return t.fromInt(from, a&maskOf(w), mode) }
		f = saturating(f, t, sat)
	case !to.Float():
		s := formats[from]
		f = func(a uint64) uint64 {
			if a &= maskOf(w); ftz {
				a = s.flush(a)
			}
			return toInteger(to, s, a, mode)
		}
	default:
		t, s := formats[to], formats[from]
		integral := in.One("rni", "rzi", "rmi", "rpi") != ""
		relu := in.Has("relu")
		f = func(a uint64) uint64 {
			if a &= maskOf(w); ftz && s == single {
				a = s.flush(a)
			}
			r := t.convert(s, a, mode, integral)
			if ftz && t == single {
				r = t.flush(r)
			}
			if relu && r&t.sign() != 0 && !t.isNaN(r) {
				r = 0
			}
			return r
		}
		f = saturating(f, t, sat)
	}
	if n := to.Bits(); to.Signed() && n < wide {
		inner := f
		return func(a uint64) uint64 { return uint64(signExtended(inner(a), n)) & maskOf(wide) }
	}
	return f
}

func saturating(f fn1, t format, sat bool) fn1 {
	if !sat {
		return f
	}
	return func(a uint64) uint64 { return t.saturated(f(a)) }
}

// between converts integers: modulo the width, or clamped.
func between(to, from asm.Type, a uint64, sat bool) uint64 {
	n := to.Bits()
	if !from.Signed() {
		if most := greatest(to); sat && a > most {
			return most
		}
		return a & maskOf(n)
	}
	v := signExtended(a, from.Bits())
	switch {
	case sat && v < 0 && !to.Signed():
		return 0
	case sat && to.Signed() && n < 64:
		v = max(-1<<(n-1), min(1<<(n-1)-1, v))
	case sat && v > 0 && uint64(v) > greatest(to):
		return greatest(to)
	}
	return uint64(v) & maskOf(n)
}

func greatest(t asm.Type) uint64 {
	if t.Signed() {
		return maskOf(t.Bits()) >> 1
	}
	return maskOf(t.Bits())
}

// fromInt rounds an integer.
func (f format) fromInt(from asm.Type, a uint64, mode rounding) uint64 {
	if from.Signed() {
		if v := signExtended(a, from.Bits()); v < 0 {
			return f.pack(true, uint64(-v), 0, false, mode)
		}
	}
	return f.pack(false, a, 0, false, mode)
}

// toInteger rounds a float to an integer and clamps. A NaN gives 0 from f32 to 32 bits or less, else the
// bit above all others, as the hardware does.
func toInteger(to asm.Type, s format, a uint64, mode rounding) uint64 {
	n := to.Bits()
	if s.isNaN(a) {
		if s == double || n == 64 {
			return 1 << (n - 1)
		}
		return 0
	}
	v := roundIntegral(s.value(a), mode)
	// Both bounds are powers of two, which floats hold.
	least, most := 0.0, math.Ldexp(1, n)
	if to.Signed() {
		least, most = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
	}
	switch {
	case v >= most:
		return greatest(to)
	case v < least:
		return uint64(int64(least)) & maskOf(n)
	case v >= 1<<63:
		return uint64(v-1<<63) + 1<<63
	}
	return uint64(int64(v)) & maskOf(n)
}

func roundIntegral(v float64, mode rounding) float64 {
	switch mode {
	case nearest:
		return math.RoundToEven(v)
	case truncate:
		return math.Trunc(v)
	case down:
		return math.Floor(v)
	}
	return math.Ceil(v)
}

// convert rounds a float of format s, or makes it integral.
func (f format) convert(s format, a uint64, mode rounding, integral bool) uint64 {
	switch {
	case s.isNaN(a):
		return f.nan()
	case integral && f == s:
		return f.from(roundIntegral(s.value(a), mode), nearest)
	case f == s:
		return a
	}
	return f.from(s.value(a), mode)
}
