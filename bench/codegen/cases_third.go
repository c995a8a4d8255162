package codegen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"time"
)

// Kernels of the third lot.

// rows is a grid for one invocation for each of n.
func rows(n, workgroup int) [3]uint32 {
	return [3]uint32{uint32((n + workgroup - 1) / workgroup), 1, 1}
}

// solve is a problem of one launch that writes some buffers, as want does.
func solve(n, kernel string, grid [3]uint32, want func() map[*Buffer][]byte, list ...any) *Problem {
	p := &Problem{N: n, Steps: []Step{{kernel, grid, args(list...)}}, Want: want}
	for _, a := range p.Steps[0].Args {
		if a.Buffer != nil {
			p.Buffers = append(p.Buffers, a.Buffer)
			p.Bytes += a.Buffer.Bytes
		}
	}
	return p
}

func logMatch(s Size) *Problem {
	n, some := pick(s, 256, 64<<10, 4<<20), random(80)
	// The pattern ([0-9]+\.){3}[0-9]+:[0-9]+ as an automaton; kinds are others, digits, the point and the colon.
	kind, next, accepts := make([]uint8, 256), make([]uint16, 4*11), make([]uint8, 11)
	for c := byte('0'); c <= '9'; c++ {
		kind[c] = 1
	}
	kind['.'], kind[':'], accepts[10] = 2, 3, 1
	for i := range next {
		next[i] = 1
	}
	next[0*4+1] = 2
	for state := 2; state <= 10; state += 2 { // after a digit
		next[state*4+1] = uint16(state)
		if state < 10 {
			next[state*4+2+state/8] = uint16(state + 1)
			next[(state+1)*4+1] = uint16(state + 2)
		}
	}
	parts := []string{"error ", "accepted connection from ", "user=", "took 12.5 ms ", "GET /index.html HTTP/1.1 ", "v1.2.3.4 ", "at 10:32:07 "}
	starts, text := []uint32{0}, []byte(nil)
	for range n {
		for range 1 + some.below(6) {
			text = append(text, parts[some.below(uint32(len(parts)))]...)
			if some.below(6) == 0 {
				for k := range 5 {
					text = append(strconv.AppendUint(text, uint64(some.below(1+255<<(k/4*8))), 10), "...: "[k])
				}
			}
		}
		starts = append(starts, uint32(len(text)))
	}
	out := output("found", 8*n)
	want := func() map[*Buffer][]byte {
		found := make([][2]int32, n)
		for i := range found {
			line := text[starts[i]:starts[i+1]]
			found[i] = [2]int32{-1, -1}
			for from := range line {
				if to := address(line, from); to > 0 {
					found[i] = [2]int32{int32(from), int32(to)}
					break
				}
			}
		}
		return map[*Buffer][]byte{out: bytesOf(found)}
	}
	return solve(fmt.Sprintf("%d lines, %d bytes", n, len(text)), "LogMatch", rows(n, 128), want, uint32(4), buffer("kind", In, kind),
		buffer("next", In, next), buffer("accepts", In, accepts), buffer("starts", In, starts), buffer("text", In, text), out)
}

// address is the end of an address with a port that begins in a line; 0 if none does.
func address(line []byte, at int) int {
	for part := range 5 {
		first := at
		for at < len(line) && line[at] >= '0' && line[at] <= '9' {
			at++
		}
		switch {
		case at == first:
			return 0
		case part == 4:
			return at
		case at == len(line) || line[at] != "...:"[part]:
			return 0
		}
		at++
	}
	return at
}

