package cases

import (
	"cmp"
	"iter"
	"slices"

	"github.com/govyre/vyre/gpu"
)

type mark struct{ x, y uint32 }

func (p mark) plus(d uint32) uint32 { return p.x + p.y*d }

func (p *mark) move(d uint32) uint32 { p.x += d; p.y ^= d; return p.x }

type ofTwo func(a, b uint32) uint32

func (f ofTwo) swapped(a, b uint32) uint32 { return f(b, a) }

func add(a, b uint32) uint32 { return a + b }

func sub(a, b uint32) uint32 { return a - 2*b }

type operator struct {
	name uint32
	run  ofTwo
}

func each(n uint32, visit func(i uint32)) {
	for i := range n {
		visit(i)
	}
}

func fold[T, A any](n uint32, at func(i uint32) T, first A, f func(A, T) A) A {
	for i := range n {
		first = f(first, at(i))
	}
	return first
}

func adder(n uint32) func(uint32) uint32 { return func(x uint32) uint32 { return x + n } }

func compose(f, g func(uint32) uint32) func(uint32) uint32 {
	return func(x uint32) uint32 { return g(f(x)) }
}

func counter() (next func() uint32, reset func()) {
	n := uint32(0)
	return func() uint32 { n++; return n }, func() { n = 100 }
}

func chosen(k uint32) ofTwo {
	switch k % 3 {
	case 0:
		return add
	case 1:
		return func(a, b uint32) uint32 { return a*b + k%3 }
	}
	return sub
}

func sortBy(s []uint32, less func(a, b uint32) bool) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && less(s[j], s[j-1]); j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

// Closures uses function values whose targets are known.
//
//vyre:kernel workgroup=32
func Closures(t gpu.Thread, in, out []uint32) {
	g := t.Global().X
	if g >= uint32(len(in)) || g >= uint32(len(out)) {
		return
	}
	v := in[g]
	sum := uint32(0)
	grow := func(x uint32) uint32 { sum += x; return sum }
	sum = sum + grow(v&7) + sum*3
	sum += grow(2)
	each(4, func(i uint32) {
		each(i, func(j uint32) {
			if (i+j+v)&3 == 0 {
				return
			}
			sum = sum*5 + i*j
		})
	})
	p := mark{v & 15, 3}
	plus, move := p.plus, p.move
	p.x = 100
	sum += plus(2)*7 + move(5) + p.x
	sum += mark.plus(p, 3) + (*mark).move(&p, 1) + (*mark).plus(&p, 2)
	sum ^= fold(3, func(i uint32) uint32 { return i + v }, mark{1, 2}, func(a mark, x uint32) mark {
		a.x += x
		a.y = a.y*3 + a.x
		return a
	}).y
	next, reset := counter()
	sum += next() + next()*10
	reset()
	sum += next()
	h := compose(compose(adder(1), adder(v&3)), compose(adder(4), func(x uint32) uint32 { return x * 3 }))
	sum += h(sum)
	sum += func(a, b uint32) uint32 { return a<<1 | b }(v&1, sum&1)
	op := operator{run: add}
	sum = op.run(sum, 3) + op.run.swapped(1, 2) + ofTwo(sub).swapped(v, 9)
	var keys [6]uint32
	for k := range keys {
		keys[k] = v >> (4 * k) & 15
	}
	sortBy(keys[:], func(a, b uint32) bool { return a^5 < b^5 })
	for _, k := range keys {
		sum = sum*17 + k
	}
	out[g] = sum
}

// Choices uses function values that the data chooses.
//
//vyre:kernel workgroup=32
func Choices(t gpu.Thread, in, out []uint32) {
	g := t.Global().X
	if g >= uint32(len(in)) || g >= uint32(len(out)) {
		return
	}
	v := in[g]
	f := ofTwo(add)
	if v&1 != 0 {
		f = func(a, b uint32) uint32 { return a*b + v }
	}
	sum := f(v, 3)
	sum = sum*31 + chosen(v)(sum, 7)
	ops := [4]ofTwo{add, sub, nil, func(a, b uint32) uint32 { sum++; return a ^ b }}
	for i := range 4 {
		if ops[(uint32(i)+v)&3] != nil {
			sum += ops[(uint32(i)+v)&3](sum, uint32(i))
		}
	}
	var last func() uint32
	for i := range v & 7 {
		if last != nil {
			sum += last()
		}
		switch {
		case i&1 == 0:
			last = func() uint32 { sum *= 3; return v }
		case i == 3:
			last = nil
		}
	}
	o := operator{name: v & 1, run: sub}
	if v&2 != 0 {
		o.run = add
	}
	q := o
	o.run = nil
	if o.run == nil {
		sum += q.run(sum, q.name)
	}
	out[g] = sum
}

