package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// AVX-512 has one instruction for any function of three bits, vpternlog. fuse makes one of every tree of logic on up to
// three values: a choice and a majority, as in hashes, a not beside anything, a mask that joins or chooses lanes.

// logic is what a register holds bit by bit: a function of up to three others. Bit k of the table is its value where the
// first of them is bit 2 of k, the second bit 1, the third bit 0.
type logic struct {
	of    [3]vreg
	n     int8 // how many of them there are
	table uint8
	at    int32 // the instruction
	loop  int32 // how many loops begin or end before it
}

// itself is a register as a function of itself.
func itself(v vreg) logic { return logic{of: [3]vreg{v}, n: 1, table: 0xF0} }

// value is the function where the k-th register of all has bit 2−k of n.
//
//go:noinline
func (l *logic) value(all []vreg, n uint8) uint8 {
	index := uint8(0)
	for i, v := range l.of[:l.n] {
		for k, w := range all {
			if v == w {
				index |= n >> (2 - k) & 1 << (2 - i)
			}
		}
	}
	return l.table >> index & 1
}

// tables has, by instruction, its table if it goes by bits; that with three operands is a blend by a mask that has all bits of a
// lane or none.
var tables = [256]uint8{amd64.VPAND: 0xC0, amd64.VPANDN: 0x0C, amd64.VPOR: 0xFC, amd64.VPXOR: 0x3C, amd64.VBLENDVPS: 0xD8, amd64.VBLENDVPD: 0xD8}

// fusing is a function on its way through fuse.
type fusing struct {
	*function
	defs       []int32 // by register: how many instructions write it
	reads      []int32 // by register: how many read it that are not logic
	last       []int32 // by register: the instruction that wrote it last, so far
	known      []int32 // by register: which of all is known of it, where it is written once; 0: nothing is
	all        []logic // from 1 on
	masks      []bool  // by register: every lane of 32 bits has all its bits or none
	ones, zero vreg
	loop       int32
}

func (f *function) fuse() {
	n := len(f.vregs)
	s := &fusing{function: f, defs: make([]int32, n), reads: make([]int32, n), last: make([]int32, n), known: make([]int32, n), all: make([]logic, 1, 64),
		masks: f.findMasks(), ones: f.constantOf(^uint64(0)), zero: f.constantOf(0)}
	for i := range f.ins {
		if _, n := s.operands(&f.ins[i]); n == 0 {
			for v := range f.ins[i].reads() {
				s.reads[v]++
			}
		}
		for v := range f.ins[i].writes() {
			s.defs[v]++
		}
	}
	for i := range f.ins {
		in := &f.ins[i]
		if in.form == formLoop || in.form == formLoopEnd {
			s.loop++
		}
		l, ok := s.logic(i)
		for v := range in.writes() {
			s.last[v], s.known[v] = int32(i), 0
		}
		if ok && s.defs[in.d] == 1 {
			s.known[in.d] = int32(len(s.all))
			s.all = append(s.all, l)
		}
	}
	f.dce()
}

// constantOf returns the register of a constant, if the program has it.
func (f *function) constantOf(bits uint64) vreg {
	if v, ok := f.banked[entry{from: fromConst, bits: bits}]; ok {
		return v
	}
	return noReg
}

// operands are the registers that an instruction by bits has, in the order of its table; 0 of others.
//
//go:noinline
func (s *fusing) operands(in *ins) (of [3]vreg, n int) {
	switch {
	case in.form == form3 || in.form == form3Swap:
		if tables[in.op] != 0 {
			return [3]vreg{in.a, in.b}, 2
		}
	case in.form == form4 && s.masks[in.c]:
		return [3]vreg{in.a, in.b, in.c}, 3
	}
	return of, 0
}