func align(s Size) *Problem {
	const letters, open, extend = 20, 11, 1
	n, some := pick(s, 64, 4<<10, 256<<10), random(81)
	query, scores := make([]uint8, pick(s, 20, 60, 60)), make([]int8, letters*letters)
	for a := range letters {
		for b := range a + 1 {
			scores[a*letters+b] = int8(some.below(7)) - 4
			if a == b {
				scores[a*letters+b] = 4 + int8(some.below(6))
			}
			scores[b*letters+a] = scores[a*letters+b]
		}
	}
	for i := range query {
		query[i] = uint8(some.below(letters))
	}
	starts, targets := []uint32{0}, []uint8(nil)
	for range n {
		length := 20 + int(some.below(pick[uint32](s, 20, 200, 200)))
		for k := range length { // what is not random is the query with gaps
			letter := uint8(some.below(letters))
			if at := k % (len(query) + 5); at < len(query) && some.below(3) > 0 {
				letter = query[at]
			}
			targets = append(targets, letter)
		}
		starts = append(starts, uint32(len(targets)))
	}
	type alignment struct {
		score         int32
		query, target uint16
	}
	out := output("best", 8*n)
	want := func() map[*Buffer][]byte {
		best := make([]alignment, n)
		h, e := make([]int32, len(query)+1), make([]int32, len(query)+1)
		for i := range best {
			clear(h)
			clear(e)
			for k, letter := range targets[starts[i]:starts[i+1]] {
				f, diagonal := int32(0), int32(0)
				for j, q := range query {
					e[j+1] = max(e[j+1]-extend, h[j+1]-open)
					f = max(f-extend, h[j]-open)
					v := max(diagonal+int32(scores[int(letter)*letters+int(q)]), e[j+1], f, 0)
					diagonal, h[j+1] = h[j+1], v
					if v > best[i].score {
						best[i] = alignment{v, uint16(j + 1), uint16(k + 1)}
					}
				}
			}
		}
		return map[*Buffer][]byte{out: bytesOf(best)}
	}
	return solve(fmt.Sprintf("%d targets, %d letters", n, len(targets)), "Align", rows(n, 64), want, uint32(letters), uint32(open), uint32(extend),
		buffer("scores", In, scores), buffer("query", In, query), buffer("starts", In, starts), buffer("targets", In, targets), out)
}

func lz4(s Size) *Problem {
	const block = 1024
	n, some := pick(s, 64, 8<<10, 256<<10), random(82)
	var vocabulary [256][]byte
	for i := range vocabulary {
		for range 2 + some.below(9) {
			vocabulary[i] = append(vocabulary[i], 'a'+byte(some.below(26)))
		}
	}
	starts, packed := []uint32{0}, []byte(nil)
	for range n {
		var plain []byte
		for size := block - int(some.below(64)); len(plain) < size; {
			plain = append(append(plain, vocabulary[some.below(1+some.below(256))]...), ' ')
		}
		packed = pack(packed, plain[:min(len(plain), block)])
		if first := starts[len(starts)-1]; some.below(16) == 0 { // some are damaged
			packed[first+some.below(uint32(len(packed))-first)] ^= byte(some.next())
		}
		starts = append(starts, uint32(len(packed)))
	}
	bo, br := output("out", block*n), output("results", 8*n)
	want := func() map[*Buffer][]byte {
		out, results := make([]byte, block*n), make([][2]uint32, n)
		for i := range results {
			got, state := unpacked(out[block*i:block*i:block*(i+1)], packed[starts[i]:starts[i+1]])
			results[i] = [2]uint32{state, uint32(len(got))}
		}
		return map[*Buffer][]byte{bo: out, br: bytesOf(results)}
	}
	return solve(fmt.Sprintf("%d blocks, %d bytes packed", n, len(packed)), "LZ4", rows(n, 64), want,
		buffer("starts", In, starts), buffer("packed", In, packed), bo, br)
}

// pack appends a block of the LZ4 format.
func pack(out, in []byte) []byte {
	var places [1 << 12]uint16 // of four bytes, by their hash, plus one
	done := 0
	for at := 0; at+12 < len(in); {
		word := binary.LittleEndian.Uint32(in[at:])
		place := &places[word*2654435761>>20]
		from := int(*place) - 1
		*place = uint16(at + 1)
		if from < 0 || binary.LittleEndian.Uint32(in[from:]) != word {
			at++
			continue
		}
		length := 4
		for at+length < len(in)-5 && in[from+length] == in[at+length] {
			length++
		}
		out = packSequence(out, in[done:at], at-from, length)
		at += length
		done = at
	}
	return packSequence(out, in[done:], 0, 4)
}

func packSequence(out, literals []byte, back, match int) []byte {
	rest := func(n int) {
		if n -= 15; n >= 0 {
			for ; n >= 255; n -= 255 {
				out = append(out, 255)
			}
			out = append(out, byte(n))
		}
	}
	out = append(out, byte(min(len(literals), 15)<<4|min(match-4, 15)))
	rest(len(literals))
	out = append(out, literals...)
	if back > 0 {
		out = append(out, byte(back), byte(back>>8))
		rest(match - 4)
	}
	return out
}

