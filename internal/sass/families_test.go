package sass_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// writer writes a random text.
type writer struct {
	*rand.Rand
	t      *text
	have   map[byte][]string // registers that may be read, by class
	vars   map[byte][]string // of them: those that may be written again
	next   map[byte]int
	labels int
	depth  int
	looped int // of depth: how many loops
	stored int
	floats bool
	pool   []uint64 // constants that stand in the text
}

// form is an instruction: the class of what it writes, and of what it reads: a letter of a register's class, or
// R a register, c a constant of 32 bits, n a count, j a position within a word, k a count below 256, b a position of a byte, z and y divisors, m a selector of bytes, t a truth table.
type form struct {
	op   string
	dst  byte
	args string
}

// families are forms that belong together: chains are made of one of them, with some of the others between. There is no abs of
// integers, which ptxas takes for what has no sign: error 21. Nor are bits of 64-bit words counted, reversed or inverted by not: errors 48 and 51. Floats are
// chosen as bits: error 53.
var families = []struct {
	name  string
	forms []form
}{
	{"sums", list("add.u32 r rr|sub.u32 r rr|add.s32 r rr|sub.s32 r rr|neg.s32 r r|add.u64 d dd|sub.s64 d dd|add.s64 d dd|sub.u64 d dd|neg.s64 d d|sad.u32 r rrr|sad.s32 r rrr|not.b32 r r|cvt.u64.u32 d r|cvt.s64.s32 d r|cvt.u32.u64 r d|cnot.b32 r r|cnot.b64 d d")},
	{"shifts", list("shl.b32 r rn|shr.u32 r rn|shr.s32 r rn|shl.b64 d dn|shr.u64 d dn|shr.s64 d dn|shf.l.wrap.b32 r rrn|shf.r.wrap.b32 r rrn|shf.l.clamp.b32 r rrn|shf.r.clamp.b32 r rrn|bfe.u32 r rjk|bfe.s32 r rjk|bfe.u64 d djk|bfe.s64 d djk|bfi.b32 r rrjk|bfi.b64 d ddjk|add.u32 r rr|or.b32 r rr|or.b64 d dd|add.u64 d dd|and.b32 r rc|brev.b32 r r|clz.b32 r r|popc.b32 r r|bfind.u32 r r|bfind.s32 r r|bfind.shiftamt.u32 r r")},
	{"choices", list("min.s32 r rr|max.s32 r rr|min.u32 r rr|max.u32 r rr|min.s64 d dd|max.s64 d dd|min.u64 d dd|max.u64 d dd|selp.b32 r rrp|selp.b64 d ddp|selp.u32 r ccp|setp.eq.s32 p rr|setp.ne.s32 p rr|setp.lt.s32 p rr|setp.le.u32 p rr|setp.gt.u32 p rr|setp.ge.s32 p rr|setp.eq.s64 p dd|setp.ne.u64 p dd|setp.lt.s64 p dd|setp.lt.u64 p dd|setp.ge.s64 p dd|setp.le.u64 p dd|setp.lt.and.s32 p rrp|setp.eq.or.u32 p rrp|setp.ne.xor.s32 p rrp|setp.ge.and.u64 p ddp|setp.lt.or.s64 p ddp|and.pred p pp|or.pred p pp|xor.pred p pp|not.pred p p|slct.s32.s32 r rrR|slct.u64.s32 d ddR|set.lt.u32.s32 r rr|set.eq.s32.u32 r rr|set.ge.u32.u64 r dd|neg.s32 r r|add.s32 r rc|sub.s32 r rr|and.b32 r rc|not.b32 r r")},
	{"products", list("mul.lo.u32 r rr|mul.hi.u32 r rr|mul.hi.s32 r rr|mul.wide.u32 d rr|mul.wide.s32 d rr|mad.lo.s32 r rrr|mad.hi.u32 r rrr|mad.hi.s32 r rrr|mad.wide.u32 d rrd|mad.wide.s32 d rrd|mul.lo.s64 d dd|mul.lo.u64 d dc|mul.hi.u64 d dd|mul.hi.s64 d dd|mad.lo.u64 d ddd|mad.lo.s64 d dcd|add.u64 d dd|sub.u64 d dd|shl.b64 d dn|shl.b32 r rn|add.u32 r rr|shr.u64 d dn|cvt.u64.u32 d r|cvt.s64.s32 d r|cvt.u32.u64 r d|neg.s64 d d|mul.wide.u16 r hh|mul.wide.s16 r hh|cvt.u16.u32 h r")},
	{"logic", list("and.b32 r rr|or.b32 r rr|xor.b32 r rr|not.b32 r r|lop3.b32 r rrrt|and.b64 d dd|or.b64 d dd|xor.b64 d dd|and.b32 r rc|or.b32 r rc|xor.b32 r rc|and.b64 d dc|xor.b64 d dc|or.b64 d dc|lop3.b32 r rrct|shl.b32 r rn|shr.u32 r rn|shr.s32 r rn|add.u32 r rr|sub.u32 r rr|neg.s32 r r|setp.eq.u32 p rr|setp.ne.u32 p rr|selp.b32 r rrp|cnot.b32 r r|popc.b32 r r")},
	{"bytes", list("prmt.b32 r rrm|prmt.b32 r rrm|prmt.b32 r rcm|prmt.b32 r rrr|bfe.u32 r rbb|bfe.s32 r rbb|bfi.b32 r rrbb|cvt.u32.u8 r r|cvt.s32.s8 r r|cvt.u32.u16 r h|cvt.s32.s16 r h|cvt.u16.u32 h r|cvt.s64.s8 d r|cvt.u64.u16 d h|add.u16 h hh|sub.s16 h hh|mul.lo.u16 h hh|shl.b16 h hn|shr.u16 h hn|shr.s16 h hn|and.b16 h hh|or.b16 h hh|xor.b16 h hh|not.b16 h h|neg.s16 h h|min.s16 h hh|max.u16 h hh|selp.b16 h hhp|setp.lt.s16 p hh|setp.eq.u16 p hh|mad.lo.u16 h hhh|cvt.s16.s8 h r|cvt.u16.u8 h h|and.b32 r rc|or.b32 r rr|shl.b32 r rb|shr.u32 r rb|add.u32 r rr|cvt.sat.u8.s32 r r|cvt.sat.s8.s32 r r|cvt.sat.s16.s32 h r|cvt.sat.u16.u32 h r|cvt.sat.u32.s32 r r|cvt.sat.s32.s64 r d|cvt.sat.u32.s64 r d|cvt.sat.s32.u32 r r|dp4a.u32.u32 r rrr|dp4a.s32.s32 r rrr|dp4a.u32.s32 r rrr")},
	{"divisions", list("div.u32 r rz|rem.u32 r rz|div.s32 r rz|rem.s32 r rz|div.u32 r rz|rem.u32 r rz|div.u64 d dy|rem.u64 d dy|div.s64 d dy|rem.s64 d dy|mul.lo.u32 r rr|sub.u32 r rr|add.u32 r rr|and.b32 r rc|shr.u32 r rn|mul.lo.u64 d dc|sub.u64 d dd|cvt.u64.u32 d r|cvt.u32.u64 r d")},
	{"floats", list("add.rn.f32 f ff|sub.rn.f32 f ff|mul.rn.f32 f ff|fma.rn.f32 f fff|neg.f32 f f|abs.f32 f f|min.f32 f ff|max.f32 f ff|selp.b32 f ffp|setp.lt.f32 p ff|setp.eq.f32 p ff|setp.neu.f32 p ff|setp.geu.f32 p ff|setp.gt.f32 p ff|setp.nan.f32 p ff|setp.num.f32 p ff|cvt.rn.f32.s32 f r|cvt.rn.f32.u32 f r|cvt.rzi.s32.f32 r f|cvt.rzi.u32.f32 r f|cvt.rni.s32.f32 r f|cvt.rmi.s32.f32 r f|cvt.rni.f32.f32 f f|cvt.rzi.f32.f32 f f|cvt.rpi.f32.f32 f f|mov.b32 f r|slct.f32.s32 f ffR|cvt.sat.f32.f32 f f|cvt.rn.f32.u16 f h|cvt.rn.f32.s8 f r|div.rn.f32 f ff|sqrt.rn.f32 f f|rcp.rn.f32 f f|and.b32 r rc|bfe.u32 r rbb|setp.lt.and.f32 p ffp")},
	{"doubles", list("add.rn.f64 e ee|sub.rn.f64 e ee|mul.rn.f64 e ee|fma.rn.f64 e eee|neg.f64 e e|abs.f64 e e|min.f64 e ee|max.f64 e ee|selp.b64 e eep|setp.lt.f64 p ee|setp.eq.f64 p ee|setp.neu.f64 p ee|setp.geu.f64 p ee|cvt.rn.f64.s32 e r|cvt.rn.f64.u32 e r|cvt.rn.f64.s64 e d|cvt.rn.f64.u64 e d|cvt.f64.f32 e f|cvt.rn.f32.f64 f e|cvt.rzi.s32.f64 r e|cvt.rzi.s64.f64 d e|cvt.rzi.u64.f64 d e|cvt.rzi.u64.f32 d f|cvt.rzi.s64.f32 d f|cvt.rn.f32.u64 f d|cvt.rn.f32.s64 f d|mov.b64 e d|cvt.rni.f64.f64 e e")},
}

