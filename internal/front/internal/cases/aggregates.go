package cases

import "github.com/govyre/vyre/gpu"

type point struct{ x, y float32 }

func (p point) add(q point) point     { return point{p.x + q.x, p.y + q.y} }
func (p point) scale(k float32) point { return point{x: p.x * k, y: p.y * k} }

type box struct {
	point
	corners [2]point
	tag     uint8
	_       int
}

// Structs copies, compares, nests and returns structs.
//
//vyre:kernel workgroup=32
func Structs(t gpu.Thread, in []float32, out []float32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	p := point{in[i], 2}
	q := p
	q.x++
	p, q = q, p
	b := box{point: p, corners: [2]point{q, {y: 4}}, tag: 255}
	c := b
	c.tag++
	c.corners[1].x = 9
	b.corners[0], b.corners[1] = b.corners[1], b.corners[0]
	r := b.point.add(c.corners[1]).scale(0.5)
	var zero box
	if zero == (box{}) && b != c {
		r.y++
	}
	lo, hi := order(r.x, r.y)
	if (point{lo, hi}) == r {
		lo = -lo
	}
	out[i] = lo + hi*16 + float32(c.tag) + b.corners[0].y + b.corners[1].x + b.x
}

func order(a, b float32) (lo, hi float32) {
	lo, hi = a, b
	if a > b {
		lo, hi = hi, lo
	}
	return
}

// Arrays has arrays of constant indices, of computed ones, of arrays and of structs.
//
//vyre:kernel workgroup=32
func Arrays(t gpu.Thread, in []int32, out []int64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	k := int(in[i] & 3)
	small := [3]int32{1, 2, 3}
	small[0], small[2] = small[2], small[0]
	var table [8]int32
	for j := range table {
		table[j] = int32(j*j) + small[0]
	}
	copied := table
	table[k] = -5
	var grid [4][4]int16
	for r := range 4 {
		for c := range grid[r] {
			grid[r][c] = int16(r*10 + c)
		}
	}
	row := grid[k]
	grid[k][1]++
	grid[1] = row
	var pts [4]struct {
		p point
		w [2]uint8
	}
	pts[k].p.x = 2.5
	pts[k].w[k&1] = uint8(300 - 45*k%7)
	pts[3] = pts[k]
	s := int64(0)
	for j, v := range table {
		table[7-j] += v // Go ranges over a copy
		s = s*3 + int64(v)
	}
	for _, v := range copied {
		s += int64(v)
	}
	for _, r := range grid {
		for _, v := range r {
			s = s*5 + int64(v)
		}
	}
	s += int64(pts[3].p.x*4) + int64(pts[3].w[0]) + int64(pts[3].w[1])<<8
	s += int64(pick(table, k)) + int64(pick([8]int32{4: 4, 9, 8}, k+3)) + total(small)
	big := [300]int32{7: 1}
	big[299] = int32(k)
	s += int64(big[7] + big[299] + big[0])
	if copied != table && row != grid[k^2] {
		s++
	}
	out[i] = s + int64(len(grid)*100+len(row))
}

func pick(a [8]int32, k int) int32 {
	a[0] = 11
	return a[k] + a[0]
}

func total(a [3]int32) (s int64) {
	for i, v := range a {
		s += int64(v) * int64(i+1)
	}
	return s
}

// Vectors accesses buffers of small arrays as wholes and by lane.
//
//vyre:kernel workgroup=32
func Vectors(t gpu.Thread, in [][4]float32, pairs [][2]uint16, out [][4]float32, sums []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	v := in[i]
	w := v
	w[1] += in[i][3]
	k := int(i % 4)
	w[2] = in[i][k]
	out[i] = [4]float32{w[3], w[2], w[1], v[0]}
	out[i][k]++
	p := pairs[i]
	p[0] += 65000
	pairs[i] = p
	pairs[i][1] -= 3
	sums[i] = uint32(p[0]) + uint32(p[1]) + uint32(len(in)) + uint32(len(pairs[i]))
}

// Views slices buffers, clamped as Go would have them in range.
//
//vyre:kernel workgroup=32
func Views(t gpu.Thread, in []int32, quads [][2]int32, out []int64) {
	i := t.Global().X
	if i >= uint32(len(out)) {
		return
	}
	lo, hi := int(i)%len(in), len(in)
	v := in[lo:hi]
	w := v[1:]
	u := in[:lo]
	if i&1 == 0 {
		w = w[:len(w)/2]
	}
	s := sum(v) + sum(w)*3 + sum(u)*5 + int64(len(w))
	q := quads[lo/2 : hi/2]
	for k := range q {
		s += int64(q[k][1]) - int64(q[k][0])
		if p := q[k]; p[0] > p[1] {
			s++
		}
	}
	var none []int32
	out[i] = s + sum(none) + sum(half(in))
}