// unpacked appends what a block holds to out, up to its capacity.
func unpacked(out, in []byte) ([]byte, uint32) {
	length := func(n int) (int, bool) {
		for more := n == 15; more; in = in[1:] {
			if len(in) == 0 {
				return 0, false
			}
			n += int(in[0])
			more = in[0] == 255
		}
		return n, true
	}
	for len(in) > 0 {
		token := int(in[0])
		in = in[1:]
		n, ok := length(token >> 4)
		switch {
		case !ok || n > len(in):
			return out, 1
		case n > cap(out)-len(out):
			return out, 2
		}
		out, in = append(out, in[:n]...), in[n:]
		if len(in) == 0 {
			break
		}
		if len(in) < 2 {
			return out, 1
		}
		back := int(binary.LittleEndian.Uint16(in))
		in = in[2:]
		if back == 0 || back > len(out) {
			return out, 3
		}
		if n, ok = length(token & 15); !ok {
			return out, 1
		}
		if n+4 > cap(out)-len(out) {
			return out, 2
		}
		for range n + 4 {
			out = append(out, out[len(out)-back])
		}
	}
	return out, 0
}

func idct(s Size) *Problem {
	n, columns, some := pick(s, 128, 64<<10, 2<<20), pick(s, 16, 256, 2048), random(83)
	quantum, blocks := make([]uint16, 64), make([]int16, 64*n)
	for k := range quantum {
		quantum[k] = uint16(8 + k + k/8)
	}
	for i := range n {
		blocks[64*i] = int16(some.below(200)) - 100
		for k := range some.below(1 + some.below(48)) { // low frequencies, less and less of them
			blocks[64*i+1+int(k)] = int16(some.below(40)/(1+k)) - int16(20/(1+k))
		}
	}
	out := output("pixels", 64*n)
	want := func() map[*Buffer][]byte {
		// The places of the coefficients: up and down the diagonals.
		var order []int
		for d := range 15 {
			for k := range d + 1 {
				y, x := k, d-k
				if d%2 == 0 {
					y, x = x, y
				}
				if x < 8 && y < 8 {
					order = append(order, 8*y+x)
				}
			}
		}
		pixels := make([]byte, 64*n)
		var v [64]int32
		for i := range n {
			for k, at := range order {
				v[at] = int32(blocks[64*i+k]) * int32(quantum[k])
			}
			for x := range 8 {
				inverse(v[x:], 8, 11)
			}
			for y := range 8 {
				inverse(v[8*y:], 1, 18)
				row := pixels[((i/columns*8+y)*columns+i%columns)*8:][:8]
				for x := range row {
					row[x] = byte(min(max(v[8*y+x]+128, 0), 255))
				}
			}
		}
		return map[*Buffer][]byte{out: pixels}
	}
	return solve(fmt.Sprintf("%d blocks", n), "IDCT", rows(n, 64), want, uint32(columns), buffer("quantum", In, quantum), buffer("blocks", In, blocks), out)
}

// inverse transforms eight coefficients in place.
func inverse(v []int32, step int, shift uint) {
	c0, c1, c2, c3, c4, c5, c6, c7 := v[0], v[step], v[2*step], v[3*step], v[4*step], v[5*step], v[6*step], v[7*step]
	z := (c2 + c6) * 4433
	t2, t3 := z-c6*15137, z+c2*6270
	t0, t1 := (c0+c4)<<13+1<<(shift-1), (c0-c4)<<13+1<<(shift-1)
	a, b, c, d := t0+t3, t1+t2, t1-t2, t0-t3
	z = (c7 + c3 + c5 + c1) * 9633
	z1, z2, z3, z4 := (c7+c1)*7373, (c5+c3)*20995, z-(c7+c3)*16069, z-(c5+c1)*3196
	e, f, g, h := c1*12299-z1+z4, c3*25172-z2+z3, c5*16819-z2+z4, c7*2446-z1+z3
	for k, w := range [8]int32{a + e, b + f, c + g, d + h, d - h, c - g, b - f, a - e} {
		v[k*step] = w >> shift
	}
}

type gravityCell struct {
	centre       [3]float32
	mass, width  float32
	first, parts uint32
}

