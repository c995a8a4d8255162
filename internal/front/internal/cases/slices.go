package cases

import (
	"cmp"
	"slices"

	"github.com/govyre/vyre/gpu"
)

type entry struct {
	key  uint32
	at   int
	tags [3]int16
	sub  [2]struct{ lo, hi uint16 }
}

func shiftRight(list []entry, e entry) int {
	copy(list[1:], list)
	list[0] = e
	return len(list)
}

func mixedRows(rows [][4]int16) (sum int32) {
	for i, row := range rows {
		for _, x := range row[i&1:] {
			sum = sum*3 + int32(x)
		}
	}
	return sum
}

type window struct {
	list []entry
	from int
}

func (w window) bump(k int) int {
	w.list[k&1].key += 5
	w.list = w.list[1:]
	return len(w.list) + w.from
}

// RecordSlices slices local arrays of structs and hands them to library code.
//
//vyre:kernel workgroup=32
func RecordSlices(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var list [9]entry
	n := 3 + int(in[i]%6)
	for k := range list[:n] {
		list[k] = entry{key: in[(i+uint32(k))%uint32(len(in))] & 15, at: k, tags: [3]int16{int16(k), 7}}
	}
	slices.SortFunc(list[:n], func(a, b entry) int { return cmp.Compare(int(a.key)*16-a.at, int(b.key)*16-b.at) })
	at, found := slices.BinarySearchFunc(list[:n], in[i]&15, func(e entry, want uint32) int { return cmp.Compare(e.key, want) })
	if found {
		list[at].tags[at%3] = 77
	}
	if k := slices.IndexFunc(list[1:n], func(e entry) bool { return e.at == 0 }); k >= 0 {
		list[1:][k].key ^= 0x100
	}
	slices.Reverse(list[1 : n-1])
	at += shiftRight(list[n/2:], entry{key: in[i], sub: list[0].sub})
	tags := list[at%9].tags[1:]
	tags[in[i]&1] += 300
	tags = list[n-1].tags[:]
	tags[0]++
	for k, v := range list[in[i]&3].sub[:] {
		list[k].sub[1].hi += v.lo + uint16(k)
	}
	whole := list[:]
	w := window{whole[2:5], n}
	at += w.bump(at)
	whole, w.list = whole[w.from-2:], w.list[1:]
	if len(whole) > 3 {
		whole[1], whole[0] = whole[0], whole[2]
		clear(whole[3].sub[in[i]&1:])
	}
	w.list[0].key *= 3
	p := &list[in[i]&7]
	for k := range p.tags[:2] {
		p.tags[k] -= 9
	}
	h := uint32(at)
	for _, e := range list {
		h = h*31 ^ e.key ^ uint32(e.at)<<5
		for _, x := range e.tags[:] {
			h = h*7 + uint32(x)
		}
		h += uint32(e.sub[0].lo)*3 + uint32(e.sub[1].hi)
	}
	out[i] = h
}

// RowSlices slices rows of arrays of arrays, at indices that are constant and computed.
//
//vyre:kernel workgroup=32
func RowSlices(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	var rows [5][4]int16
	for r := range rows[:] {
		row := rows[r][:]
		for c := range row {
			row[c] = int16(r*7+c) ^ int16(x>>c)
		}
	}
	var few [2][3]uint32
	turn := few[0][:]
	turn[1] = x
	turn = few[1][1:]
	turn[1] = x + 1
	if x&1 == 0 {
		turn = few[0][:2]
	}
	turn[0] += 3
	two := rows[x%3 : x%3+2]
	two[1][x&3], two[0][1] = two[0][x&3], 99
	sum := mixedRows(rows[1:]) ^ mixedRows(two)
	var deep [2][3][4]uint32
	deep[x&1][x%3][x&3] = x
	plane := deep[x>>4&1][:]
	line := plane[x>>5%3][:]
	line[x>>7&3] ^= 0xFF
	line = deep[1][2][1:3]
	line[0]++
	copy(plane[1:], plane)
	h := uint32(sum)
	for _, p := range deep[:] {
		for _, l := range p[:] {
			for _, v := range l[:] {
				h = h*3 + v
			}
		}
	}
	out[i] = h + few[0][0] + few[0][1]*3 + few[1][1]*5 + few[1][2]*7 + uint32(len(line))
}

