package cases

import "github.com/govyre/vyre/gpu"

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