func upTo(n uint32) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func pairsIn(a [4]uint32) func(yield func(int, uint32) bool) {
	return func(yield func(int, uint32) bool) {
		for i, x := range a {
			if !yield(i, x) {
				return
			}
		}
	}
}

type search struct {
	left, right, key [8]uint32
}

func (tr *search) inOrder(yield func(at, key uint32) bool) {
	var stack [8]uint32
	depth, at := 0, uint32(1)
	for depth > 0 || at != 0 {
		for at != 0 {
			stack[depth&7] = at
			depth++
			at = tr.left[at&7]
		}
		depth--
		at = stack[depth&7]
		if !yield(at, tr.key[at&7]) {
			return
		}
		at = tr.right[at&7]
	}
}

func find(n, want uint32) (at uint32, found bool) {
	for i := range upTo(n) {
		for j := range upTo(i) {
			if i*j == want {
				return i<<8 | j, true
			}
		}
	}
	return n, false
}

// Iterators ranges over functions.
//
//vyre:kernel workgroup=32
func Iterators(t gpu.Thread, in, out []uint32) {
	g := t.Global().X
	if g >= uint32(len(in)) || g >= uint32(len(out)) {
		return
	}
	v := in[g]
	sum := uint32(0)
	for i := range upTo(v & 15) {
		if i == 3 {
			continue
		}
		if sum > 40 {
			break
		}
		sum += i
	}
	a := [4]uint32{v & 3, v >> 2 & 3, v >> 4 & 3, 9}
	var k int
	var x uint32
	for k, x = range pairsIn(a) {
		a[3] = 1
		sum = sum*7 + x + uint32(k)
	}
	sum += uint32(k) + x
	for range upTo(3) {
		sum++
	}
	once, again := func(x uint32) uint32 { return x + v }, func(x uint32) uint32 { return x*3 ^ v }
	turn := once
	for i := uint32(0); i < 3 && turn(i) < 90; i++ {
		sum = turn(sum)
		turn = again
	}
outer:
	for i := range uint32(6) {
		for j := range upTo(6) {
			switch (i*j + v) % 11 {
			case 5:
				continue outer
			case 7:
				break outer
			case 8:
				if sum&1 == 0 {
					break
				}
				sum++
			}
			for m := range upTo(3) {
				if m == 2 && j == 4 {
					continue outer
				}
				sum += i + j<<1 + m<<2
			}
		}
		sum += 100
	}
	at, found := find(9, v%60)
	if found {
		sum ^= at << 16
	}
	tr := search{key: [8]uint32{0, v & 7, v >> 3 & 7, v >> 6 & 7, 4, 5, 6, 7}}
	tr.left[1], tr.right[1], tr.left[2], tr.right[2], tr.left[3] = 2, 3, 4, 5, 6
	for n, key := range tr.inOrder {
		if key == 6 {
			break
		}
		sum = sum*3 + n*key
	}
	for i := range upTo(4) {
		if (v>>i)&0x81 == 0x81 {
			out[g] = sum + i
			return
		}
	}
	out[g] = sum
}

// firstHalf yields the first half of a slice, as package iter writes it.
func firstHalf(s []uint32) iter.Seq[uint32] { return slices.Values(s[:len(s)/2]) }

// Library calls functions of the standard library that take functions.
//
//vyre:kernel workgroup=32
func Library(t gpu.Thread, in, out []uint32) {
	g := t.Global().X
	if g >= uint32(len(in)) || g >= uint32(len(out)) {
		return
	}
	var few [9]uint32
	var many [21]int32
	for i := range few {
		few[i] = in[g] >> i & 7
	}
	for i := range many {
		many[i] = int32(in[g]<<i) >> 20
	}
	slices.SortFunc(few[:], func(a, b uint32) int { return cmp.Compare(a^2, b^2) })
	slices.Sort(many[:])
	sum := uint32(slices.IndexFunc(few[:], func(x uint32) bool { return x == in[g]&7 }))
	if slices.Contains(few[:], 3) {
		sum += 1000
	}
	at, found := slices.BinarySearch(many[:], many[g%21])
	if found && slices.IsSortedFunc(many[:], cmp.Compare[int32]) {
		sum += uint32(at) << 20
	}
	slices.Reverse(few[:])
	for i, x := range slices.All(few[:]) {
		sum = sum*3 + uint32(i)*x
	}
	for i, x := range slices.Backward(many[:]) {
		if x < 0 {
			sum += uint32(i)
			break
		}
		sum ^= uint32(x)
	}
	for x := range firstHalf(in) {
		if x == in[g] {
			sum++
		}
	}
	out[g] = sum
}