type shot struct {
	pos  [4]float32
	hits [3]uint32
	id   uint32
}

// SharedSlices slices arrays inside the elements of shared arrays.
//
//vyre:kernel workgroup=32
func SharedSlices(t gpu.Thread, in []uint32, out []uint32) {
	shots, quads := gpu.Shared[shot](t, 64), gpu.Shared[[4]uint32](t, 32)
	l := t.Local().X
	x := uint32(l)
	if i := t.Global().X; i < uint32(len(in)) {
		x = in[i]
	}
	mine := shots[2*l : 2*l+2]
	mine[0], mine[1] = shot{id: x}, shot{pos: [4]float32{1, 2, 3, float32(l)}, id: l}
	hits := mine[x&1].hits[:]
	hits[x%3] = 4
	hits[1] += x
	pos := mine[1].pos[1:]
	pos[2] *= 0.5
	quad := quads[l][:]
	copy(quad, hits)
	quad[3] = gpu.AtomicAdd(&mine[0].hits[:][1], 3)
	t.Barrier()
	slices.SortFunc(mine, func(a, b shot) int { return cmp.Compare(a.id&7, b.id&7) })
	other := quads[(l+1)%32][1:]
	h := other[0] + other[2]*3
	for _, s := range mine {
		for _, k := range s.hits[:] {
			h = h*5 + k
		}
		h += uint32(s.pos[3]*4) + s.id
	}
	if i := t.Global().X; i < uint32(len(out)) {
		out[i] = h
	}
}

type stretch struct{ lo, hi int32 }

// Stacked sorts with a stack that grows by append and shrinks by slicing.
//
//vyre:kernel workgroup=32
func Stacked(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	a := make([]uint32, 24)
	for k := range a {
		a[k] = in[i]<<k ^ uint32(k*k)
	}
	stack := make([]stretch, 0, 32)
	stack = append(stack, stretch{0, int32(len(a) - 1)})
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.lo >= s.hi {
			continue
		}
		p, k := a[s.hi], s.lo
		for j := s.lo; j < s.hi; j++ {
			if a[j] < p {
				a[j], a[k] = a[k], a[j]
				k++
			}
		}
		a[k], a[s.hi] = a[s.hi], a[k]
		stack = append(stack, stretch{s.lo, k - 1}, stretch{k + 1, s.hi})
	}
	h := uint32(0)
	for k := range a {
		h = h*31 + a[k]
	}
	out[i] = h
}

func filtered(to, from []uint32, keep func(uint32) bool) []uint32 {
	for _, v := range from {
		if keep(v) {
			to = append(to, v)
		}
	}
	return to
}

// Appends appends in all forms, in place too, and slices beyond the length.
//
//vyre:kernel workgroup=32
func Appends(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var a [40]uint32
	s := a[:0]
	for b := in[i]; b != 0; b &= b - 1 {
		s = append(s, b&-b)
	}
	n := len(s)
	s = append(s, 1, 2, in[i])
	if n > 5 {
		s = append(s[:2], s[4:]...)
	}
	r := s[:cap(s)]
	x := uint32(len(r)) + uint32(cap(s[2:]))<<8
	for _, v := range filtered(s[:0], s, func(v uint32) bool { return v%3 == 1 }) {
		x = x*31 + v
	}
	s = s[1:]
	s = append(s, s[0])
	s = append(s, in[:1]...)
	x += append([]uint32{9, 8}[:1], 5)[1]
	for k := range len(s) {
		x ^= s[len(s)-1-k] << (k % 7)
	}
	if len(s) < cap(s) {
		x += r[len(s)+1]
	}
	out[i] = x
}

// withoutEnds leaves out both ends, and lets the result grow over the last.
func withoutEnds(s []uint32) []uint32 {
	if len(s) > 2 {
		return s[1 : len(s)-1 : len(s)]
	}
	return s[:0]
}

