package cases

import "github.com/govyre/vyre/gpu"

// Kernels of this file have effects in every operand of a statement: calls that write what other operands read, indices
// that move, assignments to what is copied. s is the memory that they share; each leaves its trace in out.

// stir adds to the first element and returns it: calls of it happen in an order that one sees.
func stir(s []uint32, by uint32) uint32 {
	s[0] = s[0]*3 + by
	return s[0]
}

type pairOf struct {
	A, B uint32
	Arr  [3]uint32
}

func (p pairOf) sum(x uint32) uint32 { return p.A*7 + p.B*11 + p.Arr[x%3]*13 + x }

func triple(s []uint32) [3]uint32 {
	x := stir(s, 1)
	return [3]uint32{x, x + 1, s[1]}
}

func pairs(s []uint32) (uint32, uint32) { return s[1], stir(s, 5) + s[0] }

func makePair(s []uint32, by uint32) pairOf {
	return pairOf{s[1], stir(s, by), [3]uint32{s[0], stir(s, by), s[0]}}
}

// RangeHeads ranges with calls in the range expression, with effects in key and value, and over what the head changes.
//
//vyre:kernel workgroup=1
func RangeHeads(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	for i := range triple(s) {
		out[0] += uint32(i) + s[0]
	}
	for range makePair(s, 2).Arr {
		out[1] += s[0]
	}
	var z [2][3]uint32
	for range z[stir(s, 9)&1] {
		out[2] = out[2]*3 + s[0]
	}
	for range triple(s) {
		out[3] += s[0]
	}
	for i := range [2]uint32{stir(s, 4), stir(s, 6)} {
		out[3] += uint32(i)
	}
	b := [4]uint32{1, 2, 3, 4}
	var k int
	for k, b[3] = range b {
		out[4] = out[4]*10 + b[3] + uint32(k)
	}
	for k, b[k] = range b {
		out[5] = out[5]*10 + b[1]
	}
	var ks [4]int
	for ks[stir(s, 1)&3], s[stir(s, 2)&3+4] = range b {
		out[6] = out[6]*5 + uint32(ks[0]+2*ks[1]+3*ks[2]+4*ks[3])
	}
	for ks[s[0]&3], b[s[0]&3] = range b {
		stir(s, 7)
	}
	v := s[4:9]
	var x uint32
	for ks[v[stir(s, 3)%5]&3], v[1] = range v {
		v = s[x&1+2:]
		x += v[0]
	}
	for b[stir(s, 1)&3] = range stir(s, 2) & 7 {
		out[7] = out[7]*3 + b[0] + b[3]
	}
	w := b[:]
	for i, e := range b {
		w[3-i] = e + stir(w, 1)
		out[8] = out[8]*3 + e
	}
	p := pairOf{Arr: [3]uint32{1, 2, 3}}
	for k, p.Arr[2] = range p.Arr {
		out[9] = out[9]*10 + p.Arr[2]
	}
	rows := [2]pairOf{{A: 1}, {A: 2}}
	for k, rows[1] = range rows {
		rows[0].A += rows[1].A + uint32(k)
		out[10] = out[10]*10 + rows[1].A
	}
	out[11] = x + b[0]*2 + b[1]*3 + b[2]*5 + b[3]*7 + uint32(ks[0]+ks[1]*2+ks[2]*3+ks[3]*4+k)
}

