package cases

import (
	"math"
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

var (
	primes  = [11]uint32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}
	signed  = [...]int8{-1, 2, -3, 100, 5: -128}
	halves  = [4]float32{0.5, 1.5, 2.5}
	wide    = [3]float64{1e300, 0.1, 2}
	flags   = [9]bool{1: true, 4: true, 8: true}
	far     = [3]int64{-1 << 63, 1<<63 - 1, 5}
	grid    = [2][3]uint16{{1, 2, 3}, {40000, 50000, 60000}}
	corners = [2]point{{1, 2}, {x: 3}}
	offset  = uint64(77)
	nothing [4]int32
	squares = [...]uint8{}
	lookup  = [256]uint8{0: 99, 17: 3, 255: 1, 128: 200}
)

// Tables reads package variables at constant and at computed indices, in bounds and beyond.
//
//vyre:kernel workgroup=32
func Tables(t gpu.Thread, in []uint32, out []float64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	sum := float64(primes[4]) + float64(primes[n%11]) + float64(signed[n%6]) + float64(halves[n%4])
	sum += wide[n%3]/1e299 + float64(far[n%3]>>40) + float64(grid[n%2][n%3]) + float64(grid[1][2])
	sum += float64(corners[n%2].x+corners[0].y) + float64(offset) + float64(nothing[n%4]) + float64(lookup[uint8(n)])
	if flags[n%9] {
		sum = -sum
	}
	for k, p := range primes {
		sum += float64(p) * float64(uint32(k)+n%3)
	}
	row := grid[n%2]
	row[n%3]++
	out[i] = sum + float64(row[n%3]) + float64(len(squares))
}

type glyph struct {
	width int16
	rows  [4]uint8
	scale float32
	_     uint8
}

