package sass

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// quietNaN is the NaN that instructions on f32 give.
const quietNaN = 0x7FFFFFFF

// single is an operand as f32.
func (t *thread) single(o operand) float32 {
	v := t.word(o)
	if o.abs {
		v &^= 1 << 31
	}
	if o.minus {
		v ^= 1 << 31
	}
	return math.Float32frombits(v)
}

// double is an operand as f64.
func (t *thread) double(o operand) float64 {
	f := o.float
	if o.kind != immediate {
		plain := o
		plain.minus = false
		f = math.Float64frombits(t.pair(plain))
	}
	if o.abs {
		f = math.Abs(f)
	}
	if o.minus {
		f = -f
	}
	return f
}

func (t *thread) setSingle(o operand, f float32) {
	if f != f {
		t.set(o, quietNaN)
		return
	}
	t.set(o, math.Float32bits(f))
}

func (t *thread) setDouble(o operand, f float64) {
	if f != f {
		t.setPair(o, 0x7FF8<<48)
		return
	}
	t.setPair(o, math.Float64bits(f))
}

type rounding uint8

const (
	nearest rounding = iota
	truncate
	down
	up
)

var roundings = map[string]rounding{"RN": nearest, "RZ": truncate, "TRUNC": truncate, "RM": down, "FLOOR": down, "RP": up, "CEIL": up}

func (in *inst) rounding() rounding {
	for _, m := range in.mods {
		if r, ok := roundings[m]; ok {
			return r
		}
	}
	return nearest
}

// narrow rounds to f32. x may be rounded already, if to odd: the last of its bits is 1 if what was lost is not zero.
func narrow(x float64, r rounding) float32 {
	f := float32(x)
	if r == nearest || float64(f) == x || x != x {
		return f
	}
	away := math.Abs(float64(f)) > math.Abs(x) // from zero
	switch outwards := r == up && x > 0 || r == down && x < 0; {
	case away && !outwards:
		return math.Nextafter32(f, 0)
	case !away && outwards:
		return math.Nextafter32(f, float32(math.Inf(int(math.Copysign(1, x)))))
	}
	return f
}

// sumToOdd is a + b, rounded to odd.
func sumToOdd(a, b float64, r rounding) float64 {
	s := a + b
	if s == 0 && r == down && (math.Signbit(a) || math.Signbit(b)) {
		return math.Copysign(0, -1)
	}
	if math.IsInf(s, 0) || s != s {
		return s
	}
	of := s - a
	lost := (a - (s - of)) + (b - of)
	if v := math.Float64bits(s); lost != 0 && v&1 == 0 {
		if (lost > 0) == (s > 0) {
			return math.Float64frombits(v + 1)
		}
		return math.Float64frombits(v - 1)
	}
	return s
}

func flushed(f float32) float32 {
	if math.Abs(float64(f)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(f)))
	}
	return f
}

// fused is FADD, FMUL or FFMA: one rounding of a·b + c.
func fused(t *thread, in *inst) {
	var f [3]float32
	for i, o := range in.args[1:] {
		if f[i] = t.single(o); in.has("FTZ") {
			f[i] = flushed(f[i])
		}
	}
	r := in.rounding()
	var exact float64
	switch in.op {
	case "FADD":
		exact = sumToOdd(float64(f[0]), float64(f[1]), r)
	case "FMUL":
		exact = float64(f[0]) * float64(f[1])
	default:
		exact = sumToOdd(float64(f[0])*float64(f[1]), float64(f[2]), r)
	}
	v := narrow(exact, r)
	if in.has("FTZ") {
		v = flushed(v)
	}
	if in.has("SAT") {
		switch {
		case !(v > 0):
			v = 0
		case v > 1:
			v = 1
		}
	}
	t.setSingle(in.args[0], v)
	t.only(in, "FTZ", "SAT", "RZ", "RM", "RP")
}