// list reads forms, separated by bars: "op class arguments".
func list(s string) []form {
	var fs []form
	for _, f := range strings.Split(s, "|") {
		p := strings.Fields(f)
		fs = append(fs, form{p[0], p[1][0], p[2]})
	}
	return fs
}

// randomText writes the kernel of a seed. Without floats it has none.
func randomText(seed uint64, floats bool) (*text, []uint64) {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0x74657874)), t: &text{name: fmt.Sprintf("k%d", seed)}, floats: floats,
		have: make(map[byte][]string), vars: make(map[byte][]string), next: make(map[byte]int)}
	for _, c := range classes {
		w.next[c.name[0]] = firstFree
	}
	for _, in := range inputs {
		if c := in.register[1]; floats || c != 'f' && c != 'e' {
			w.have[c] = append(w.have[c], in.register)
		}
	}
	for range w.IntN(3) {
		w.variable()
	}
	for range 1 + w.IntN(3) {
		w.chain()
	}
	w.results()
	return w.t, w.pool
}

func (w *writer) add(l textLine) { w.t.lines = append(w.t.lines, l) }

// fresh is a register that nothing has written.
func (w *writer) fresh(class byte) string {
	n := w.next[class]
	w.next[class]++
	return fmt.Sprintf("%%%c%d", class, n)
}

