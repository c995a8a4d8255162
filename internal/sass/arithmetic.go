package sass

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// term is an operand of a sum. What is subtracted is inverted, and carries one in: so −0 carries out.
func (t *thread) term(o operand) uint64 {
	if o.minus {
		o.minus = false
		return uint64(^t.value(o)) + 1
	}
	return uint64(t.value(o))
}

// add is a sum of three. A carry goes to as many predicates as may be asked for.
func add(t *thread, in *inst) {
	dst, out, src := in.split()
	sum := uint64(0)
	for _, o := range src[:3] {
		sum += t.term(o)
	}
	for _, o := range src[3:] {
		sum += uint64(b2u(t.flag(o)))
	}
	t.set(dst, uint32(sum))
	for i, o := range out {
		t.setFlag(o, sum>>32 > uint64(i))
	}
}

// multiply is a·b + c, of many forms.
func multiply(t *thread, in *inst) {
	dst, out, src := in.split()
	switch {
	case in.has("WIDE"), in.has("HI"):
		var product uint64
		if in.has("U32") {
			product = uint64(t.value(src[0])) * uint64(t.value(src[1]))
		} else {
			product = uint64(int64(int32(t.value(src[0]))) * int64(int32(t.value(src[1]))))
		}
		sum, carry := bits.Add64(product, t.pair(src[2]), uint64(b2u(len(src) > 3 && t.flag(src[3]))))
		if in.has("HI") {
			t.set(dst, uint32(sum>>32))
		} else {
			t.setPair(dst, sum)
		}
		for _, o := range out {
			t.setFlag(o, carry != 0)
		}
	default:
		v := uint64(t.value(src[0]))*uint64(t.value(src[1]))&math.MaxUint32 + uint64(t.value(src[2]))
		if in.has("X") {
			v += uint64(b2u(t.flag(src[3])))
		}
		t.set(dst, uint32(v))
		if len(out) > 0 {
			t.err = &UnknownError{in.text}
		}
	}
}

// scaledAdd is (a << n) + b, or the upper half of 64 bits shifted so; what is negated or inverted is so after the shift.
func scaledAdd(t *thread, in *inst) {
	dst, out, src := in.split()
	carry := uint64(0)
	if in.has("X") {
		carry = uint64(b2u(t.flag(src[len(src)-1])))
		src = src[:len(src)-1]
	}
	a, b := src[0], src[1]
	n := t.value(src[len(src)-1]) & 31
	plain := a
	plain.minus, plain.invert = false, false
	v := uint64(t.value(plain))
	switch {
	case in.has("SX32"):
		v = uint64(int64(int32(v)))
	case in.has("HI"):
		v |= uint64(t.value(src[2])) << 32
	}
	v <<= n
	if in.has("HI") { // what the shift leaves is negated, not what is shifted
		v >>= 32
	}
	low := uint64(uint32(v))
	switch {
	case a.minus: // inverted, and one carried in
		low = uint64(^uint32(v)) + 1
	case a.invert:
		low = uint64(^uint32(v))
	}
	sum := low + t.term(b) + carry
	t.set(dst, uint32(sum))
	for i, o := range out {
		t.setFlag(o, sum>>32 > uint64(i))
	}
}

// constantHalves is HFMA2, which of zeros and a constant is a move of two halves.
func constantHalves(t *thread, in *inst) {
	if len(in.args) != 5 || in.args[1].n != zero || in.args[2].n != zero || in.args[3].kind != immediate || in.args[4].kind != immediate {
		fusedHalves(t, in)
		return
	}
	if in.args[3].nan || in.args[4].nan { // both are in the bits of each
		t.set(in.args[0], in.args[3].bits)
		return
	}
	t.set(in.args[0], half(in.args[3].float)<<16|half(in.args[4].float))
}

// half is the bits of a number that is exact in 16 bits.
func half(f float64) uint32 {
	b := math.Float64bits(f)
	sign := uint32(b>>48) & 0x8000
	switch exp := int(b>>52&0x7FF) - 1023; {
	case f == 0:
		return sign
	case math.IsInf(f, 0):
		return sign | 0x7C00
	case exp < -14:
		return sign | uint32(math.Abs(f)*(1<<24))
	default:
		return sign | uint32(exp+15)<<10 | uint32(b>>42)&0x3FF
	}
}

// dot is a sum of four products of bytes.
func dot(t *thread, in *inst) {
	if !in.has("4A") {
		t.err = &UnknownError{in.text}
		return
	}
	of := slices.DeleteFunc(slices.Clone(in.mods), func(m string) bool { return m == "4A" })
	sum := t.value(in.args[3])
	for i := range 4 {
		product := uint32(1)
		for k := range 2 {
			b := t.value(in.args[1+k]) >> (8 * i) & 0xFF
			if strings.HasPrefix(of[k], "S") {
				b = uint32(int32(int8(b)))
			}
			product *= b
		}
		sum += product
	}
	t.set(in.args[0], sum)
}

// distanceBetween is VABSDIFF: |a − b| + c.
func distanceBetween(t *thread, in *inst) {
	a, b := t.value(in.args[1]), t.value(in.args[2])
	less := int32(a) < int32(b)
	if in.has("U32") {
		less = a < b
	}
	if less {
		a, b = b, a
	}
	t.set(in.args[0], a-b+t.value(in.args[3]))
	t.only(in, "U32")
}