var tripled = func(x uint32) uint32 {
	sum := uint32(0)
	each(3, func(uint32) { sum += x })
	return sum
}

var operators = [...]operator{{1, add}, {name: 2, run: func(a, b uint32) uint32 { return a &^ b }}}

var stages = [3]func(uint32) uint32{tripled2, func(x uint32) uint32 { return x ^ 77 }}

func tripled2(x uint32) uint32 { return tripled(x) + 2 }

// Variables calls functions of package variables.
//
//vyre:kernel workgroup=32
func Variables(t gpu.Thread, in, out []uint32) {
	g := t.Global().X
	if g >= uint32(len(in)) || g >= uint32(len(out)) {
		return
	}
	sum := tripled(in[g])
	for i := range operators {
		sum = sum*3 + operators[1].run(sum, in[g]) + uint32(i)
	}
	sum += operators[0].run.swapped(1, operators[0].name)
	for k := range uint32(5) {
		if f := stages[(in[g]>>k)%3]; f != nil {
			sum = f(sum)
		}
	}
	out[g] = sum
}

func summed(xs ...uint32) (s uint32) {
	for i := range xs {
		s += xs[i]
		xs[i] = s
	}
	return s
}

func scaled(k uint32, label uint8, xs ...uint32) uint32 {
	return k*summed(xs...) + uint32(label) + uint32(len(xs))
}

func andNext(x uint32) (uint32, uint32) { return x, x + 1 }

func most[T ~uint32](xs ...T) (m T) {
	for _, x := range xs {
		m = max(m, x)
	}
	return m
}

// Variadics passes none, some, a slice and another call's results, and calls values; slices of literals come along.
//
//vyre:kernel workgroup=32
func Variadics(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	s := uint32(0)
	for _, d := range []int32{-1, 0, 1} {
		if j := int32(i) + d; j >= 0 && int(j) < len(in) {
			s += in[j]
		}
	}
	a := []uint32{3: 7, 1: s, 5: in[i]}
	s += summed(a...) + summed(a[1:3]...) + summed() + summed(1, s, i) + summed(andNext(s)) + scaled(3, 4) + scaled(5, 6, s, 7)
	f := summed
	if in[i]&1 != 0 {
		f = func(xs ...uint32) uint32 { return uint32(len(xs)) * 100 }
	}
	s += f(s, 2) + f() + most(1, s>>1, s) + most(a...)
	q := [3]uint32(a[1:])
	a[1] += q[0] ^ q[2]
	for k, v := range a {
		s += v * uint32(k)
	}
	for r := range uint32(3) {
		b := []uint32{r, 1, 2}
		b[1] += s
		s += b[1] + uint32(len([]uint32{}))
	}
	out[i] = s
}

type scanner struct {
	at, words, numbers uint32
	seen               [4]uint32
}

type scanState func(s *scanner, b []uint32) scanState

func scanAny(s *scanner, b []uint32) scanState {
	if s.at >= uint32(len(b)) {
		return nil
	}
	s.seen[0]++
	switch b[s.at] & 3 {
	case 0:
		s.at++
		return scanAny
	case 1:
		return scanWord
	}
	return scanNumber
}

func scanWord(s *scanner, b []uint32) scanState {
	s.seen[1] += b[s.at]
	for s.at < uint32(len(b)) && b[s.at]&3 == 1 {
		s.at++
	}
	s.words++
	return scanAny
}

func scanNumber(s *scanner, b []uint32) (next scanState) {
	s.numbers = s.numbers*3 + b[s.at]
	if s.at++; s.at%5 == 4 {
		return scanEnd
	}
	return scanAny
}

func scanEnd(s *scanner, _ []uint32) scanState {
	s.seen[2] = s.at
	return (nil)
}

func firstState(v uint32) scanState {
	if v&4 != 0 {
		return scanNumber
	}
	return scanAny
}

// Machine goes from state to state, each of which is a function that returns the next.
//
//vyre:kernel workgroup=32
func Machine(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var s scanner
	for state := scanState(scanAny); state != nil; {
		state = state(&s, in[i:])
	}
	x := s.at + s.words*31 + s.numbers*37 + s.seen[0] + s.seen[1] + s.seen[2]
	var step scanState
	s = scanner{}
	for k := range in[i:min(int(i)+6, len(in))] {
		if step == nil {
			step = firstState(in[int(i)+k])
		}
		step = step(&s, in[i:])
	}
	out[i] = x ^ s.numbers<<3 ^ s.at<<20
}