// CallsFirst has calls beside reads of what they write, in every kind of expression and statement.
//
//vyre:kernel workgroup=1
func CallsFirst(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	out[0] = s[0] + stir(s, 1)*5 + s[0]
	out[1] = s[s[0]&7] ^ stir(s, 2)
	s[s[0]&7] = stir(s, 3)
	s[stir(s, 3)&7] += stir(s, 4) + s[0]
	s[stir(s, 5)&7]++
	out[2] += s[0] + uint32(s[1]<<(stir(s, 1)&3)) - -stir(s, 2)
	a, b := s[0], stir(s, 4)
	a, b = b+s[0], a-stir(s, 1)
	out[3] = a*31 + b
	out[stir(s, 1)&1+4], a = pairs(s)
	out[6] = a + max(s[0], stir(s, 1)) - min(s[0], s[1], stir(s, 3)&1023)
	if s[0] < stir(s, 1) && stir(s, 2) != s[0] || s[0] == stir(s, 3)-s[1] {
		out[7] = s[0]
	}
	if (s[0] > 9 && stir(s, 1) > 3) == (stir(s, 2) < s[0]) {
		out[7] += s[0]
	}
	out[8] = pairOf{s[0], stir(s, 1), triple(s)}.sum(stir(s, 2)) + pairOf{A: s[0]}.sum(s[0])
	out[9] = makePair(s, s[0]).sum(s[1]) + makePair(s, 1).Arr[stir(s, 1)%3]
	v := s[s[0]&3 : s[0]&3+stir(s, 1)&3+3]
	out[10] = uint32(len(v)) + v[0] + stir(v, 1) + s[0]
	out[11] = uint32(len(s[s[0]&3:])) + third(s[s[0]&3:], s[0], stir(s, 1), s[0])
	if triple(s) == [3]uint32{s[0], stir(s, 1), s[1]} || (pairOf{A: s[0]} == makePair(s, 2)) {
		out[12]++
	}
	if (pairOf{A: s[0]} == pairOf{A: 3}) == (stir(s, 1) == s[0]) {
		out[12] += 5
	}
	out[13] = gpu.AtomicAdd(&s[stir(s, 1)&7], s[0]) + gpu.AtomicXor(&s[s[0]&7], stir(s, 1)) + s[0]
	switch s[0] & 1 {
	case stir(s, 1) & 1, s[0] & 3, stir(s, 2) & 1:
		out[14] = s[0]
	case s[1] & 1:
		out[14] = 7
	default:
		out[14] = stir(s, 3)
	}
	switch {
	case stir(s, 1)&1 == s[0]>>1&1, s[0] > stir(s, 2):
		out[15] = s[0]
	case stir(s, 3) > 0:
		out[15] = s[0] + 1
	}
}

func third(v []uint32, a, b, c uint32) uint32 { return v[0] + a*3 + b*5 + c*7 }

// Copies passes, returns, assigns and compares values while what they were copied from changes.
//
//vyre:kernel workgroup=1
func Copies(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	a := [4]uint32{1, 2, 3, 4}
	v := a[:]
	out[0] = after(a, v, 5) + after(a, a[1:], 6)
	out[1] = before(a, stir(v, 1)) + a[0]
	a = turned(a)
	a, out[2] = turned(a), a[0]
	a = [4]uint32{a[3], a[2], a[1], stir(v, 2)}
	a = [4]uint32{v[3], v[2], v[1], v[0]}
	if a == turned(a) || a == [4]uint32{a[0], stir(v, 3), a[2], a[3]} {
		out[3]++
	}
	b := kept(a, v)
	b[1] += kept(b, v)[1]
	out[4] = b[0] + b[1]*3 + b[2]*5 + b[3]*7 + a[0]
	p := pairOf{3, 4, [3]uint32{5, 6, 7}}
	p = pairOf{p.B, p.A, [3]uint32{p.Arr[2], p.Arr[0], p.Arr[1]}}
	p.Arr[p.A&1], p.A, p.Arr = p.A, p.Arr[1], [3]uint32{p.B, p.Arr[1], p.Arr[0]}
	w := p.Arr[:]
	out[5] = p.sum(stir(w, 1)) + inner(p, w) + p.Arr[0]
	out[6], p = p.sum(2), makePair(w, p.A)
	i, n := uint32(1), [3]uint32{7, 8, 9}
	i, n[i] = 2, i+n[2]
	n[i], i, n[n[0]%3] = i, n[i]&1, 5
	out[7] = i + n[0]*3 + n[1]*5 + n[2]*7
	rows := [3]pairOf{{A: 1}, {A: 2}, {A: 3}}
	rows[0], rows[1], rows[2] = rows[2], rows[0], pairOf{B: rows[1].A}
	rows[i%3], rows[(i+1)%3] = rows[(i+1)%3], rows[i%3]
	rows = [3]pairOf{rows[1], rows[rows[0].A%3], rows[0]}
	out[8] = rows[0].A + rows[1].A*3 + rows[2].A*5 + rows[1].B*7
	out[9], out[10] = named(s, s[0])
	x, y := swapped(swapped(out[9], s[0]))
	out[11] = x*3 + y + p.A + p.Arr[1]
}

func after(a [4]uint32, v []uint32, x uint32) uint32 {
	v[0] += x
	return a[0]*3 + v[0] + a[1]
}