func half(x []int32) []int32 {
	if len(x) > 4 {
		return x[2:]
	}
	return x
}

func sum(x []int32) (s int64) {
	for _, v := range x {
		s += int64(v)
	}
	if len(x) > 0 {
		s += int64(x[len(x)-1])
	}
	return
}

// csr is a graph: the neighbours of node n are adj[off[n]:off[n+1]].
type csr struct {
	off, adj []uint32
}

func (g csr) row(n uint32) []uint32 { return g.adj[g.off[n]:g.off[n+1]] }

func (g csr) degree(n uint32) (d int) {
	d = len(g.row(n))
	return
}

// Rows keeps slices in structs and arrays, and returns views from methods.
//
//vyre:kernel workgroup=32 big=adj
func Rows(t gpu.Thread, off, adj []uint32, out []uint64) {
	n := t.Global().X
	if int(n)+1 >= len(off) {
		return
	}
	g := csr{off, adj}
	both := [2]csr{g, {adj: adj, off: off}}
	s := uint64(0)
	for k, w := range g.row(n) {
		s += uint64(w) * uint64(k+1)
	}
	r := both[1].row(n)
	if len(r) > 1 {
		r = r[1 : len(r)-1]
	}
	for i := 0; i < len(r); i++ {
		s = s*3 + uint64(r[i])
	}
	out[n] = s + uint64(g.degree(n))<<32 + uint64(len(r))<<40 + uint64(total32(adj[:3]))
}

func total32(x []uint32) (s uint32) {
	for _, v := range x {
		s += v
	}
	return s
}

// Stack slices a local array.
//
//vyre:kernel workgroup=32
func Stack(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var cells [16]uint32
	top := 0
	for v := in[i] & 0xFFFF; v > 0; v /= 3 {
		cells[top] = v % 3
		top++
	}
	used := cells[:top]
	for k := range used {
		used[k] += uint32(k)
	}
	out[i] = total32(used) + total32(cells[top/2:]) + uint32(len(used))
}

// Quads has views of a buffer of arrays that may be large.
//
//vyre:kernel workgroup=32 big=q
func Quads(t gpu.Thread, q [][4]uint16, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(q)) {
		return
	}
	v := q[i/2 : len(q)-1]
	s := uint32(0)
	for k := range v {
		if k > 5 {
			break
		}
		w := v[k]
		v := v[k:]
		s = s*5 + uint32(v[0][i&3]) + uint32(w[k&3])<<3 + uint32(w[2]^v[0][3])
	}
	out[i] = s + uint32(len(v))
}

type counts4 struct {
	n uint32
	a [4]uint32
}

func (c *counts4) inc(k uint32) { c.n++; c.a[k%4] += c.n }
func (c counts4) get() uint32   { return c.n + c.a[1]*2 + c.a[3] }

type counted struct {
	counts4
	x uint32
}

type worker struct {
	gpu.Thread
	pad uint32
	counted
}

type getter interface{ get() uint32 }

func got[T getter](x T) uint32 { return x.get() }

// Promoted calls the methods of embedded fields, on the way through several, a pointer and a type parameter, and takes
// them as values; those of gpu.Thread too.
//
//vyre:kernel workgroup=32
func Promoted(t gpu.Thread, in, out []uint32) {
	w := worker{Thread: t, pad: 3}
	s := gpu.Shared[uint32](t, 32)
	s[w.Local().X] = w.Global().X
	w.Barrier()
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	for k := range in[i] & 7 {
		w.inc(k)
	}
	p := &w
	p.inc(in[i])
	f, g := w.inc, w.get
	f(3)
	w.x = g()
	out[i] = w.get() + w.x<<8 + got(w.counted)<<16 + s[31-w.Local().X]*w.pad
}

type square struct{ d [3][4]uint32 }

func (s *square) row(i uint32) []uint32 { return s.d[i][:] }

func rowAt(m *[3][4]uint32, i uint32) []uint32 { return m[i][:] }

func bumped(s []uint32, i, v uint32) { s[i] += v }

// HelperRows writes to rows of arrays that helpers slice at computed indices.
//
//vyre:kernel workgroup=32
func HelperRows(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	var m [3][4]uint32
	r := rowAt(&m, n%3)
	r[1] = 5
	var s square
	s.row(n >> 3 % 3)[2] = n
	bumped(s.row(n>>5%3), n>>7%4, 3)
	var o struct {
		a uint32
		m [3][4]uint32
	}
	bumped(rowAt(&o.m, n>>9%3), n>>11%4, n)
	x := m[1][1]*31 + s.d[0][2] + s.d[2][1]*7 + o.m[0][0] + o.m[1][1]*3
	out[i] = x + rowAt(&o.m, 0)[1] + rowAt(&o.m, n%3)[n>>2%4]
}
