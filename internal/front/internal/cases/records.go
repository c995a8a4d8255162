package cases

import "github.com/govyre/vyre/gpu"

// Particle has padding after its byte and at its end.
type Particle struct {
	Pos, Vel [3]float32
	Kind     uint8
	Mass     float64
	Tag      uint16
	_        uint16
	Near     link
	Alive    bool
}

type link struct {
	Index int32
	Far   bool
}

// Particles reads and writes fields, whole elements and parts of them.
//
//vyre:kernel workgroup=32
func Particles(t gpu.Thread, dt float32, ps []Particle, out []float32) {
	i := t.Global().X
	if i >= uint32(len(ps)) {
		return
	}
	p := ps[i]
	for k := range 3 {
		p.Pos[k] += dt * p.Vel[k]
	}
	ps[i].Pos = p.Pos
	ps[i].Vel[1] = -ps[i].Vel[1]
	ps[i].Tag += 3
	ps[i].Near = link{int32(len(ps)) - ps[i].Near.Index, !ps[i].Near.Far}
	ps[i].Kind++
	if ps[i].Alive = ps[i].Mass > 3; ps[i].Alive && p.Near.Far {
		ps[i].Mass = p.mass()
	}
	out[i] = ps[i].Pos[2] + float32(ps[i].Kind)
}

func (p Particle) mass() float64 { return p.Mass*2 + float64(p.Tag) }

// Triples are arrays that are no vectors, indexed by constants and copied.
//
//vyre:kernel workgroup=32
func Triples(t gpu.Thread, in [][3]float32, out [][3]float32, wide [][4]float64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	v := in[i]
	out[i] = [3]float32{v[1], in[i][2], v[0] + 1}
	wide[i][2] = float64(v[2])
	for k, x := range in[i] {
		wide[i][3] += float64(x) * float64(k)
	}
}

type bucket struct {
	count uint32
	keys  [6]uint16
	grid  [2][3]int32
}

// Buckets indexes arrays inside elements by computed values, within bounds and beyond.
//
//vyre:kernel workgroup=32
func Buckets(t gpu.Thread, in []uint32, bs []bucket, threes [][3]int32) {
	i := t.Global().X
	if i >= uint32(len(bs)) {
		return
	}
	n := in[i] % 6
	for k := range n {
		bs[i].keys[k] += uint16(in[i] >> k)
		gpu.AtomicAdd(&bs[i].count, uint32(bs[i].keys[k]))
	}
	bs[i].grid[n%2][n%3] = int32(n)
	bs[i].grid[1][n/2]--
	threes[i][n%3] = threes[i][0] + int32(bs[i].keys[n])
	gpu.AtomicMax(&threes[i][n/2], 4)
}

// cloud is passed by value.
type cloud struct {
	Centre [3]float32
	Count  uint8
	Inner  link
	Steps  [4]int16
}

// Clouds takes structs and arrays by value.
//
//vyre:kernel workgroup=32
func Clouds(t gpu.Thread, c cloud, shift [2]int64, out []int64) {
	i := t.Global().X
	if i >= uint32(len(out)) {
		return
	}
	c.Count++
	sum := int64(c.Count) + int64(c.Inner.Index) + shift[i%2]
	if c.Inner.Far {
		sum -= int64(c.Centre[1])
	}
	out[i] = sum + int64(c.Steps[i%4])
}

// Tiles keeps structs, arrays and vectors in shared memory.
//
//vyre:kernel workgroup=32
func Tiles(t gpu.Thread, ps []Particle, out []float32) {
	tile := gpu.Shared[Particle](t, 32)
	rows := gpu.Shared[[5]int32](t, 32)
	quads := gpu.Shared[[4]float32](t, 32)
	l, i := t.Local().X, t.Global().X
	var p Particle
	if i < uint32(len(ps)) {
		p = ps[i]
	}
	tile[l] = p
	for k := range 5 {
		rows[l][k] = int32(l) * int32(k)
	}
	quads[l] = [4]float32{1, 2, 3, float32(l)}
	t.Barrier()
	o := (l + 5) % 32
	gpu.AtomicAdd(&tile[l].Near.Index, 1)
	t.Barrier()
	q := tile[o]
	if i < uint32(len(out)) {
		out[i] = q.Pos[l%3] + tile[o].Vel[2] + float32(rows[o][l%5]) + quads[o][l%4] + float32(len(tile)) + float32(tile[l].Near.Index)
	}
}

