package arm64

import (
	"fmt"
	"strings"
	"sync"
)

// Operands of the table, as they are named there:
//
//	Xd Wd …     a general register; the letter says where its number stands: d, n, m or a
//	vd.4s       a vector register; 3.4s is vd.4s vn.4s vm.4s, and 2.4s likewise
//	vd.s5 …     a lane of one; vnm.16b stands in both places
//	sd dd qd bd a register as a scalar
//	{vd.4s}     a list of one, {vnn.16b} of two that follow each other; with q behind it a lane
//	[n] [u3] [s9] [p]   memory: at a base; plus multiples of 8, up to 4095; plus bytes, signed; of pairs, multiples of 16
//	#12 …       a constant, in one of many ways
//	<6 sxtw3    how the operand before is shifted
//	L26         a place in the code
//	c !c +c     a condition; turned around; as part of the name
//	=ish        stands so
type operand struct {
	kind  byte
	where []field
	text  string
	args  int
}

// field is some bits of an instruction.
type field struct{ at, width uint8 }

func (f field) mask() uint32        { return (1<<f.width - 1) << f.at }
func (f field) of(w uint32) uint32  { return w >> f.at & (1<<f.width - 1) }
func (f field) put(v uint32) uint32 { return v & (1<<f.width - 1) << f.at }

// form is a row, taken apart.
type form struct {
	operands []operand
	mask     uint32 // of what no operand stands in
}

var (
	forms     [numInsts]form
	makeForms sync.Once // programs that make no code for arm64 do not need them
)

func parseForms() {
	for i := none + 1; i < numInsts; i++ {
		f := &forms[i]
		f.mask = ^uint32(0)
		spec := rows[i].operands
		spec = strings.ReplaceAll(spec, "3.", "vd.@ vn.@ vm.@")
		spec = strings.ReplaceAll(spec, "2.", "vd.@ vn.@")
		if a := rows[i].operands; strings.Contains(spec, "@") {
			arrangement, _, _ := strings.Cut(a[2:], " ")
			spec = strings.Replace(spec, "@"+arrangement, "@", 1)
			spec = strings.ReplaceAll(spec, "@", arrangement)
		}
		for _, s := range strings.Fields(spec) {
			o := parseOperand(s)
			for _, w := range o.where {
				f.mask &^= w.mask()
			}
			f.operands = append(f.operands, o)
		}
	}
}

var places = map[byte]uint8{'d': 0, 'n': 5, 'm': 16, 'a': 10}

func parseOperand(s string) operand {
	reg := func(c byte) field { return field{places[c], 5} }
	switch s[0] {
	case '=':
		return operand{kind: '=', text: s[1:]}
	case 'X', 'W':
		return operand{'X', []field{reg(s[1])}, strings.ToLower(s[:1]), 1}
	case 's', 'd', 'q', 'b':
		if s == "sxtw3" {
			return operand{'x', []field{{10, 3}}, "", 1}
		}
		return operand{'S', []field{reg(s[1])}, s[:1], 1}
	case 'v':
		name, arrangement, _ := strings.Cut(s, ".")
		switch {
		case name == "vnm":
			return operand{'2', []field{{5, 5}, {16, 5}}, arrangement, 1}
		case len(arrangement) == 2 && arrangement[1] >= '4' && arrangement[1] <= '5' && arrangement[0] > '9':
			size := map[byte]uint8{'s': 2, 'd': 3}[arrangement[0]]
			at := map[byte]field{'5': {16 + size + 1, 4 - size}, '4': {11 + size, 4 - size}}[arrangement[1]]
			return operand{'l', []field{reg(s[1]), at}, arrangement[:1], 2}
		}
		return operand{'v', []field{reg(s[1])}, arrangement, 1}
	case '{':
		name, after, _ := strings.Cut(s[1:], "}")
		v, arrangement, _ := strings.Cut(name, ".")
		switch {
		case after == "q" && arrangement == "s":
			return operand{'q', []field{reg(v[1]), {12, 1}, {30, 1}}, "s", 2}
		case after == "q":
			return operand{'q', []field{reg(v[1]), {30, 1}}, "d", 2}
		}
		if len(v) == 3 {
			return operand{'t', []field{reg(v[1])}, arrangement, 1}
		}
		return operand{'{', []field{reg(v[1])}, arrangement, 1}
	case '[':
		base := field{5, 5}
		switch s[1] {
		case 'n':
			return operand{'[', []field{base}, "", 1}
		case 'u':
			return operand{'u', []field{base, {10, 12}}, s[2:3], 2}
		case 's':
			return operand{'o', []field{base, {12, 9}}, "", 2}
		}
		return operand{'p', []field{base, {15, 7}}, "", 2}
	case '<':
		return operand{'<', []field{{10, s[1] - '0'}}, "", 1}
	case 'L':
		return operand{'L', map[string][]field{"L26": {{0, 26}}, "L19": {{5, 19}}, "L14": {{5, 14}}, "L21": {{29, 2}, {5, 19}}}[s], s, 0}
	case '!':
		return operand{'!', []field{{12, 4}}, "", 1}
	case 'c':
		return operand{'c', []field{{12, 4}}, "", 1}
	case '+':
		return operand{'+', []field{{0, 4}}, "", 1}
	}
	return operand{'#', constants[s[1:]], s[1:], constantArgs(s[1:])}
}