// only makes what in does unknown, if its name has other parts.
func (t *thread) only(in *inst, parts ...string) {
next:
	for _, m := range in.mods {
		for _, p := range parts {
			if m == p {
				continue next
			}
		}
		t.err = &UnknownError{in.text}
	}
}

// fusedDouble is DADD, DMUL or DFMA.
func fusedDouble(t *thread, in *inst) {
	var f [3]float64
	for i, o := range in.args[1:] {
		f[i] = t.double(o)
	}
	a, b, c := f[0], f[1], f[2]
	switch in.op {
	case "DADD":
		b, c = 1, f[1]
	case "DMUL":
		c = math.Copysign(0, math.Copysign(1, a)*math.Copysign(1, b)) // so a product of zeros keeps its sign
	}
	t.setDouble(in.args[0], directed(math.FMA(a, b, c), a, b, c, in.rounding()))
	t.only(in, "RZ", "RM", "RP")
}

// directed makes a·b + c, rounded in one direction, of it rounded to the nearest.
func directed(v, a, b, c float64, r rounding) float64 {
	if r == nearest || v != v || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return v
	}
	const all = 5000 // bits from the least product to the greatest
	number := func(f float64) *big.Float { return new(big.Float).SetPrec(all).SetFloat64(f) }
	exact := number(a)
	exact.Add(exact.Mul(exact, number(b)), number(c))
	if exact.Sign() == 0 {
		if product := a * b; r == down && v == 0 && (math.Signbit(product) || math.Signbit(c)) {
			return math.Copysign(0, -1)
		}
		return v
	}
	above := number(v).Cmp(exact)
	switch outwards := r == up && exact.Sign() > 0 || r == down && exact.Sign() < 0; {
	case above == 0:
	case above == exact.Sign() && !outwards: // it is farther from zero than what is exact
		return math.Nextafter(v, 0)
	case above != exact.Sign() && outwards:
		return math.Nextafter(v, math.Inf(exact.Sign()))
	}
	return v
}

// compareFloats is FSETP or DSETP, joined with a predicate. MIN and MAX of f64 give whether the first one is chosen, and
// whether both are NaNs.
func compareFloats(t *thread, in *inst) {
	var a, b float64
	if in.op == "DSETP" {
		a, b = t.double(in.args[2]), t.double(in.args[3])
	} else {
		x, y := t.single(in.args[2]), t.single(in.args[3])
		if in.has("FTZ") {
			x, y = flushed(x), flushed(y)
		}
		a, b = float64(x), float64(y)
	}
	of := in.mods[0]
	if of == "MIN" || of == "MAX" {
		t.setFlag(in.args[0], b != b && a == a || firstIsExtreme(a, b, of == "MIN"))
		t.setFlag(in.args[1], a != a && b != b)
		return
	}
	t.join(in, t.compared(in, a, b))
}

// compared is the comparison that an instruction's name begins with. With a U behind it, it holds of NaNs.
func (t *thread) compared(in *inst, a, b float64) bool {
	unordered := a != a || b != b
	of := in.mods[0]
	switch of {
	case "NUM":
		return !unordered
	case "NAN":
		return unordered
	}
	of, orUnordered := strings.CutSuffix(of, "U")
	if unordered {
		return orUnordered
	}
	switch of {
	case "LT":
		return a < b
	case "LE":
		return a <= b
	case "GT":
		return a > b
	case "GE":
		return a >= b
	case "EQ":
		return a == b
	case "NE":
		return a != b
	}
	t.err = &UnknownError{in.text}
	return false
}

// setFloat is FSET: 1 or all ones where a comparison holds, else 0.
func setFloat(t *thread, in *inst) {
	plain := *in
	holds := uint32(math.MaxUint32)
	if in.mods[0] == "BF" {
		plain.mods, holds = in.mods[1:], math.Float32bits(1)
	}
	v := t.compared(&plain, float64(t.single(in.args[1])), float64(t.single(in.args[2]))) && t.flag(in.args[3])
	t.set(in.args[0], holds*b2u(v))
	if !in.has("AND") || in.has("FTZ") {
		t.err = &UnknownError{in.text}
	}
}