// Passed hands views of structs to helpers.
//
//vyre:kernel workgroup=32
func Passed(t gpu.Thread, from, to uint32, ps []Particle, out []float64) {
	i := t.Global().X
	if i < uint32(len(out)) {
		out[i] = heaviest(ps[from:to], i) + heaviest(ps, i)
	}
}

func heaviest(ps []Particle, start uint32) (m float64) {
	for i, p := range ps {
		if uint32(i) >= start%7 {
			m = max(m, p.Mass+float64(ps[i].Pos[0]))
		}
	}
	return m + float64(len(ps))
}

// MakeBuckets returns n of what Buckets changes.
func MakeBuckets(n int) any {
	bs := make([]bucket, n)
	for i := range bs {
		bs[i] = bucket{count: uint32(i), keys: [6]uint16{1, 2, 3, uint16(i)}, grid: [2][3]int32{{1, 2, 3}, {4, 5, 6}}}
	}
	return bs
}

// MakeCloud returns what Clouds takes.
func MakeCloud() any {
	return cloud{[3]float32{1, 2, 3}, 255, link{-9, true}, [4]int16{-1, 20, -300, 4000}}
}

type slot struct {
	w float32
	n uint32
}

type rack struct {
	id    uint8
	slots [5]slot
	grid  [3]struct {
		a [2]int16
		b int64
	}
}

// MakeRacks makes elements that can be told apart.
func MakeRacks(n int) []rack {
	rs := make([]rack, n)
	for i := range rs {
		r := &rs[i]
		r.id = uint8(i)
		for j := range r.slots {
			r.slots[j] = slot{float32(10*i + j), uint32(100*i + j)}
		}
		for j := range r.grid {
			r.grid[j].a, r.grid[j].b = [2]int16{int16(i - j), int16(i + j)}, int64(i)<<40+int64(j)
		}
	}
	return rs
}

// Racks indexes arrays of structs inside elements by computed values: loads, stores, atomics, whole structs and arrays of
// arrays.
//
//vyre:kernel workgroup=32
func Racks(t gpu.Thread, in []uint32, rs []rack, out []float64) {
	i := t.Global().X
	if i >= uint32(len(rs)) {
		return
	}
	n := in[i]
	j, k := n%5, n/5%3
	s := rs[i].slots[j]
	sum := float64(s.w) + float64(rs[i].grid[k].a[n%2])*2 + float64(rs[i].grid[2].a[n%2]+rs[i].grid[k].a[1])
	rs[i].slots[j].w += 1.5
	rs[i].slots[(j+1)%5] = slot{s.w, n}
	gpu.AtomicAdd(&rs[i].slots[j].n, 7)
	sum += float64(gpu.AtomicExchange(&rs[i].slots[(j+2)%5].n, n))
	rs[i].grid[k].a[n%2]--
	rs[i].grid[k].b *= int64(rs[i].id)
	out[i] = sum
}

// Ranges has copy and clear of buffers, of shared memory and of local arrays, of ranges that overlap too.
//
//vyre:kernel workgroup=32
func Ranges(t gpu.Thread, in []uint32, structs []Pair, out []uint32) {
	var buf [12]uint32
	s := gpu.Shared[[2]uint32](t, 32*4)
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	own := s[t.LocalIndex()*4 : t.LocalIndex()*4+4]
	clear(own)
	own[1] = [2]uint32{i, 7}
	n := copy(buf[2:9], in[i:])
	a, b := in[i]%5, in[i]>>8%5
	n += copy(buf[a:a+7], buf[b:]) * 16
	n += copy(own[a&1:], own[b&3:]) * 256
	clear(buf[in[i]%9:][:1])
	r := uint32(n) + buf[0]<<1
	old := buf[b] + uint32(copy(buf[b:b+1], buf[a:])) - buf[b]*3 // it writes before both are read
	for k, v := range buf {
		r = r*31 + v + uint32(k)
	}
	for _, v := range own {
		r = r*37 + v[0] ^ v[1]
	}
	if i%4 == 0 && int(i)+3 < len(structs) {
		mine := structs[i : i+4]
		copy(mine[1:], mine)
		clear(mine[3:])
	}
	out[i] = r ^ old
}