func constantArgs(kind string) int {
	if kind[0] == 'z' || kind[0] == 'k' {
		return 2
	}
	return 1
}

// constants are where the bits of constants stand: of moves 16 bits and by how much they are shifted, and so on.
var constants = map[string][]field{
	"z1": {{5, 16}, {21, 1}}, "z2": {{5, 16}, {21, 2}}, "k1": {{5, 16}, {21, 1}}, "k2": {{5, 16}, {21, 2}}, "n": {{5, 16}},
	"12": {{10, 12}}, "b": {{19, 5}}, "l5": {{16, 6}, {10, 6}}, "l6": {{16, 6}, {10, 6}}, "r5": {{16, 5}}, "r6": {{16, 6}},
	"s5": {{16, 5}}, "s6": {{16, 6}}, "t5": {{16, 5}}, "t6": {{16, 6}}, "e": {{11, 4}}, "i": {{5, 5}, {16, 3}},
}

// encode returns the bits of an operand.
func (o *operand) encode(v []uint32) uint32 {
	w := o.where
	switch o.kind {
	case 'l':
		return w[0].put(v[0]) | w[1].put(v[1])
	case 'q':
		if len(w) == 2 {
			return w[0].put(v[0]) | w[1].put(v[1])
		}
		return w[0].put(v[0]) | w[1].put(v[1]) | w[2].put(v[1]>>1)
	case '2':
		return w[0].put(v[0]) | w[1].put(v[0])
	case 'u':
		return w[0].put(v[0]) | w[1].put(v[1]>>(o.text[0]-'0'))
	case 'o':
		return w[0].put(v[0]) | w[1].put(v[1])
	case 'p':
		return w[0].put(v[0]) | w[1].put(uint32(int32(v[1])>>4))
	case '!':
		return w[0].put(v[0] ^ 1)
	case '#':
		return o.constant(v)
	}
	return w[0].put(v[0])
}

// constant returns the bits of a constant.
func (o *operand) constant(v []uint32) uint32 {
	w, size := o.where, uint32(32)
	if o.text[len(o.text)-1] == '6' {
		size = 64
	}
	switch o.text[0] {
	case 'z', 'k':
		return w[0].put(v[0]) | w[1].put(v[1])
	case 'l': // a rotation to the right, and the highest bit that stays
		return w[0].put((size-v[0])%size) | w[1].put(size-1-v[0])
	case 't':
		return w[0].put(size - v[0])
	case 'i':
		return w[0].put(v[0]) | w[1].put(v[0]>>5)
	}
	return w[0].put(v[0])
}