// octree adds the cells of some bodies to those in which they lie. It puts neighbours beside each other. Depth is what a
// walk has on its stack.
func octree(cells *[]gravityCell, at int, bodies [][3]float32, corner [3]float32, width float32, depth int) {
	if len(bodies) == 1 {
		(*cells)[at] = gravityCell{centre: bodies[0], mass: 1}
		return
	}
	var octants [8][][3]float32
	for _, b := range bodies {
		k := 0
		for d := range 3 {
			if b[d] >= corner[d]+width/2 {
				k |= 1 << d
			}
		}
		octants[k] = append(octants[k], b)
	}
	cell := gravityCell{width: width, first: uint32(len(*cells))}
	bodies = bodies[:0]
	for _, o := range octants {
		if len(o) > 0 {
			cell.parts++
			bodies = append(bodies, o...)
		}
	}
	if depth += int(cell.parts) - 1; depth > 64 {
		panic("BUG: the tree is too deep")
	}
	*cells = append(*cells, make([]gravityCell, cell.parts)...)
	part := int(cell.first)
	for k, o := range octants {
		if len(o) == 0 {
			continue
		}
		from := corner
		for d := range 3 {
			from[d] += width / 2 * float32(k>>d&1)
		}
		octree(cells, part, bodies[:len(o)], from, width/2, depth)
		bodies = bodies[len(o):]
		p := (*cells)[part]
		for d := range 3 {
			cell.centre[d] += p.centre[d] * p.mass
		}
		cell.mass += p.mass
		part++
	}
	for d := range 3 {
		cell.centre[d] /= cell.mass
	}
	(*cells)[at] = cell
}

func gravity(s Size) *Problem {
	const angle, soft = float32(0.7), float32(1e-4)
	n := pick(s, 256, 16<<10, 1<<20)
	values := floats(84, 3*n)
	bodies, cells := valuesOf[[3]float32](bytesOf(values)), make([]gravityCell, 1)
	octree(&cells, 0, bodies, [3]float32{-1, -1, -1}, 2, 1)
	out := output("pulls", 12*n)
	want := func() map[*Buffer][]byte {
		pulls := make([][3]float32, n)
		for i, b := range bodies {
			pulls[i] = pullOn(b, cells, 0, angle*angle, soft, pulls[i])
		}
		return map[*Buffer][]byte{out: bytesOf(pulls)}
	}
	return solve(fmt.Sprintf("%d bodies, %d cells", n, len(cells)), "Gravity", rows(n, 128), want, angle, soft, buffer("cells", In, cells), buffer("bodies", In, bodies), out)
}

// pullOn adds the pull of a cell on a body to sum. Products are rounded.
func pullOn(b [3]float32, cells []gravityCell, at uint32, square, soft float32, sum [3]float32) [3]float32 {
	c := &cells[at]
	x, y, z := c.centre[0]-b[0], c.centre[1]-b[1], c.centre[2]-b[2]
	r := soft + float32(x*x) + float32(y*y) + float32(z*z)
	if c.parts == 0 || c.width*c.width < square*r {
		f := c.mass / (r * float32(math.Sqrt(float64(r))))
		return [3]float32{sum[0] + float32(f*x), sum[1] + float32(f*y), sum[2] + float32(f*z)}
	}
	for k := c.parts; k > 0; k-- {
		sum = pullOn(b, cells, c.first+k-1, square, soft, sum)
	}
	return sum
}