var (
	glyphs = [5]glyph{{width: -3, rows: [4]uint8{1, 2, 3, 4}, scale: 0.5}, 2: {width: 300, scale: 2}, 4: {rows: [4]uint8{3: 255}, scale: -1}}
	sparse = [65536]uint8{7: 3, 40000: 9, 65535: 200}
	cubes  = [3][4][5]uint32{{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, 2: {3: {11, 12, 13, 14, 15}}}
	few    = [20]int32{3: -100, 17: 100}
	same   = [7]uint16{9, 9, 9, 9, 9, 9, 9}
)

// Lookups reads tables of structs and of arrays, the largest that there may be, and copies of tables; at indices that
// differ in a warp and at one that does not.
//
//vyre:kernel workgroup=32
func Lookups(t gpu.Thread, at uint32, in []uint32, out []float64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	g := glyphs[n%5]
	sum := float64(g.width) + float64(g.rows[n%4])*float64(g.scale) + float64(glyphs[n%5].rows[3])
	sum += float64(sparse[uint16(n)]) + float64(sparse[40000]) + float64(sparse[uint16(at)]) + float64(primes[at%11])
	cube := cubes
	cube[n%3][n%4][n%5] += 2
	for a := range cubes {
		for b, row := range cubes[a] {
			sum += float64(cube[a][b][(n+uint32(b))%5]) * float64(row[n%5]+1)
		}
	}
	for _, g := range glyphs {
		sum += float64(g.rows[n%4]) * float64(g.width)
	}
	copied := few
	copied[n%20] += int32(same[n%7])
	out[i] = sum + float64(copied[(n>>3)%20]) + float64(few[n%20])
}

const digits = "0123456789abcdef"

var vowels = "aeiou"

// Texts reads constant texts at constant and at computed indices, in bounds and beyond, and ranges over them.
//
//vyre:kernel workgroup=32
func Texts(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	const local = "x\xffz\x00"
	n := in[i]
	sum := uint32(digits[n%16]) + uint32(digits[3]) + uint32(vowels[n%5])<<8 + uint32(local[n%4])<<16
	for k, c := range "abc" {
		sum += uint32(c) * (uint32(k) + n%3)
	}
	for _, c := range "é€" + digits {
		sum = sum*31 + uint32(c)
	}
	for k := range len(vowels) {
		sum = sum*7 + uint32(vowels[k])
	}
	out[i] = sum
}

type coding struct {
	poly, init uint32
	width      uint8
	steps      [3]uint16
}

var (
	codings = [...]coding{{0x07, 1, 8, [3]uint16{1, 2, 3}}, {0x1021, 2, 16, [3]uint16{4, 5, 6}}, {0x04C11DB7, 3, 32, [3]uint16{7, 8, 9}}}
	begin   = [8]uint32{1, 2, 3, 5, 8, 13, 21, 34}
	orders  = [3][4]uint8{{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 2, 2, 1}}
)

func (c *coding) sum(p []uint32) uint32 {
	crc := c.init
	for _, b := range p {
		crc = crc*31 ^ b<<(c.width&7)
		crc ^= c.poly + uint32(c.steps[b%3])
	}
	return crc
}

func weighed(p []uint32) (n uint32) {
	for k := range p {
		n = n*3 + p[k]
	}
	return n + uint32(len(p))<<20 + uint32(cap(p))<<24
}

func weighedOf(p *[8]uint32) uint32 { return weighed(p[2:6]) + p[7] }

func widest(list []coding) coding { return list[len(list)-1] }

// Totals is what the host does with the tables of References: nothing of it writes.
func Totals() uint32 {
	sum, all := uint32(0), codings[:]
	for i := range all {
		c := &all[i]
		sum += c.sum(begin[:]) + weighedOf(&begin)
	}
	for _, c := range &codings {
		sum += c.sum(begin[1:])
	}
	var copied [8]uint32
	copy(copied[:], begin[:])
	return sum + weighed(append([]uint32(nil), begin[:]...))
}

// References reads tables through pointers and slices.
//
//vyre:kernel workgroup=32
func References(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	c := &codings[n%3]
	x := c.sum(in[i:min(int(i)+3, len(in))]) + codings[1].sum(begin[n%4:]) + codings[(n>>3)%3].sum(begin[:5])
	var w [16]uint32
	x += uint32(copy(w[8:], begin[:])) + weighedOf(&begin) + weighed(begin[1:3:7]) + w[8+n%8]
	order := &orders[(n>>5)%3]
	row := orders[(n>>7)%3][1:]
	for k := range order {
		x = x*5 + uint32(order[k]) + uint32(row[k%3])
	}
	for k, v := range &begin {
		x += v << k
	}
	for _, v := range codings[1:] {
		x ^= v.poly >> v.steps[n%3]
	}
	last := widest(codings[:])
	steps := last.steps[n%2:]
	x += uint32(steps[0]) + uint32(len(steps)) + begin[*firstOf(&orders[0])]
	out[i] = x + uint32(offsetAt(&offset))
}

func offsetAt(p *uint64) uint64 { return *p + 1 }

func firstOf(p *[4]uint8) *uint8 { return &p[0] }

type mixture [3]struct {
	a uint16
	b [2]float64
	c bool
}

var (
	crcs    [256]uint32
	slicing [4][256]uint32
	rings   = ringsOf(7)
	mixed   = func() (m mixture) {
		for i := range m {
			m[i].a = uint16(i) * 40000
			m[i].b[i&1] = float64(i) / 3
			m[i].c = crcs[i]&1 == 1 || i == 2
		}
		return m
	}()
	twofold  = offset*2 + 1
	once     = *squaresOf(5)
	reversed [16]uint8
)

func init() {
	for i := range crcs {
		c := uint32(i)
		for range 8 {
			if c&1 == 1 {
				c = c>>1 ^ 0xEDB88320
			} else {
				c >>= 1
			}
		}
		crcs[i] = c
	}
	fillSlicing(&slicing)
}

func fillSlicing(t *[4][256]uint32) {
	t[0] = crcs
	for i, c := range crcs {
		for k := 1; k < len(t); k++ {
			c = crcs[byte(c)] ^ c>>8
			t[k][i] = c
		}
	}
}

func init() { reverse() }

func reverse() {
	for i := range reversed {
		reversed[i] = bits.Reverse8(uint8(i)) >> 4
	}
	reversed[3] ^= uint8(len(rings))
}

func ringsOf(n int) (r [12]int16) {
	for i := range r {
		r[i] = int16(i*n) - 20
	}
	return r
}

func squaresOf(n uint64) *[6]uint64 {
	var s [6]uint64
	for i := range s {
		s[i] = uint64(i) * n
	}
	return &s
}

// Filled reads tables that functions fill before main begins.
//
//vyre:kernel workgroup=32
func Filled(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	x := crcs[n&255]*3 + slicing[n>>8&3][n>>16&255] + uint32(rings[n%12])*7 + uint32(mixed[n%3].a) + uint32(twofold)
	if mixed[n>>4%3].c {
		x ^= 1 << 20
	}
	out[i] = x + uint32(mixed[n%3].b[n>>9&1]*1e6) + uint32(once[n%6])*11 + uint32(reversed[n&15])<<24
}

type angles [64]int32

var (
	crc64s = func() (t [256]uint64) { // of ECMA-182, reflected
		for i := range t {
			c := uint64(i)
			for range 8 {
				c = c>>1 ^ 0xC96C5795D7870F42&-(c&1)
			}
			t[i] = c
		}
		return t
	}()
	boxes      [2][256]uint8 // of AES, and its inverse
	quarter    angles
	shuffled   = permuted(17)
	deBruijn   [64]uint8
	ones       [256]uint8
	composites [1 << 12]bool
	nth        [100]uint16
	shorts     = [3]gpu.Float16{gpu.ToFloat16(1.5), gpu.ToFloat16(float32(len(shuffled)) / 3), {}}
	roots      = func() (r [9]complex128) {
		for i := range r {
			r[i] = complex(math.Sqrt(float64(i)), math.Mod(float64(i*i), 3)/7) * 1i
		}
		return r
	}()
)

func init() { // the box comes from the powers of the generator 3
	p, q := uint8(1), uint8(1)
	for ok := true; ok; ok = p != 1 {
		double := p << 1
		if p&0x80 != 0 {
			double ^= 0x1B
		}
		p ^= double
		q ^= q << 1
		q ^= q << 2
		q ^= q << 4
		if q&0x80 != 0 {
			q ^= 0x09
		}
		set(&boxes, p, q^bits.RotateLeft8(q, 1)^bits.RotateLeft8(q, 2)^bits.RotateLeft8(q, 3)^bits.RotateLeft8(q, 4)^0x63)
	}
	set(&boxes, 0, 0x63)
	quarter.turn()
}

func set(b *[2][256]uint8, x, y uint8) { b[0][x], b[1][y] = y, x }

// turn fills in a quarter wave by its recurrence, in numbers of 30 bits after the point.
func (a *angles) turn() {
	const cos, sin = 1073418433, 26350943
	x, y := int64(1)<<30, int64(0)
	for i := range a {
		a[i] = int32(math.Round(float64(y) / math.Ldexp(1, 2)))
		x, y = (x*cos-y*sin)>>30, (x*sin+y*cos)>>30
	}
}

func init() {
	list := make([]uint8, 0, 64)
	for i := range 64 {
		deBruijn[uint64(0x03f79d71b4cb0a89)<<i>>58] = uint8(i)
		list = append(list, uint8(i*i/7))
	}
	for i := range ones {
		ones[i] = ones[i/2] + uint8(i&1)
	}
	copy(ones[250:], list[60:])
	k := 0
	for p := 2; p < len(composites); p++ {
		if k < len(nth) && !composites[p] {
			nth[k] = uint16(p)
			k++
		}
		for m := p * p; m < len(composites); m += p {
			composites[m] = true
		}
	}
}

func permuted(seed uint32) (t [61]uint8) {
	for i := range t {
		t[i] = uint8(i)
	}
	for i := len(t) - 1; i > 0; i-- {
		seed = seed*1664525 + 1013904223
		j := int(seed>>8) % (i + 1)
		t[i], t[j] = t[j], t[i]
	}
	return t
}

// Computed reads more of them.
//
//vyre:kernel workgroup=32
func Computed(t gpu.Thread, in []uint32, out []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	x := crc64s[n&255]*5 ^ uint64(boxes[n>>8&1][n>>9&255])<<3 + uint64(quarter[n&63])*7 + uint64(shuffled[n%61])<<40
	x ^= uint64(deBruijn[n>>20&63])<<50 + uint64(ones[n>>3&255])<<8 + uint64(nth[n%100])*11
	if composites[n>>5&4095] {
		x++
	}
	r := roots[n%9]
	out[i] = x*31 ^ math.Float64bits(real(r)) + math.Float64bits(imag(r))<<1 + uint64(shorts[n%3].Bits())
}

var (
	listed     = []uint32{2, 3, 5, 7, 9: 11, 13}
	points     = []point{{1, 2}, {x: 3}, {y: 5}}
	triples    = [][3]uint16{{1, 2, 3}, {4, 5, 60000}}
	vectors    = [][4]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}
	bytesOf    = palette{9, 8, 7, 6, 5}
	sieved     = sieve(1000)
	cleared    = make([]int16, 5, 9)
	doubled    = []uint64{double(3), double(4)}
	empty      = []uint8{}
	unit       = &limbs{1, 0, 7}
	zeroed     = new(limbs)
	multiplied = new(limbs).times(unit, &limbs{5, 6, 7})
	lengths    = &[5]uint8{3, 1, 4, 1, 5}
	limits     = [...]int{len(listed), cap(cleared)}
	counting   = &limbs{l0: uint64(len(sieved))}
)