// variable makes a register that is written again in branches and loops.
func (w *writer) variable() {
	c := "rrrdd"[w.IntN(5)]
	from := w.value(c)
	v := w.fresh(c)
	w.add(textLine{op: "mov.b" + map[byte]string{'r': "32", 'd': "64"}[c], dst: v, src: []string{from}})
	w.have[c] = append(w.have[c], v)
	w.vars[c] = append(w.vars[c], v)
}

// chain writes a few instructions of a family, and what stands around them.
func (w *writer) chain() {
	n := len(families)
	if !w.floats {
		n -= 2
	}
	f := families[w.IntN(n)].forms
	for range 2 + w.IntN(6) {
		switch w.IntN(12) {
		case 0:
			if w.depth < 2 {
				w.branch(f)
				continue
			}
		case 1:
			if w.depth < 2 && w.IntN(2) == 0 {
				w.rounds(f)
				continue
			}
		case 2:
			w.store(w.anything(), w.predicate())
			continue
		case 3:
			w.carried()
			continue
		case 4:
			w.small()
			continue
		case 5:
			w.tested()
			continue
		}
		g := f
		if w.IntN(5) == 0 {
			g = families[w.IntN(n)].forms
		}
		w.instruction(g[w.IntN(len(g))])
	}
	if w.depth == 0 && w.IntN(8) == 0 {
		w.store(w.anything(), "")
		w.add(textLine{kind: finish, src: []string{w.value('p')}})
	}
}