// firstIsExtreme reports whether a is the smaller or greater one: −0 is less than +0.
func firstIsExtreme(a, b float64, smaller bool) bool {
	if !smaller {
		a, b = b, a
	}
	return a < b || a == b && math.Signbit(a) && !math.Signbit(b)
}

// extremeFloat is FMNMX: the smaller one where the predicate holds. A NaN counts only if both are, or with NAN.
func extremeFloat(t *thread, in *inst) {
	a, b := t.single(in.args[1]), t.single(in.args[2])
	if in.has("FTZ") {
		a, b = flushed(a), flushed(b)
	}
	if in.has("NAN") && (a != a || b != b) {
		b = float32(math.NaN())
	} else if a == a && (b != b || firstIsExtreme(float64(a), float64(b), t.flag(in.args[3]))) {
		b = a
	}
	t.setSingle(in.args[0], b)
	t.only(in, "FTZ", "NAN")
}

// approximate is MUFU. Its results are near the right ones on a GPU, and here rounded: what divides does not depend on it.
func approximate(t *thread, in *inst) {
	x := float64(t.single(in.args[1]))
	switch in.mods[0] {
	case "RCP64H", "RSQ64H": // of the upper word of an f64, such a word
		if o := in.args[1]; o.kind == immediate {
			x = t.double(o)
		} else {
			x = math.Float64frombits(uint64(math.Float32bits(t.single(o))) << 32) // its sign is a float's
		}
		if in.mods[0] == "RSQ64H" {
			x = math.Sqrt(x)
		}
		t.set(in.args[0], uint32(math.Float64bits(1/x)>>32))
		return
	case "RCP":
		x = 1 / x
	case "RSQ":
		x = 1 / math.Sqrt(x)
	default:
		t.err = &UnknownError{in.text}
	}
	t.setSingle(in.args[0], flushed(float32(x)))
}

// roundToIntegral is FRND.
func roundToIntegral(t *thread, in *inst) {
	r := in.rounding()
	if in.has("F64") {
		t.setDouble(in.args[0], integral(t.double(in.args[1]), r))
		return
	}
	t.setSingle(in.args[0], float32(integral(float64(t.single(in.args[1])), r)))
	t.only(in, "FLOOR", "CEIL", "TRUNC")
}

func integral(f float64, r rounding) float64 {
	switch r {
	case truncate:
		return math.Trunc(f)
	case down:
		return math.Floor(f)
	case up:
		return math.Ceil(f)
	}
	return math.RoundToEven(f)
}

// chooseFloat is FSEL.
func chooseFloat(t *thread, in *inst) {
	o := in.args[2]
	if t.flag(in.args[3]) {
		o = in.args[1]
	}
	t.set(in.args[0], math.Float32bits(t.single(o)))
	t.only(in)
}

// divisible is FCHK: whether a quotient has to be computed with more care. That it is so more often than on a GPU does not matter.
func divisible(t *thread, in *inst) {
	exponent := func(o operand) int { return int(math.Float32bits(t.single(o))>>23&0xFF) - 127 }
	a, b := exponent(in.args[1]), exponent(in.args[2])
	t.setFlag(in.args[0], max(a, -a, b, -b) > 60)
}

// rounded is an integer rounded to so many bits.
func rounded(negative bool, m uint64, precision int, r rounding) float64 {
	drop := bits.Len64(m) - precision
	if drop > 0 {
		lost, half := m&(1<<drop-1), uint64(1)<<(drop-1)
		m >>= drop
		switch {
		case r == nearest && (lost > half || lost == half && m&1 != 0), r == up && lost != 0 && !negative, r == down && lost != 0 && negative:
			m++
		}
	}
	f := math.Ldexp(float64(m), max(drop, 0))
	if negative {
		f = -f
	}
	return f
}