type palette []uint8

func (p palette) at(i uint32) uint8 { return p[int(i)%len(p)] }

type limbs struct{ l0, l1, l2 uint64 }

func (e *limbs) times(a, b *limbs) *limbs {
	e.l0, e.l1, e.l2 = a.l0*b.l0, a.l1+b.l1, a.l2^b.l2
	return e
}

func double(n uint64) uint64 { return 2 * n }

func sieve(limit int) []uint16 {
	var composite [1000]bool
	list := make([]uint16, 0, 200)
	for p := 2; p < limit; p++ {
		if !composite[p] {
			list = append(list, uint16(p))
		}
		for m := p * p; m < limit; m += p {
			composite[m] = true
		}
	}
	return list[1:]
}

func sumFrom(list []uint32, from int) (sum uint32) {
	for i, v := range list[from:] {
		sum += v * uint32(i+1)
	}
	return sum + uint32(cap(list))
}

// Listed reads package variables that are slices, and what package variables point to.
//
//vyre:kernel workgroup=32
func Listed(t gpu.Thread, in []uint32, out []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	n := in[i]
	x := uint64(listed[3]) + uint64(listed[n%11])*3 + uint64(points[n%3].y)<<3 + uint64(triples[n%2][n%3])<<8
	x += uint64(vectors[n%2][n%4]) + uint64(bytesOf.at(n)) + doubled[n%2]<<5 + uint64(len(empty))
	for k, v := range listed {
		x += uint64(v) * uint64(uint32(k)^n&7)
	}
	x += uint64(sumFrom(listed, int(n%8))) + uint64(sumFrom(listed[2:6], 1))
	x += uint64(sieved[n%uint32(len(sieved))])*31 + uint64(cap(sieved))<<9 + uint64(len(sieved[:cap(sieved)]))
	x += uint64(len(cleared)) + uint64(cap(cleared)) + uint64(cleared[n%5]) + uint64(limits[n&1])
	e := *unit
	e.l1 += uint64(n)
	var f limbs
	f.times(&e, multiplied)
	g := zeroed
	p := lengths
	x ^= f.l0<<7 + f.l1*5 + f.l2 + g.l2 + unit.l2*counting.l0 + uint64(p[n%5])
	for _, v := range lengths {
		x += uint64(v)
	}
	out[i] = x
}
