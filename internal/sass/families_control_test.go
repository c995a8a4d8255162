package sass_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// inside writes what stands within a branch or loop: registers that it makes are not read outside.
func (w *writer) inside(body func()) {
	have := make(map[byte][]string)
	for c, h := range w.have {
		have[c] = h[:len(h):len(h)]
	}
	w.depth++
	body()
	w.depth--
	w.have = have
}

// branch leaves some instructions out, mostly if two values are not equal.
func (w *writer) branch(f []form) {
	p := w.register('p')
	if w.IntN(2) == 0 {
		p = w.compared()
	}
	if w.IntN(3) == 0 {
		p = "!" + p
	}
	w.labels++
	w.add(textLine{kind: skip, src: []string{p}, label: w.labels})
	w.inside(func() {
		for range 1 + w.IntN(4) {
			w.instruction(f[w.IntN(len(f))])
		}
		w.keepOrAssign()
		if w.IntN(4) == 0 {
			w.chain()
			w.keepOrAssign()
		}
		if w.IntN(6) == 0 {
			w.add(textLine{kind: finish, src: []string{w.register('p')}})
		}
	})
	w.add(textLine{kind: shut})
}

// rounds repeats some instructions a constant number of times.
func (w *writer) rounds(f []form) {
	if w.labels >= 7 {
		return
	}
	if len(w.vars['r'])+len(w.vars['d']) == 0 {
		if w.depth > 0 {
			return
		}
		w.variable()
	}
	w.labels++
	label := w.labels
	w.add(textLine{kind: loop, src: []string{fmt.Sprint([]int{1, 2, 3, 4, 5, 8, 17}[w.IntN(7)])}, label: label})
	w.inside(func() {
		if w.IntN(2) == 0 {
			w.have['r'] = append(w.have['r'], fmt.Sprintf("%%k%d", label))
		}
		w.looped++
		for range 1 + w.IntN(4) {
			w.instruction(f[w.IntN(len(f))])
		}
		w.looped--
		w.keepOrAssign()
	})
	w.add(textLine{kind: shut})
}

// keepOrAssign lets something be seen of what a branch or loop computes.
func (w *writer) keepOrAssign() {
	c := "rd"[w.IntN(2)]
	if v := w.vars[c]; len(v) > 0 && w.IntN(3) > 0 {
		w.add(textLine{op: map[byte]string{'r': "mov.b32", 'd': "mov.b64"}[c], dst: v[w.IntN(len(v))], src: []string{w.register(c)}})
		return
	}
	w.store(w.anything(), "")
}

// anything is a register whose value is looked at, of late ones more often.
func (w *writer) anything() string {
	cs := "rrdd"
	if w.floats {
		cs = "rrddfe"
	}
	return w.register(cs[w.IntN(len(cs))])
}

// slots is how many results a text may store.
const slots = outBytes / 8

func (w *writer) store(o, guard string) {
	if w.stored == slots {
		return
	}
	op := map[byte]string{'r': "st.global.u32", 'k': "st.global.u32", 'd': "st.global.u64", 'f': "st.global.f32", 'e': "st.global.f64"}[o[1]]
	w.add(textLine{kind: keep, guard: guard, op: op, src: []string{o}, at: 8 * w.stored})
	w.stored++
}

// carried is a sum or product of two words with a carry between.
func (w *writer) carried() {
	pairs := [][2]string{{"add.cc.u32", "addc.u32"}, {"sub.cc.u32", "subc.u32"}, {"mad.lo.cc.u32", "madc.hi.u32"}, {"add.cc.s32", "addc.s32"}}
	k := w.IntN(len(pairs))
	for _, op := range pairs[k] {
		src := []string{w.register('r'), w.argument('r', false)}
		if op == "sub.cc.u32" { // from the upper half of a product ptxas subtracts wrongly: error 47
			src[0] = fmt.Sprintf("%%r%d", w.IntN(6))
		}
		if k == 2 {
			src = append(src, w.register('r'))
		}
		dst := w.fresh('r')
		w.add(textLine{op: op, dst: dst, src: src})
		w.have['r'] = append(w.have['r'], dst)
	}
}

// small loads a byte or two of an input, or takes halves of 64 bits.
func (w *writer) small() {
	switch w.IntN(4) {
	case 0, 1:
		t := []string{"u8", "s8", "u16", "s16"}[w.IntN(4)]
		at := w.IntN(40)
		if t[1:] == "16" {
			at &^= 1
		}
		c := "rrd"[w.IntN(3)]
		dst := w.fresh(c)
		w.add(textLine{op: "ld.global." + t, dst: dst, src: []string{fmt.Sprintf("[%%in+%d]", at)}})
		w.have[c] = append(w.have[c], dst)
	case 2:
		dst := w.fresh('d')
		w.add(textLine{op: "mov.b64", dst: dst, src: []string{fmt.Sprintf("{%s, %s}", w.register('r'), w.register('r'))}})
		w.have['d'] = append(w.have['d'], dst)
	case 3:
		dst := w.fresh('r')
		op := []string{"shr.u64", "shr.s64"}[w.IntN(2)]
		wide := w.fresh('d')
		w.add(textLine{op: op, dst: wide, src: []string{w.register('d'), "32"}})
		w.add(textLine{op: "cvt.u32.u64", dst: dst, src: []string{wide}})
		w.have['d'] = append(w.have['d'], wide)
		w.have['r'] = append(w.have['r'], dst)
	}
}