func inner(p pairOf, v []uint32) uint32 {
	v[0] ^= 77
	return p.Arr[0] + v[0]*3
}

func before(a [4]uint32, x uint32) uint32 { return a[0] + x*3 }

func turned(a [4]uint32) [4]uint32 {
	a[0], a[3] = a[3], a[0]
	a[1]++
	return a
}

func kept(a [4]uint32, v []uint32) [4]uint32 {
	v[1] = a[1] + 5
	return a
}

func named(s []uint32, x uint32) (y, z uint32) {
	y, z = x, stir(s, x)
	if x&1 == 1 {
		y, z = z, y+s[0]
		return
	}
	return z, y + stir(s, 2)
}

func swapped(x, y uint32) (uint32, uint32) { return y, x }

type holder struct {
	S []uint32
	N uint32
}

func (h holder) push(x uint32) uint32 {
	h.S[h.N&3] = h.S[h.N&3]*3 + x
	h.N++
	return h.S[0] + h.N
}

var orderTable = [4]uint32{5, 6, 7, 8}

type four [4]uint32

func (f four) add(s []uint32) four {
	s[1] += f[0]
	f[0] = s[1]
	return f
}

// HiddenCopies has slices in structs, tables, defined types, blank results, and ranges without variables.
//
//vyre:kernel workgroup=1
func HiddenCopies(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	h := holder{s, stir(s, 1) & 3}
	out[0] = h.push(s[0]) + h.push(h.N) + s[1]
	g := holder{s[stir(s, 1)&3:], s[0]}
	out[1] = g.push(g.S[0]) + stir(g.S, 2)
	tab := orderTable
	var i int
	for i, tab[3] = range tab {
		out[2] = out[2]*10 + tab[3] + uint32(i)
	}
	f := four(orderTable)
	f = four(f.add(s)).add(s[stir(s, 1)&3:])
	if f == four(tab) || four([4]uint32{s[0]}) == f.add(s) {
		out[3]++
	}
	var a, b = s[0], stir(s, 3)
	var c, d uint32 = pairs(s)
	out[4] = a + b*3 + c*5 + d*7
	e, _ := pairs(s[1:])
	_, e = pairs(s[e&3:])
	out[5] = e
	out[6] = uint32(len(triple(s))) + uint32(len([2]uint32{stir(s, 1), s[0]}))
	for range stir(s, 1) & 3 {
		out[7]++
	}
	for range s[stir(s, 1)&3:] {
		out[8]++
	}
	var i8 uint8
	for i8 = range uint8(stir(s, 7)) {
		out[9] += uint32(i8)
	}
	for s[2] = range stir(s, 2) & 3 {
	}
}

// RoundArrays slices arrays that each round of a loop declares or copies.
//
//vyre:kernel workgroup=1
func RoundArrays(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	rows := [3][4]uint32{{1, 2}, {3, 4}, {5, 6}}
	first := [4]uint32{9}
	v := first[:]
	for i, row := range rows {
		w := row[:]
		w[1] += v[0]
		if i == 1 {
			row[0] = 77
		}
		out[i] = w[0] + w[1]
	}
	for a := [4]uint32{}; a[0] < 3; a[0]++ {
		w := a[:]
		w[1]++
		out[4] += w[1] + a[0]
	}
	for i := range 2 {
		x := sliceOf(uint32(i))
		y := sliceOf(uint32(i) + 5)
		x[0] += 3
		out[5+i] = x[0] + y[0]
	}
}

func sliceOf(x uint32) []uint32 {
	a := [4]uint32{x, 2}
	return a[:]
}

type orderRec struct {
	A uint32
	B [3]uint32
	F float32
	C [4]uint8
	D bool
}

func (r orderRec) with(s []orderRec, x uint32) orderRec {
	s[0].A += x
	s[x&1].B[x%3] = r.A
	r.A++
	s[0].F++
	s[1].C[r.A&3]++
	s[0].D = !s[0].D
	return r
}
func (r orderRec) total() uint32 {
	return r.A + r.B[0]*3 + r.B[1]*5 + r.B[2]*7 + uint32(r.F) + uint32(r.C[1])*9 + uint32(r.C[3])
}
func update(v [][4]uint32, x uint32) uint32 { v[x&1][x&3] += v[0][1] + x; return v[1][x&3] }
func both(r orderRec, s []orderRec) uint32  { s[1].A += 9; return r.A + s[1].A*3 }