// instruction writes one.
func (w *writer) instruction(f form) {
	var src []string
	constants := 0
	for i := range len(f.args) {
		a := w.argument(f.args[i], i == 0 && f.args != "ccp" || constants > 0 && f.args != "ccp")
		if !isRegister(a) {
			constants++
		}
		src = append(src, a)
	}
	if f.args[0] != 'c' && len(src) > 1 && f.args[1] == f.args[0] && w.IntN(4) == 0 {
		src[0], src[1] = src[1], src[0]
	}
	if strings.HasPrefix(f.op, "mov.b32") || strings.HasPrefix(f.op, "mov.b64") {
		src[0] = w.register(f.args[0])
	}
	if n := len(src); strings.HasPrefix(f.op, "bf") && n > 2 && !isRegister(src[n-1]) { // beyond the word ptxas is known to be wrong
		pos := 0
		fmt.Sscan(src[n-2], &pos)
		src[n-1] = fmt.Sprint(1 + w.IntN(32-min(pos, 31)))
	}
	if strings.HasPrefix(f.op, "mul.lo.") || strings.HasPrefix(f.op, "mad.lo.") { // by constants ptxas multiplies wrongly what lanes have in common: error 43
		if long := strings.HasSuffix(f.op, "64"); long && !isRegister(src[0]) {
			src[1] = fmt.Sprintf("%%d%d", w.IntN(3))
		} else if long && !isRegister(src[1]) {
			src[0] = fmt.Sprintf("%%d%d", w.IntN(3))
		}
	}
	if strings.HasPrefix(f.op, "set") && strings.Contains(f.op, ".u") { // a choice of -1 and 0 may be less than 0: error 52
		for i, a := range src {
			if a == "0" {
				src[i] = "1"
			}
		}
	}
	if w.looped > 0 && strings.Contains(f.op, ".hi.") { // what is added to upper halves in several rounds may be left out: error 34
		return
	}
	if strings.HasPrefix(f.op, "lop3.") || strings.HasPrefix(f.op, "cvt.sat.") && f.args == "r" {
		// Of a word that comes twice, and of a negation, ptxas is known to be wrong: they are different inputs.
		words := w.Perm(6) // %r0 to %r5
		for i, a := range src[:min(3, len(src))] {
			if isRegister(a) {
				src[i] = fmt.Sprintf("%%r%d", words[i])
			}
		}
	}
	dst := w.fresh(f.dst)
	w.add(textLine{op: f.op, dst: dst, src: src})
	w.have[f.dst] = append(w.have[f.dst], dst)
	if c := f.dst; len(w.vars[c]) > 0 && w.IntN(4) == 0 { // a variable is given the value
		op := "mov.b" + map[byte]string{'r': "32", 'd': "64"}[c]
		w.add(textLine{op: op, dst: w.vars[c][w.IntN(len(w.vars[c]))], src: []string{dst}})
	}
}

// argument is an operand of a class of form; a register if it must be.
func (w *writer) argument(class byte, must bool) string {
	switch class {
	case 'c':
		return w.constant(32)
	case 'n':
		if w.IntN(4) == 0 {
			return w.register('r')
		}
		return w.count()
	case 'j': // ptxas takes the sign of bits beyond a word for 1
		return fmt.Sprint(w.IntN(32))
	case 'k':
		if w.IntN(4) > 0 {
			return w.count()
		}
		dst := w.fresh('r')
		w.add(textLine{op: "and.b32", dst: dst, src: []string{w.register('r'), []string{"31", "63", "255"}[w.IntN(3)]}})
		return dst
	case 'b':
		return fmt.Sprint([]int{0, 8, 16, 24, 8, 16, 12, 4}[w.IntN(8)])
	case 'm':
		if w.IntN(2) == 0 {
			return fmt.Sprintf("0x%x", w.IntN(1<<16))
		}
		return []string{"0x5410", "0x7632", "0x3210", "0x4440", "0x4321", "0x0123", "0x8888", "0x9910", "0xbbbb", "0x7770", "0x4140", "0x5140", "0x1054", "0x6420"}[w.IntN(14)]
	case 'R': // of a constant ptxas takes the bits for those of a float
		return w.register('r')
	case 'z', 'y': // no result of a division by zero is the right one
		c := map[byte]byte{'z': 'r', 'y': 'd'}[class]
		bits := map[byte]int{'r': 32, 'd': 64}[c]
		if w.IntN(3) > 0 {
			for {
				if v := w.constant(bits); v != "0" {
					return v
				}
			}
		}
		dst := w.fresh(c)
		w.add(textLine{op: fmt.Sprintf("or.b%d", bits), dst: dst, src: []string{w.register(c), fmt.Sprint(1 << w.IntN(31))}})
		return dst
	case 't':
		return fmt.Sprintf("0x%x", w.IntN(256))
	}
	if !must && class != 'p' && w.IntN(5) < 2 {
		switch class {
		case 'h':
			return fmt.Sprint(int16(w.number(16)))
		case 'r':
			return w.constant(32)
		case 'd':
			return w.constant(64)
		case 'f':
			return fmt.Sprintf("0f%08x", math.Float32bits([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, -3, 1 << 31, 1e-40, 3e38, float32(math.Inf(1)), 255}[w.IntN(12)]))
		case 'e':
			return fmt.Sprintf("0d%016x", math.Float64bits([]float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, -3, 1 << 31, 1e-310, 1e300, math.Inf(1), 1 << 52}[w.IntN(12)]))
		}
	}
	return w.register(class)
}