// tested compares bits of a value, mostly with zero: what is computed on the way has no other use, so the assembler is free to
// do all of it in one instruction.
func (w *writer) tested() {
	c, t, bits := "r", "32", 32
	if w.IntN(3) > 0 {
		c, t, bits = "d", "64", 64
	}
	x := w.register(c[0])
	step := func(op string, src ...string) {
		dst := w.fresh(c[0])
		w.add(textLine{op: op + t, dst: dst, src: append([]string{x}, src...)})
		x = dst
	}
	mask := func() string { return fmt.Sprint(w.number(32) << (32 * w.IntN(bits/32))) }
	for range 1 + w.IntN(2) {
		switch w.IntN(6) {
		case 0, 1:
			step("xor.b", "-1") // not.b64 is error 51
		case 2:
			step([]string{"and.b", "or.b", "xor.b"}[w.IntN(3)], w.register(c[0]))
		case 3:
			step([]string{"shl.b", "shr.u", "shr.s"}[w.IntN(3)], w.count())
		case 4:
			step("xor.b", mask())
		case 5:
			step([]string{"add.u", "sub.s"}[w.IntN(2)], w.argument(c[0], false))
		}
	}
	if w.IntN(4) > 0 {
		step("and.b", mask())
	}
	p := w.fresh('p')
	op := []string{"eq", "ne", "ne", "eq", "lt", "ge", "le", "gt"}[w.IntN(8)]
	with := []string{"0", "0", "0", "1", mask()}[w.IntN(5)]
	if op != "eq" && op != "ne" && with == "0" { // error 52
		with = "2"
	}
	w.add(textLine{op: "setp." + op + "." + []string{"u", "s"}[w.IntN(2)] + t, dst: p, src: []string{x, with}})
	w.have['p'] = append(w.have['p'], p)
}

// results stores what was computed last, and the variables.
func (w *writer) results() {
	for _, c := range "rd" {
		for _, v := range w.vars[byte(c)] {
			w.store(v, "")
		}
	}
	for _, c := range "rdfep" {
		h := w.have[byte(c)]
		for i := max(len(h)-3, 0); i < len(h); i++ {
			o := h[i]
			if c == 'p' {
				o = w.fresh('r')
				w.add(textLine{op: "selp.u32", dst: o, src: []string{"1", "0", h[i]}})
			}
			w.store(o, "")
		}
	}
}

// invocations are how many run of a text, each with a record of its own, and launches how many times, with other parameters.
const (
	invocations = 32
	launches    = 2
)

// fillRecords makes the inputs of a text: many of them its constants and what is next to them.
func fillRecords(seed uint64, pool []uint64) (records []byte, scalars [launches][3]uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x76616C73))
	w := &writer{Rand: rng}
	word := func(bits int) uint64 {
		v := w.number(bits)
		if len(pool) > 0 && rng.IntN(2) == 0 {
			v = pool[rng.IntN(len(pool))]
			switch rng.IntN(8) {
			case 0:
				v++
			case 1:
				v--
			case 2:
				v = -v
			case 3:
				v = ^v
			}
		}
		return v
	}
	for range invocations {
		for range 4 {
			records = binary.LittleEndian.AppendUint32(records, uint32(word(32)))
		}
		for range 3 {
			records = binary.LittleEndian.AppendUint64(records, word(64))
		}
		e0 := doubleOf(rng, word(64))
		records = binary.LittleEndian.AppendUint64(records, e0)
		for range 2 {
			records = binary.LittleEndian.AppendUint32(records, singleOf(rng, uint32(word(32))))
		}
		records = binary.LittleEndian.AppendUint64(records, doubleOf(rng, word(64)))
	}
	for i := range scalars {
		scalars[i] = [3]uint64{word(32), word(32), word(64)}
	}
	return records, scalars
}

// singleOf and doubleOf are floats at which instructions change what they do, and others; no NaNs but the one that GPUs make.
func singleOf(rng *rand.Rand, bits uint32) uint32 {
	switch rng.IntN(4) {
	case 0:
		return math.Float32bits([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, 2.5, -2.5, 3e38, 1e-45, float32(math.Inf(1)), float32(math.Inf(-1)), 2147483520, 4294967040, 9.2e18, 0.99999994}[rng.IntN(16)])
	case 1:
		return math.Float32bits(float32(int32(bits)))
	case 2:
		return bits&(1<<32-1)&^(0xFF<<23) | uint32(120+rng.IntN(16))<<23
	}
	if bits>>23&0xFF == 0xFF && bits<<9 != 0 {
		return 0x7FFFFFFF
	}
	return bits
}

func doubleOf(rng *rand.Rand, bits uint64) uint64 {
	switch rng.IntN(4) {
	case 0:
		return math.Float64bits([]float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, 1e300, 5e-324, math.Inf(1), math.Inf(-1), 2147483647.5, 9.3e18, 1.8446744073709552e19, 1 << 52, 1e-310}[rng.IntN(16)])
	case 1:
		return math.Float64bits(float64(int64(bits)))
	case 2:
		return bits&^(0x7FF<<52) | uint64(1016+rng.IntN(16))<<52
	}
	if bits>>52&0x7FF == 0x7FF && bits<<12 != 0 {
		return 0x7FF8000000000000
	}
	return bits
}