// Capacities slices beyond lengths, up to capacities that are those of arrays, of rows, and of full slice expressions.
//
//vyre:kernel workgroup=32
func Capacities(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	a := [8]uint32{1, 2, 3, 4, 5, 6, 7, x}
	rows := [2][3]uint8{}
	sum := uint32(cap([]uint32{}) + cap(make([]uint8, 0)) + cap(rows[len(in)&1]))
	add := func(s []uint32) {
		sum = sum*31 + uint32(len(s)) + uint32(cap(s))<<8
		for _, v := range s {
			sum = sum*31 + v
		}
	}
	s := a[1:3]
	add(s[x%6 : 6+x>>8%2])
	w := s[2:4:5]
	add(w[:cap(w)])
	w = append(w, 9)
	add(w[1:])
	v := withoutEnds(a[:6])
	add(v[:cap(v)])
	if x&16 == 0 {
		v = withoutEnds(w)
	}
	add(v)
	if r := in[i:][:1:1]; len(r[:0:0]) == 0 {
		sum += r[0] ^ x<<3
	}
	var g [3][6]uint32
	for k := range g {
		r, q := g[k][1:3], g[k][:1:2]
		for len(r) < cap(r) {
			r = append(r, x+uint32(len(r)))
		}
		q = append(q, 7)
		if x>>k&1 == 1 {
			r = q
		}
		add(r)
	}
	m := g[x%3][:2]
	add(append(m, x)[1:4])
	for k := range 3 {
		s = s[1:len(s):min(7-k, cap(s))]
		s = s[:2]
	}
	out[i] = sum + s[1]<<8
}

// distance is the number of edits that make b of a, by two rows that are exchanged.
func distance(a, b []uint32) uint32 {
	prev := make([]uint32, 9)
	cur := make([]uint32, 12)[:9]
	for j := range prev {
		prev[j] = uint32(j)
	}
	for i := range a {
		cur[0] = uint32(i) + 1
		for j := range b {
			cost := uint32(1)
			if a[i]&3 == b[j]&3 {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
		}
		prev, cur = cur, prev
	}
	return prev[len(b)] + uint32(len(cur))<<8
}

type sample struct {
	at uint8
	v  int32
}

func filled(n uint32) []sample { return []sample{{1, int32(n)}, {2, -5}, {at: uint8(n)}} }

// Turns exchanges slices that it made.
//
//vyre:kernel workgroup=32
func Turns(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := min(uint32(len(in))-i, 8)
	x := distance(in[i:i+n], in[:8]) ^ distance(in[:8], in[i:i+n])<<16
	a, b, c := filled(in[i]), filled(i), make([]sample, 40)
	for k := range in[i]&7 + 2 {
		if in[i]>>k&1 == 0 {
			a, b = b, a
		} else {
			a, c = c[min(int(k), len(c)-2):], a
		}
		a[0].v += int32(k)
		b = append(b[:1], sample{v: int32(x)})
	}
	d := [][4]uint16{{1, 2}, {3}}
	e := make([][4]uint16, 3)
	d[in[i]&1][in[i]>>1&3], e[2][in[i]>>3&3] = 7, 9
	d, e = e, d
	out[i] = x + uint32(a[0].v) + uint32(b[1].v)*3 + uint32(c[0].v)*5 + uint32(a[0].at) + uint32(len(c))<<20 +
		uint32(d[2][1]) + uint32(e[1][2]) + uint32(e[0][0])
}

func guarded(a []uint32, i int) uint32 {
	if i < len(a) && i >= 0 {
		return a[i]
	}
	return 77
}

type ring struct {
	a [4]uint32
	n int
}

func (r *ring) at(i int) uint32 {
	if i >= r.n {
		return 5
	}
	return r.a[i]
}

func (r *ring) set(i int, v uint32) {
	if i < 0 || i >= len(r.a) {
		return
	}
	r.a[i] = v
}

func waits(t gpu.Thread, on bool) {
	if on {
		t.Barrier()
	}
}

// Guarded calls helpers that compare an index with a length, with constants beyond it.
//
//vyre:kernel workgroup=32
func Guarded(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	waits(t, true)
	if i >= uint32(len(in)) {
		waits(t, false)
		return
	}
	var a [4]uint32
	a[in[i]&3] = in[i]
	r := ring{a: a, n: 4}
	r.set(5, 3)
	r.set(-1, 4)
	r.set(2, 9)
	x := guarded(a[:], 3) + guarded(a[:], 9)*3 + guarded(a[1:], -2)*5 + r.at(5)*7 + r.at(2)*11 + r.at(3)
	gpu.Put(a[:], -1, x)
	gpu.Put(a[:], 1, x)
	out[i] = x + gpu.At(a[:], 9) + gpu.At(a[:], 1)
}
