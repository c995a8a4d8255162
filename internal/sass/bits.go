package sass

import "math/bits"

func logic(t *thread, in *inst) {
	args := in.args
	var flag operand
	if args[0].kind == predicate {
		flag, args = args[0], args[1:]
	}
	a, b, c, lut := t.value(args[1]), t.value(args[2]), t.value(args[3]), t.value(args[4])
	var v uint32
	for k := range uint32(8) {
		if lut>>k&1 == 0 {
			continue
		}
		v |= either(a, k&4) & either(b, k&2) & either(c, k&1)
	}
	t.set(args[0], v)
	if flag.kind == predicate {
		if in.has("PAND") {
			t.setFlag(flag, v != 0 && t.flag(args[5]))
		} else {
			t.setFlag(flag, v != 0 || t.flag(args[5]))
		}
	}
}

// either is x, or ^x where the bit of a truth table's row is 0.
func either(x, bit uint32) uint32 {
	if bit != 0 {
		return x
	}
	return ^x
}

func predicateLogic(t *thread, in *inst) {
	a := in.args
	k := b2u(t.flag(a[2]))<<2 | b2u(t.flag(a[3]))<<1 | b2u(t.flag(a[4]))
	first, second := t.value(a[5])>>k&1 != 0, t.value(a[6])>>k&1 != 0
	t.setFlag(a[0], first)
	t.setFlag(a[1], second)
}

// funnel shifts two words as one, of which the low or the high one is the result.
func funnel(t *thread, in *inst) {
	n := uint64(t.value(in.args[2]))
	v := uint64(t.value(in.args[3]))<<32 | uint64(t.value(in.args[1]))
	limit := uint64(32)
	if in.has("U64") || in.has("S64") {
		limit = 64
	}
	if in.has("W") {
		n %= limit
	} else {
		n = min(n, limit)
	}
	switch {
	case in.has("L"):
		v <<= n
	case in.has("S32") || in.has("S64"):
		v = uint64(int64(v) >> n)
	default:
		v >>= n
	}
	if in.has("HI") {
		v >>= 32
	}
	t.set(in.args[0], uint32(v))
}

func permute(t *thread, in *inst) {
	all := uint64(t.value(in.args[3]))<<32 | uint64(t.value(in.args[1]))
	choice := t.value(in.args[2])
	var v uint32
	for i := range 4 {
		c := choice >> (4 * i) & 15
		b := uint32(all>>(8*(c&7))) & 0xFF
		if c&8 != 0 {
			b = b >> 7 * 0xFF
		}
		v |= b << (8 * i)
	}
	t.set(in.args[0], v)
	if len(in.mods) > 0 {
		t.err = &UnknownError{in.text}
	}
}

// compare is a comparison, joined with a predicate; .EX goes on where the low words of 64 bits have been compared.
func compare(t *thread, in *inst) {
	a, b := t.value(in.args[2]), t.value(in.args[3])
	less := int32(a) < int32(b)
	if in.has("U32") {
		less = a < b
	}
	equal := a == b
	low := false
	if in.has("EX") {
		low = len(in.args) < 6 || t.flag(in.args[5]) // what always holds is left out
	}
	var v bool
	switch in.mods[0] {
	case "LT":
		v = less || equal && low
	case "LE":
		v = less || equal && (low || !in.has("EX"))
	case "GT":
		v = !less && !equal || equal && low
	case "GE":
		v = !less && !equal || equal && (low || !in.has("EX"))
	case "EQ":
		v = equal && (low || !in.has("EX"))
	case "NE":
		v = !equal || low
	default:
		t.err = &UnknownError{in.text}
	}
	t.join(in, v)
}

// join sets the results of a comparison: it, and its opposite, joined with a predicate.
func (t *thread) join(in *inst, v bool) {
	with := t.flag(in.args[4])
	join := func(v bool) bool { return v && with }
	switch {
	case in.has("OR"):
		join = func(v bool) bool { return v || with }
	case in.has("XOR"):
		join = func(v bool) bool { return v != with }
	}
	t.setFlag(in.args[0], join(v))
	t.setFlag(in.args[1], join(!v))
}

func choose(t *thread, in *inst) {
	o := in.args[2]
	if t.flag(in.args[3]) {
		o = in.args[1]
	}
	t.set(in.args[0], t.value(o))
}

// extreme is the smaller one where the predicate holds, else the greater one.
func extreme(t *thread, in *inst) {
	a, b := t.value(in.args[1]), t.value(in.args[2])
	less := int32(a) < int32(b)
	if in.has("U32") {
		less = a < b
	}
	if less == t.flag(in.args[3]) {
		t.set(in.args[0], a)
	} else {
		t.set(in.args[0], b)
	}
}

// highest is the number of the highest bit that is set, or of a number with a sign of the highest that differs from it.
func highest(t *thread, in *inst) {
	dst, out, src := in.split()
	v := t.value(src[0])
	if !in.has("U32") && int32(v) < 0 {
		v = ^v
	}
	n := uint32(bits.Len32(v)) - 1
	if in.has("SH") && v != 0 {
		n = 31 - n
	}
	t.set(dst, n)
	for _, o := range out {
		t.setFlag(o, v != 0)
	}
}

// extend keeps the lowest bits, with the sign that they have.
func extend(t *thread, in *inst) {
	v, n := t.value(in.args[1]), t.value(in.args[2])
	if in.has("W") {
		n &= 31
	}
	switch {
	case n >= 32:
	case in.has("U32"):
		v &= 1<<n - 1
	case n == 0:
		v = 0
	default:
		v = uint32(int32(v<<(32-n)) >> (32 - n))
	}
	t.set(in.args[0], v)
}

// mask is so many ones, from a bit on.
func mask(t *thread, in *inst) {
	from, n := t.value(in.args[1]), t.value(in.args[2])
	if in.has("W") {
		from, n = from&31, n&31
	}
	t.set(in.args[0], uint32((uint64(1)<<min(n, 32)-1)<<min(from, 32)))
}

// packFlags puts predicates into a word.
func packFlags(t *thread, in *inst) {
	if len(in.args) != 4 || len(in.mods) > 0 {
		t.err = &UnknownError{in.text}
		return
	}
	var v uint32
	for k := range 7 {
		v |= b2u(t.p[k]) << k
	}
	m := t.value(in.args[3])
	t.set(in.args[0], v&m|t.value(in.args[2])&^m)
}

// unpackFlags is R2P, which takes predicates out of a word again.
func unpackFlags(t *thread, in *inst) {
	v, m := t.value(in.args[1]), t.value(in.args[2])
	for k := range 7 {
		if m>>k&1 != 0 {
			t.p[k] = v>>k&1 != 0
		}
	}
	t.only(in)
}
