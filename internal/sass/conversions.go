package sass

import (
	"math"
	"strings"
)

// integerType is a type of integers in an instruction's name, such as S16.
type integerType struct {
	bits   int
	signed bool
}

var integerTypes = map[string]integerType{"U8": {8, false}, "S8": {8, true}, "U16": {16, false}, "S16": {16, true}, "U32": {32, false}, "S32": {32, true}, "U64": {64, false}, "S64": {64, true}}

// integers are the types that an instruction names.
func (in *inst) integers() (list []integerType) {
	for _, m := range in.mods {
		if i, ok := integerTypes[m]; ok {
			list = append(list, i)
		}
	}
	return list
}

// integer reads an operand of a type: sign-extended if it has one.
func (t *thread) integer(o operand, i integerType) int64 {
	switch {
	case i.bits == 64 && o.kind == immediate: // the upper half of one
		return int64(uint64(o.bits) << 32)
	case i.bits == 64:
		return int64(t.pair(o))
	}
	v := int64(t.value(o)) >> (8 * o.byte)
	shift := 64 - i.bits
	if i.signed {
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// integerToFloat is I2F and I2FP.
func integerToFloat(t *thread, in *inst) {
	from := integerType{32, true}
	if list := in.integers(); len(list) > 0 {
		from = list[len(list)-1]
	}
	v := t.integer(in.args[1], from)
	negative := from.signed && v < 0
	m := uint64(v)
	if negative {
		m = -m
	}
	switch {
	case in.has("F64"):
		t.setDouble(in.args[0], rounded(negative, m, 53, in.rounding()))
	case in.has("F16"):
		t.set(in.args[0], in.format().bits(rounded(negative, m, 11, in.rounding())))
	default:
		t.setSingle(in.args[0], float32(rounded(negative, m, 24, in.rounding())))
	}
}

// floatToInteger is F2I: what does not fit is the nearest that does. A NaN is 0 from f32 to 32 bits or less, else the bit
// above all others.
func floatToInteger(t *thread, in *inst) {
	to := integerType{32, true}
	if list := in.integers(); len(list) > 0 {
		to = list[0]
	}
	var f float64
	switch {
	case in.has("F64"):
		f = t.double(in.args[1])
	case in.has("F16"):
		f = float64(in.format().widen(uint16(t.word(in.args[1]) >> (8 * in.args[1].byte))))
	default:
		s := t.single(in.args[1])
		if in.has("FTZ") {
			s = flushed(s)
		}
		f = float64(s)
	}
	f = integral(f, in.rounding())
	least, beyond := 0.0, math.Ldexp(1, to.bits)
	if to.signed {
		beyond /= 2
		least = -beyond
	}
	var v uint64
	switch {
	case f != f && (in.has("F64") || to.bits == 64):
		v = 1 << (to.bits - 1)
	case f != f:
	case f >= beyond && to.signed:
		v = 1<<(to.bits-1) - 1
	case f >= beyond:
		v = math.MaxUint64 >> (64 - to.bits)
	case f < least:
		v = uint64(int64(least))
	case f >= 1<<63:
		v = uint64(f-1<<63) + 1<<63
	default:
		v = uint64(int64(f))
	}
	if to.bits == 64 {
		t.setPair(in.args[0], v)
	} else {
		t.set(in.args[0], uint32(v))
	}
	if to.bits < 32 {
		t.err = &UnknownError{in.text}
	}
}

// floatToFloat is F2F between f32 and f64, and from f32 to 16 bits.
func floatToFloat(t *thread, in *inst) {
	switch name := strings.Join(in.mods, "."); {
	case name == "F64.F32":
		t.setDouble(in.args[0], float64(t.single(in.args[1])))
	case strings.HasPrefix(name, "F32.F64"):
		t.setSingle(in.args[0], narrow(t.double(in.args[1]), in.rounding()))
		t.only(in, "F32", "F64", "RZ", "RM", "RP")
	case name == "F16.F32" || name == "BF16.F32":
		t.set(in.args[0], in.format().bits(float64(t.single(in.args[1]))))
	default:
		t.err = &UnknownError{in.text}
	}
}

// integerToInteger is I2I, which holds its operand to the bounds of a type.
func integerToInteger(t *thread, in *inst) {
	list := in.integers()
	if !in.has("SAT") || len(list) != 2 || list[1].bits != 32 {
		t.err = &UnknownError{in.text}
		return
	}
	to, v := list[0], t.integer(in.args[1], list[1])
	least, most := int64(0), int64(1)<<to.bits-1
	if to.signed {
		least, most = -1<<(to.bits-1), 1<<(to.bits-1)-1
	}
	t.set(in.args[0], uint32(max(least, min(v, most))))
}