func spline(s Size) *Problem {
	n, m := pick(s, 512, 256<<10, 16<<20), pick(s, 50, 5000, 50_000)
	knots, steps := make([]float64, m), doubles(85, m)
	for k := 1; k < m; k++ {
		knots[k] = knots[k-1] + 0.01 + steps[k]*steps[k]
	}
	values, x := doubles(86, 4*(m-1)), doubles(87, n)
	for i := range x {
		x[i] = (x[i] + 1) / 2 * knots[m-1] * 1.01 * (1 - float64(i%100/99)*1.001)
	}
	out := output("samples", 16*n)
	want := func() map[*Buffer][]byte {
		samples := make([][2]float64, n)
		for i, x := range x {
			lo, hi := 0, m // of the knots from lo on, and none from hi on, the first above x
			for lo < hi {
				if mid := int(uint(lo+hi) / 2); knots[mid] <= x {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			if lo == 0 {
				samples[i][0] = values[0]
				continue
			}
			piece := min(lo-1, m-2)
			p, d := values[4*piece:][:4], min(x, knots[m-1])-knots[piece]
			samples[i][0] = p[0] + float64(d*(p[1]+float64(d*(p[2]+float64(d*p[3])))))
			if lo < m {
				samples[i][1] = p[1] + float64(d*(float64(2*p[2])+float64(d*(3*p[3]))))
			}
		}
		return map[*Buffer][]byte{out: bytesOf(samples)}
	}
	return solve(fmt.Sprintf("%d places, %d knots", n, m), "Spline", rows(n, 128), want, buffer("knots", In, knots), buffer("pieces", In, values), buffer("x", In, x), out)
}

func flow(s Size) *Problem {
	const rate = float32(1.2)
	w, h := pick(s, 64, 512, 2048), pick(s, 8, 512, 2048)
	cells, some := w*h, random(88)
	now, wall := between(89, 9*cells, 0.05, 0.15), make([]uint8, cells)
	for range cells / 512 { // walls of some length
		y, x := int(some.below(uint32(h))), int(some.below(uint32(w)))
		for k := range min(w-x, 16) {
			wall[y*w+x+k] = 1
		}
	}
	out := output("next", 36*cells)
	want := func() map[*Buffer][]byte {
		next := make([]float32, 9*cells)
		steps := [9][2]int{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
		back := [9]int{0, 3, 4, 1, 2, 7, 8, 5, 6}
		weight := [9]float32{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}
		for y := range h {
			for x := range w {
				var f [9]float32
				for k, e := range steps {
					f[k] = now[k*cells+(y-e[1]+h)%h*w+(x-e[0]+w)%w]
				}
				at := y*w + x
				if wall[at] != 0 {
					for k, b := range back {
						next[k*cells+at] = f[b]
					}
					continue
				}
				var sum, ux, uy float32
				for k, v := range f {
					sum += v
					ux += float32(v * float32(steps[k][0]))
					uy += float32(v * float32(steps[k][1]))
				}
				ux, uy = ux/sum, uy/sum
				still := 1 - float32(1.5*(float32(ux*ux)+float32(uy*uy)))
				for k, v := range f {
					along := 3 * (float32(ux*float32(steps[k][0])) + float32(uy*float32(steps[k][1])))
					rest := weight[k] * sum * (still + along + float32(0.5*along*along))
					next[k*cells+at] = v + float32(rate*(rest-v))
				}
			}
		}
		return map[*Buffer][]byte{out: bytesOf(next)}
	}
	return solve(fmt.Sprintf("%d by %d cells", w, h), "Flow", [3]uint32{uint32(w / 32), uint32(h / 4), 1}, want,
		uint32(w), uint32(h), rate, buffer("wall", In, wall), buffer("now", In, now), out)
}

func reedSolomon(s Size) *Problem {
	const length, parity = 223, 32
	n := pick(s, 128, 16<<10, 1<<20)
	logs, powers := make([]uint8, 256), make([]uint8, 512)
	for k, x := 0, 1; k < 512; k++ {
		powers[k] = uint8(x)
		if k < 255 {
			logs[x] = uint8(k)
		}
		if x <<= 1; x > 255 {
			x ^= 0x11d
		}
	}
	times := func(a, b uint8) uint8 {
		if a == 0 || b == 0 {
			return 0
		}
		return powers[int(logs[a])+int(logs[b])]
	}
	polynomial := []uint8{1} // the product of x - 2**k, the highest power first
	for k := range parity {
		polynomial = append(polynomial, 0)
		for j := len(polynomial) - 1; j > 0; j-- {
			polynomial[j] ^= times(polynomial[j-1], powers[k])
		}
	}
	factors := make([]uint8, parity)
	for k := range factors {
		factors[k] = logs[polynomial[k+1]]
	}
	messages := bytesOf(words(90, n*length/4+1))[:n*length]
	out := output("parities", parity*n)
	want := func() map[*Buffer][]byte {
		all := make([]byte, 0, parity*n)
		var rest [length + parity]byte
		for i := range n { // a long division
			clear(rest[copy(rest[:], messages[length*i:][:length]):])
			for k := range length {
				if rest[k] == 0 {
					continue
				}
				l := int(logs[rest[k]])
				for j, f := range factors {
					rest[k+1+j] ^= powers[l+int(f)]
				}
			}
			all = append(all, rest[length:]...)
		}
		return map[*Buffer][]byte{out: all}
	}
	return solve(fmt.Sprintf("%d messages", n), "ReedSolomon", rows(n, 128), want, buffer("logs", In, logs), buffer("powers", In, powers),
		buffer("polynomial", In, factors), buffer("messages", In, messages), out)
}

func ledger(s Size) *Problem {
	n, some := pick(s, 256, 128<<10, 8<<20), random(91)
	starts, text := []uint32{0}, make([]byte, 0, 40*n)
	goods := []string{"coffee", "train to work", "rent", "a present for the children"}
	moneys := []string{"EUR", "USD", "JPY", "CHF"}
	for range n {
		first, digits := len(text), time.Unix(int64(some.below(20_000))*86400, 0).UTC()
		text = append(digits.AppendFormat(text, "2006-01-02"), ',')
		text = strconv.AppendInt(text, int64(some.below(1<<some.below(20)))-100, 10)
		if k := some.below(100); k < 80 {
			text = append(text, '.', '0'+byte(k/10), '0'+byte(k%10))
		}
		text = append(append(text, ','), moneys[some.below(4)]...)
		text = append(append(text, ','), goods[some.below(4)]...)
		if some.below(32) == 0 {
			text[first+int(some.below(20))] = '/'
		}
		starts = append(starts, uint32(len(text)))
	}
	bd, bc, bm, bf := output("days", 4*n), output("cents", 8*n), output("currency", n), output("flaws", n)
	want := func() map[*Buffer][]byte {
		days, cents, money, flaws := make([]int32, n), make([]int64, n), make([]uint8, n), make([]uint8, n)
		for i := range flaws {
			days[i], cents[i], money[i], flaws[i] = entry(text[starts[i]:starts[i+1]], moneys)
		}
		return map[*Buffer][]byte{bd: bytesOf(days), bc: bytesOf(cents), bm: money, bf: flaws}
	}
	return solve(fmt.Sprintf("%d lines, %d bytes", n, len(text)), "Ledger", rows(n, 128), want,
		buffer("starts", In, starts), buffer("text", In, text), bd, bc, bm, bf)
}

// entry reads a line of a ledger.
func entry(line []byte, moneys []string) (day int32, cents int64, money, flaw uint8) {
	date, line, ok := bytes.Cut(line, []byte(","))
	if !ok || len(date) != 10 || date[4] != '-' || date[7] != '-' {
		return 0, 0, 0, 1
	}
	y, ok1 := decimal(date[:4])
	m, ok2 := decimal(date[5:7])
	d, ok3 := decimal(date[8:])
	if !ok1 || !ok2 || !ok3 || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, 0, 0, 1
	}
	amount, line, ok := bytes.Cut(line, []byte(","))
	digits, negative := bytes.CutPrefix(amount, []byte("-"))
	whole, part, point := bytes.Cut(digits, []byte("."))
	v, ok1 := decimal(whole)
	v *= 100
	if point {
		w, ok2 := decimal(part)
		ok = ok && ok2 && len(part) == 2
		v += w
	}
	if !ok || !ok1 {
		return 0, 0, 0, 2
	}
	if negative {
		v = -v
	}
	for k, name := range moneys {
		if len(line) >= 3 && string(line[:3]) == name {
			return int32(time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC).Unix() / 86400), v, uint8(k), 0
		}
	}
	return 0, 0, 0, 3
}

func decimal(text []byte) (v int64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	return v, len(text) > 0
}

func viterbi(s Size) *Problem {
	const frame = 256
	n, some := pick(s, 4, 1<<10, 64<<10), random(92)
	symbols := make([]int8, 2*frame*n)
	for i := range n {
		register := 0
		for k := range frame {
			register = register << 1 & 127
			if k < frame-6 {
				register |= int(some.next() >> 63)
			}
			for j, polynomial := range [2]int{0o171, 0o133} {
				v := int8(some.below(40)) - 60 // a 0
				if bits.OnesCount(uint(register&polynomial))%2 > 0 {
					v = -v
				}
				if some.below(16) == 0 { // noise
					v = int8(some.below(200)) - 100
				}
				symbols[2*(frame*i+k)+j] = v
			}
		}
	}
	out := output("frames", frame/8*n)
	want := func() map[*Buffer][]byte {
		// A path is a state, what is unlike before it, and the state before, by bit.
		frames := make([]byte, frame/8*n)
		var choices [frame][64]uint8
		var sent [128][2]int32 // signs
		for register := range sent {
			for j, polynomial := range [2]int{0o171, 0o133} {
				sent[register][j] = 1 - int32(bits.OnesCount(uint(register&polynomial))%2)*2
			}
		}
		for i := range n {
			var now, next [64]int32
			for k := 1; k < 64; k++ {
				now[k] = 1 << 20
			}
			for k := range frame {
				a, b := int32(symbols[2*(frame*i+k)]), int32(symbols[2*(frame*i+k)+1])
				for register := range 64 {
					p, q := sent[register], sent[register+64]
					v, w := now[register/2]+p[0]*a+p[1]*b, now[register/2+32]+q[0]*a+q[1]*b
					next[register], choices[k][register] = v, 0
					if w < v {
						next[register], choices[k][register] = w, 32
					}
				}
				now = next
			}
			at := 0
			for k := frame - 1; k >= 0; k-- {
				frames[frame/8*i+k/8] |= byte(at&1) << (k % 8)
				at = at/2 + int(choices[k][at])
			}
		}
		return map[*Buffer][]byte{out: frames}
	}
	return solve(fmt.Sprintf("%d frames", n), "Viterbi", [3]uint32{uint32(n), 1, 1}, want, buffer("symbols", In, symbols), out)
}

func ntt(s Size) *Problem {
	const points, prime = 1024, 998244353
	n := pick(s, 4, 1<<10, 64<<10)
	root, power := uint64(3), uint64(1) // of the field, and then of unity
	for k := uint64((prime - 1) / points); k > 0; k /= 2 {
		if k%2 == 1 {
			power = power * root % prime
		}
		root = root * root % prime
	}
	powers, values := make([]uint32, points/2), words(93, n*points)
	for k, x := 0, uint64(1); k < len(powers); k++ {
		powers[k] = uint32(x)
		x = x * power % prime
	}
	for i := range values {
		values[i] %= prime
	}
	b := buffer("polynomials", Update, values)
	want := func() map[*Buffer][]byte {
		out, other := make([]uint32, len(values)), make([]uint32, points)
		copy(out, values)
		for i := 0; i < len(out); i += points {
			// Stockham's: from one array into the other, in order.
			x, y := out[i:i+points], other
			for n, stride := points, 1; n > 1; n, stride = n/2, stride*2 {
				for p := range n / 2 {
					w := uint64(powers[p*stride])
					for q := range stride {
						a, b := x[q+stride*p], x[q+stride*(p+n/2)]
						sum := a + b
						if sum >= prime {
							sum -= prime
						}
						y[q+stride*2*p] = sum
						y[q+stride*(2*p+1)] = uint32((uint64(a) + prime - uint64(b)) * w % prime)
					}
				}
				x, y = y, x
			}
		}
		return map[*Buffer][]byte{b: bytesOf(out)}
	}
	return solve(fmt.Sprintf("%d polynomials", n), "NTT", [3]uint32{uint32(n), 1, 1}, want, buffer("powers", In, powers), b)
}

func kMeans(s Size) *Problem {
	const m, dimensions = 48, 16
	n, some := pick(s, 512, 64<<10, 4<<20), random(94)
	centres, points := floats(95, m*dimensions), floats(96, n*dimensions)
	for i := range n {
		c := int(some.below(m))
		for k := range dimensions {
			points[i*dimensions+k] = centres[c*dimensions+k] + points[i*dimensions+k]*0.3
		}
	}
	out, sizes := output("nearest", n), buffer("sizes", Update, make([]uint32, 64))
	want := func() map[*Buffer][]byte {
		nearest, counts := make([]uint8, n), make([]uint32, 64)
		for i := range nearest {
			p, least := points[i*dimensions:][:dimensions], float32(math.MaxFloat32)
		next:
			for c := range m {
				q, sum := centres[c*dimensions:][:dimensions], float32(0)
				for k := range p {
					if k%4 == 0 && sum > least {
						continue next
					}
					d := p[k] - q[k]
					sum += float32(d * d)
				}
				if sum < least {
					nearest[i], least = uint8(c), sum
				}
			}
			counts[nearest[i]]++
		}
		return map[*Buffer][]byte{out: nearest, sizes: bytesOf(counts)}
	}
	return solve(fmt.Sprintf("%d points, %d centres", n, m), "KMeans", rows(n, 256), want, buffer("centres", In, centres), buffer("points", In, points), out, sizes)
}
