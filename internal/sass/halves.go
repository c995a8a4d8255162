package sass

import (
	"math"

	"github.com/govyre/vyre/internal/exact"
)

// floats16 is one of the two formats of 16 bits.
type floats16 struct {
	widen func(uint16) float32
	round func(float32) uint16
}

// format is that of an instruction on halves.
func (in *inst) format() floats16 {
	if in.has("BF16_V2") || in.has("BF16") {
		return floats16{exact.BF16ToF32, exact.F32ToBF16}
	}
	return floats16{exact.F16ToF32, exact.F32ToF16}
}

// bits rounds once: x may have been rounded to odd.
func (f floats16) bits(x float64) uint32 {
	if x != x {
		return 0x7FFF
	}
	s := narrow(x, truncate)
	if v := math.Float32bits(s); float64(s) != x {
		s = math.Float32frombits(v | 1)
	}
	return uint32(f.round(s))
}

// halves reads an instruction's operands from args[from] on, each of two halves, the lower one first. Of a constant both are written.
func (t *thread) halves(in *inst, from int) (list [][2]float64, rest []operand) {
	f := in.format()
	args := in.args[from:]
	for len(args) > 0 && args[0].kind != predicate {
		o := args[0]
		if o.kind == immediate {
			if len(args) < 2 || args[1].kind != immediate {
				t.err = &UnknownError{in.text}
				return list, nil
			}
			pair := [2]float64{args[1].float, o.float}
			if o.nan { // one of the two is; the bits of both are there
				pair = [2]float64{float64(f.widen(uint16(o.bits))), float64(f.widen(uint16(o.bits >> 16)))}
			}
			list, args = append(list, pair), args[2:]
			continue
		}
		word := t.word(o)
		var pair [2]float64
		for i := range pair {
			h := word >> (16 * i)
			switch o.halves {
			case lowTwice:
				h = word
			case highTwice:
				h = word >> 16
			}
			v := float64(f.widen(uint16(h)))
			if o.single {
				v = float64(math.Float32frombits(word))
			}
			if o.abs {
				v = math.Abs(v)
			}
			if o.minus {
				v = -v
			}
			pair[i] = v
		}
		list = append(list, pair)
		args = args[1:]
	}
	return list, args
}

// fusedHalves is HADD2, HMUL2 or HFMA2.
func fusedHalves(t *thread, in *inst) {
	v, _ := t.halves(in, 1)
	f := in.format()
	if in.has("F32") { // of the lower ones, as f32
		x := v[0][0] * v[1][0]
		if in.op == "HADD2" {
			x = sumToOdd(v[0][0], v[1][0], nearest)
		}
		t.setSingle(in.args[0], f.widen(uint16(f.bits(x))))
		t.only(in, "F32")
		return
	}
	var word uint32
	for i := range 2 {
		var x float64
		switch in.op {
		case "HADD2":
			x = sumToOdd(v[0][i], v[1][i], nearest)
		case "HMUL2":
			x = v[0][i] * v[1][i]
		default:
			x = sumToOdd(v[0][i]*v[1][i], v[2][i], nearest)
		}
		word |= f.bits(x) << (16 * i)
	}
	t.set(in.args[0], word)
	t.only(in, "BF16_V2", "MMA")
}

// extremeHalves is HMNMX2.
func extremeHalves(t *thread, in *inst) {
	v, rest := t.halves(in, 1)
	f := in.format()
	var word uint32
	for i := range 2 {
		a, b := v[0][i], v[1][i]
		switch {
		case a != a && b != b, in.has("NAN") && (a != a || b != b):
			b = math.NaN()
		case a == a && (b != b || firstIsExtreme(a, b, t.flag(rest[0]))):
			b = a
		}
		word |= f.bits(b) << (16 * i)
	}
	t.set(in.args[0], word)
	t.only(in, "BF16_V2", "NAN")
}

// compareHalves is HSETP2: of the lower halves and of the upper ones, joined with a predicate.
func compareHalves(t *thread, in *inst) {
	v, rest := t.halves(in, 2)
	for i := range 2 {
		holds := t.compared(in, v[0][i], v[1][i])
		with := t.flag(rest[0])
		switch {
		case in.has("OR"):
			holds = holds || with
		case in.has("XOR"):
			holds = holds != with
		default:
			holds = holds && with
		}
		t.setFlag(in.args[i], holds)
	}
}

// pack is F2FP: two f32 as halves, the first one above.
func pack(t *thread, in *inst) {
	f := in.format()
	t.set(in.args[0], f.bits(float64(t.single(in.args[1])))<<16|f.bits(float64(t.single(in.args[2]))))
	t.only(in, "F16", "BF16", "F32", "PACK_AB")
}