// read writes an operand as GNU tools do; not at all if it is "" and ok. label names what is n bytes away.
func (o *operand) read(w uint32, label func(n int) string) (text string, ok bool) {
	f := o.where
	var v uint32
	if len(f) > 0 {
		v = f[0].of(w)
	}
	switch o.kind {
	case '=':
		return o.text, true
	case 'X':
		if v == 31 {
			return o.text + "zr", true
		}
		return fmt.Sprintf("%s%d", o.text, v), true
	case 'S':
		return fmt.Sprintf("%s%d", o.text, v), true
	case '2':
		return fmt.Sprintf("v%d.%s", v, o.text), f[1].of(w) == v
	case 'v':
		return fmt.Sprintf("v%d.%s", v, o.text), true
	case 'l':
		return fmt.Sprintf("v%d.%s[%d]", v, o.text, f[1].of(w)), true
	case 'q':
		n := f[1].of(w)
		if len(f) == 3 {
			n |= f[2].of(w) << 1
		}
		return fmt.Sprintf("{v%d.%s}[%d]", v, o.text, n), true
	case '{':
		return fmt.Sprintf("{v%d.%s}", v, o.text), true
	case 't':
		return fmt.Sprintf("{v%d.%s, v%d.%s}", v, o.text, (v+1)%32, o.text), true
	case '[', 'u', 'o', 'p':
		return o.readMemory(w), true
	case '<':
		if v == 0 {
			return "", true
		}
		return fmt.Sprintf("lsl #%d", v), true
	case 'x':
		if v == 0 {
			return "sxtw", true
		}
		return fmt.Sprintf("sxtw #%d", v), v <= 4
	case 'c', '+':
		return conditions[v], v < 14
	case '!':
		return conditions[v^1], v < 14
	case 'L':
		if o.text == "L21" {
			return label(int(int32(f[1].of(w)<<13)>>11 | int32(v))), true
		}
		n := 32 - f[0].width
		return label(int(int32(v<<n) >> n * 4)), true
	}
	return o.readConstant(w)
}

func (o *operand) readMemory(w uint32) string {
	base := fmt.Sprintf("x%d", o.where[0].of(w))
	if base == "x31" {
		base = "sp"
	}
	if o.kind == '[' {
		return "[" + base + "]"
	}
	n := int32(o.where[1].of(w))
	switch o.kind {
	case 'u':
		n <<= o.text[0] - '0'
	case 'o':
		n = n << 23 >> 23
	case 'p':
		n = n << 25 >> 25 * 16
	}
	if n == 0 {
		return "[" + base + "]"
	}
	return fmt.Sprintf("[%s, #%d]", base, n)
}

func (o *operand) readConstant(w uint32) (string, bool) {
	f := o.where
	v, size := f[0].of(w), uint32(32)
	if o.text[len(o.text)-1] == '6' {
		size = 64
	}
	switch o.text[0] {
	case 'z':
		by := f[1].of(w) * 16
		return fmt.Sprintf("#%#x", uint64(v)<<by), v != 0 || by == 0
	case 'k':
		if by := f[1].of(w) * 16; by > 0 {
			return fmt.Sprintf("#%#x, lsl #%d", v, by), true
		}
	case 'n':
		return fmt.Sprintf("#%#x", ^uint64(v)), true
	case 'l':
		n := size - 1 - f[1].of(w)
		return fmt.Sprintf("#%d", n), f[1].of(w) < size-1 && v == size-n
	case 'r', 's', 'e', 'b':
		if o.text[0] != 's' {
			break
		}
		return fmt.Sprintf("#%d", v), true
	case 't':
		return fmt.Sprintf("#%d", size-v), true
	case 'i':
		v |= f[1].of(w) << 5
	}
	switch o.text[0] {
	case 'r', 'e', 'b':
		return fmt.Sprintf("#%d", v), true
	}
	return fmt.Sprintf("#%#x", v), true
}

var conditions = [16]string{"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"}