// count is a number of bits, at which shifts change what they do.
func (w *writer) count() string {
	return fmt.Sprint([]int{0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 33, 63}[w.IntN(14)])
}

// value is a register of a class, which is made if there is none.
func (w *writer) value(class byte) string { return w.register(class) }

func (w *writer) register(class byte) string {
	h := w.have[class]
	if len(h) == 0 || class == 'p' && w.IntN(3) == 0 {
		switch class {
		case 'p':
			return w.compared()
		case 'h':
			dst := w.fresh('h')
			w.add(textLine{op: "cvt.u16.u32", dst: dst, src: []string{w.register('r')}})
			w.have['h'] = append(w.have['h'], dst)
			return dst
		default:
			panic("BUG: no register of class " + string(class))
		}
	}
	if w.IntN(2) == 0 {
		return h[len(h)-1-w.IntN(min(3, len(h)))]
	}
	return h[w.IntN(len(h))]
}

// compared is a predicate: mostly one of equality with a constant, which inputs are equal to often enough.
func (w *writer) compared() string {
	c := "rrd"[w.IntN(3)]
	op := []string{"eq", "ne", "ne", "eq", "lt", "gt"}[w.IntN(6)]
	t := map[byte]string{'r': "32", 'd': "64"}[c]
	p := w.fresh('p')
	w.add(textLine{op: "setp." + op + "." + []string{"u", "s"}[w.IntN(2)] + t, dst: p, src: []string{w.register(c), w.argument(c, false)}})
	w.have['p'] = append(w.have['p'], p)
	return p
}

func (w *writer) predicate() string {
	if w.IntN(2) == 0 {
		return ""
	}
	return []string{"@", "@!"}[w.IntN(2)] + w.register('p')
}

// constant is one of so many bits, as text.
func (w *writer) constant(bits int) string {
	v := w.number(bits)
	w.pool = append(w.pool, v)
	if bits == 32 {
		return fmt.Sprint(int32(v))
	}
	return fmt.Sprint(int64(v))
}

// number is one at which instructions change what they do, or an arbitrary one.
func (w *writer) number(bits int) uint64 {
	mask := uint64(1)<<bits - 1
	if bits == 64 {
		mask = math.MaxUint64
	}
	var v uint64
	switch w.IntN(8) {
	case 0, 1, 2:
		v = uint64(w.IntN(10))
	case 3:
		v = 1 << w.IntN(bits)
	case 4:
		v = 1<<w.IntN(bits) - 1
	case 5:
		v = []uint64{0xFF, 0xFF00, 0xFFFF, 0xFF0000, 0x80, 0x8000, 0x7FFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63, 0x5555555555555555, 10, 100, 641, 3}[w.IntN(16)]
	case 6:
		v = w.Uint64() >> w.IntN(64)
	case 7:
		v = w.Uint64()
	}
	if w.IntN(4) == 0 {
		v = -v
	}
	if w.IntN(8) == 0 {
		v = ^v
	}
	return v & mask
}