// RecordOrder has effects in operands that are records and arrays in shared memory.
//
//vyre:kernel workgroup=1
func RecordOrder(t gpu.Thread, s, out []uint32) {
	if t.Global().X > 0 {
		return
	}
	rs := gpu.Shared[orderRec](t, 4)
	for i := range rs {
		rs[i] = orderRec{A: uint32(i), B: [3]uint32{1, 2, s[i]}}
	}
	vs := gpu.Shared[[4]uint32](t, 4)
	for i := range vs {
		vs[i] = [4]uint32{uint32(i), 1, 2}
	}
	out[0] = rs[0].with(rs, s[0]).total() + rs[1].total()
	out[1] = both(rs[1], rs) + rs[1].with(rs, 1).with(rs, rs[0].A).total()
	rs[0], rs[1] = rs[1].with(rs, 2), rs[0]
	if rs[0] == rs[1].with(rs, 1) || rs[1] == rs[1].with(rs, 3) {
		out[2]++
	}
	out[3] = vs[0][1] + update(vs, vs[0][2]) + vs[1][0]
	vs[update(vs, 1)&1], vs[1] = vs[1], [4]uint32{vs[0][1], update(vs, 2), vs[0][2]}
	var k int
	for k, vs[0][k&3] = range vs[0] {
		out[4] = out[4]*10 + vs[0][0]
	}
	for k, rs[1].B[k%3] = range rs[0].B {
		rs[0].B[2] += 3
		out[5] += rs[0].B[2]
	}
	for k, vs[update(vs, 3)&1] = range vs {
		out[6] += vs[0][k]
	}
	for _, r := range rs {
		rs[3].A += r.total()
		out[7] += r.with(rs, 2).total()
	}
	for k, rs[k&3] = range rs {
		out[8] += rs[0].total()
	}
	arr := [3]orderRec{rs[0], rs[1]}
	for k, arr[2] = range arr {
		out[9] += arr[2].total() + arr[1].with(rs, 1).total()
	}
	switch rs[1] {
	case rs[0].with(rs, 1), rs[1]:
		out[10] = 1
	case orderRec{A: s[0]}:
		out[10] = 2
	}
	x, y := rs[0], rs[0].with(rs, 5)
	out[11] = x.total() + y.total()*3
	vs[0] = [4]uint32{vs[0][3], vs[0][2], vs[0][1], vs[0][0]}
	rs[0] = orderRec{A: rs[0].B[0], B: [3]uint32{rs[0].A, rs[0].B[2], rs[0].B[1]}, C: [4]uint8{rs[0].C[1], rs[0].C[0]}}
	out[12] = vs[0][0] + vs[0][1]*3 + vs[0][2]*5 + rs[0].total()
	rs[0].C[update(vs, 1)&3] += uint8(update(vs, 2)) + rs[0].C[vs[0][1]&3]
	rs[0].C[vs[0][1]&3]++
	out[13] = rs[0].total() + vs[0][1]
	f := rs[0].F
	f, rs[0].F = rs[0].F+f, rs[0].with(rs, 1).F+rs[0].F
	out[14] = uint32(f) + uint32(rs[0].F)
}

type bin struct {
	A uint32
	B [4]uint32
}

func (b *bin) step(x uint32) *bin {
	b.B[x&3] += b.A ^ x
	b.A++
	return b
}

func advance(n *uint32, x uint32) uint32 {
	*n = *n*3 + x
	return *n >> 3
}

// Receivers calls methods of elements whose index is a call: it is made once.
//
//vyre:kernel workgroup=16
func Receivers(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	own := [2]bin{{A: n}, {B: [4]uint32{1, n}}}
	shared := gpu.Shared[bin](t, 32)[2*t.Local().X : 2*t.Local().X+2]
	shared[0], shared[1] = own[1], own[0]
	pair := struct{ bin }{own[0]}
	n += own[advance(&n, 5)&1].step(advance(&n, 7)).step(n).A
	n ^= shared[advance(&n, 9)&1].step(n).step(advance(&n, 1)).B[n&3]
	own[advance(&n, 11)&1].step(4)
	pair.step(advance(&n, 2)).step(n)
	out[i] = n ^ own[0].A ^ own[1].B[n&3]*3 ^ shared[1].A*5 ^ pair.A*7
}