// logic makes an instruction one with those that it reads, where it can, and returns what it computes.
func (s *fusing) logic(at int) (l logic, ok bool) {
	in := &s.ins[at]
	operands, n := s.operands(in)
	if n == 0 {
		return l, false
	}
	var inner, whole [3]logic
	fusible := 0
	for k, v := range operands[:n] {
		switch whole[k] = itself(v); v {
		case s.ones:
			whole[k] = logic{table: 0xFF}
		case s.zero:
			whole[k] = logic{table: 0}
		default:
			if s.fusible(v) {
				inner[k] = s.all[s.known[v]]
				fusible |= 1 << k
			}
		}
	}
	for _, set := range subsets[n-2] {
		if set&^fusible != 0 {
			continue
		}
		from := whole
		for k := range operands[:n] {
			if set>>k&1 != 0 {
				from[k] = inner[k]
			}
		}
		if l, ok = compose(tables[in.op], from[:n]); ok {
			l.at, l.loop = int32(at), s.loop
			if set != 0 || in.form == form4 && in.d == in.a { // a merge has its result in place
				in.become(&l)
			}
			return l, true
		}
	}
	return l, false
}

// subsets are those of two and of three operands, the larger ones first.
var subsets = [2][]int{{3, 1, 2, 0}, {7, 3, 5, 6, 1, 2, 4, 0}}

// fusible reports whether what writes a register can be done again where it is read: what it was made of is still there, and
// as only logic reads it, it will not have to be done where it is.
//
//go:noinline
func (s *fusing) fusible(v vreg) bool {
	l := &s.all[s.known[v]]
	if s.known[v] == 0 || s.reads[v] > 0 || l.loop != s.loop {
		return false
	}
	for _, from := range l.of[:l.n] {
		if s.last[from] > l.at {
			return false
		}
	}
	return true
}

// compose is a function of functions, false if it is one of more than three registers, or of none.
//
//go:noinline
func compose(table uint8, from []logic) (out logic, ok bool) {
	var room [9]vreg
	all := room[:0]
	for i := range from {
		for _, v := range from[i].of[:from[i].n] {
			if !contains(all, v) {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 || len(all) > 3 {
		return out, false
	}
	out.n = int8(copy(out.of[:], all))
	for n := range uint8(8) {
		index := uint8(0)
		for k := range from {
			index |= from[k].value(all, n) << (2 - k)
		}
		out.table |= table >> index & 1 << n
	}
	return out, true
}

//go:noinline
func contains(vs []vreg, v vreg) bool {
	for _, w := range vs {
		if w == v {
			return true
		}
	}
	return false
}

// become makes an instruction one for any logic.
func (in *ins) become(l *logic) {
	of := l.of
	for k := l.n; k < 3; k++ {
		of[k] = of[0]
	}
	*in = ins{form: formLogic, op: amd64.VPTERNLOGD, imm: l.table, row: in.row, d: in.d, a: of[0], b: of[1], c: of[2]}
}

// findMasks finds the registers of which every lane of 32 bits always has all bits or none: all but those that
// something else is written to.
func (f *function) findMasks() []bool {
	masks := make([]bool, len(f.vregs))
	for v := range masks {
		masks[v] = f.vregs[v].home == homeless
	}
	for e, v := range f.banked {
		lo, hi := uint32(e.bits), uint32(e.bits>>32)
		masks[v] = e.from == fromConst && lo+1 <= 1 && hi+1 <= 1
	}
	s := settling{read: f.indexReads}
	s.look = func(i int) {
		in := &f.ins[i]
		if in.makesMask(masks) {
			return
		}
		for v := range in.writes() {
			if masks[v] {
				masks[v] = false
				s.change(int(v))
			}
		}
	}
	s.run(len(f.ins))
	return masks
}

// makesMask reports whether what an instruction writes is a mask, if masks says so of what it reads.
func (in *ins) makesMask(masks []bool) bool {
	switch {
	case in.form == formMacro:
		return false
	case in.compares():
		return true
	case in.form == formMove:
		return masks[in.a]
	case in.form == form4:
		return masks[in.a] && masks[in.b]
	case in.form == form3 || in.form == form3Swap:
		return tables[in.op] != 0 && masks[in.a] && masks[in.b]
	case in.op == amd64.VPMOVSXDQ, in.op == amd64.VPERMQ, in.op == amd64.VPSHUFD:
		return masks[in.a]
	case in.op == amd64.VSHUFPS:
		return masks[in.a] && masks[in.b]
	}
	return false
}

// compares reports whether an instruction compares.
func (in *ins) compares() bool {
	switch in.form {
	case form3, form3Swap, form3Imm:
		return in.op >= amd64.VPCMPEQD && in.op <= amd64.VPCMPGTQ || in.op == amd64.VCMPPS || in.op == amd64.VCMPPD
	}
	return false
}
