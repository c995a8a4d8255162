package cases

//lint:file-ignore SA4011,ST1015 unusual forms of break and default are what is tested here

import "github.com/govyre/vyre/gpu"

// Classify is a chain of ifs, with a declaration and a side effect on the way.
//
//vyre:kernel workgroup=32
func Classify(t gpu.Thread, in, out []int32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	r := int32(0)
	if x < 0 {
		r = 1
	} else if y := x * 2; y < 10 {
		r = y
	} else if y > 100 && (x&1 == 0 || x > 200) {
		if x > 300 {
			out[i] = -7
			return
		}
		r = 3
	} else {
		r = y + 4
	}
	out[i] = r
}

// Switches has a tag, several values in a case, a default in the middle, breaks, no tag, and a bool tag.
//
//vyre:kernel workgroup=32
func Switches(t gpu.Thread, in, out []int32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	r := int32(0)
	switch x := in[i] % 9; x {
	case 0:
	case 1, 2, 3:
		r = 10
		if x == 2 {
			break
		}
		r++
	default:
		r = 99
	case 5, -5:
		r = 50
	case bump(out, i):
		r = 60
	}
	switch {
	case r > 55:
		r += 1000
	case r > 9:
		r += 100
	}
	switch r > 100 {
	case true:
		r++
	case false:
		r--
	}
	out[i] += r
}

// bump has an effect that must happen only when the cases before do not apply.
func bump(out []int32, i uint32) int32 {
	out[i] += 7
	return 6
}

// Loops has every form of for, and leaves them in every way.
//
//vyre:kernel workgroup=32
func Loops(t gpu.Thread, in []int32, out []int64) {
	g := t.Global().X
	if g >= uint32(len(in)) {
		return
	}
	n := int(in[g] & 15)
	s := int64(0)
	for i := 0; i < n; i++ {
		if i == 3 {
			continue
		}
		s += int64(i)
	}
	for s > 20 {
		s -= 7
	}
	for {
		s++
		if s%5 == 0 {
			break
		}
	}
outer:
	for i := range n {
		for j := n; j > 0; j-- {
			switch {
			case j == i:
				continue outer
			case j*i > 40:
				break outer
			case j == 2:
				break
			default:
				s += int64(i * j)
			}
			if j&1 == 0 {
				continue
			}
			s ^= 3
		}
		i += 5
		s += int64(i)
	}
	for i, v := range in[:n] {
		s += int64(v) * int64(i+1)
		if v > 100 {
			break
		}
	}
	for i := range in[n/2:] {
		if i > 2 {
			break
		}
		s += int64(i)
	}
	for range uint8(n) {
		s += 2
	}
	var k uint8
	for k = range uint8(200) {
		if k > 7 {
			break
		}
	}
	for range 3 {
		s = s*3 + int64(k)
	}
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		s += int64(i*100 + j)
	}
	out[g] = s
}

// Collatz returns from inside a loop of a helper.
//
//vyre:kernel workgroup=32
func Collatz(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if int(i) < len(in) {
		out[i] = steps(in[i])
	}
}

func steps(n uint32) uint32 {
	for k := uint32(0); ; k++ {
		if n <= 1 {
			return k
		}
		if n%2 == 0 {
			n /= 2
			continue
		}
		n = 3*n + 1
	}
}

// ShortCircuit must not evaluate a right side that does not decide.
//
//vyre:kernel workgroup=32
func ShortCircuit(t gpu.Thread, in []int32, out []int32, count []int32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	a := x > 0 && touch(count, i) && x > 5
	b := x < -3 || touch(count, i) || x == 2
	if a != b || !a {
		out[i] = 1
	}
	if ok := a == (x > 7); ok {
		out[i] += 2
	}
	out[i] += added(out, i)
}

// added changes the element that its caller adds to.
func added(out []int32, i uint32) int32 {
	out[i] *= 3
	return 5
}

func touch(count []int32, i uint32) bool {
	count[i]++
	return count[i]&1 == 1
}

// Falls has clauses that fall into the next, the default in the middle, and loops around them.
//
//vyre:kernel workgroup=32
func Falls(t gpu.Thread, in []uint32, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	r := uint32(1)
	for k := range uint32(6) {
		v := in[i] >> (k * 3) & 7
		switch x := v ^ k; {
		case x == 0:
			continue
		case x == 1:
			r += 3
			fallthrough
		case x == 2, r&7 == 5:
			x := r ^ k
			r ^= x << 3
			if k > 3 {
				break
			}
			r++
			fallthrough
		default:
			r = r*5 + x
			fallthrough
		case x == 4:
			r -= x
		case x == 5:
			r ^= 0x55
			fallthrough
		case x == 6:
		}
	}
	out[i] = r
}

func evens(n uint32) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for k := uint32(0); k < n && yield(k); k += 2 {
		}
	}
}

// scanned reads numbers of single digits, with a machine of states.
func scanned(x uint32) (n, wrong uint32) {
	k := 0
start:
	if k > 8 {
		goto end
	}
	switch d := x >> (3 * k) & 7; {
	case d == 0:
		k++
		goto start
	case d < 4:
		goto digits
	case d == 7:
		goto fail
	}
	k++
	n += 3
	goto start
digits:
	for ; k < 9; k++ {
		d := x >> (3 * k) & 7
		if d > 4 {
			goto start
		}
		n = n*5 + d
	}
	goto end
fail:
	wrong++
	k += 2
	if wrong < 3 {
		goto start
	}
	return n, 77
end:
	return n ^ 1, wrong
}

// Jumps has a goto forward, backward, out of loops, of a range over a function, and into rounds with variables of their own.
//
//vyre:kernel workgroup=32
func Jumps(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := in[i]
	h, wrong := scanned(x)
	h += wrong << 20
	c, m := uint32(0), 0
retry:
	for k := range evens(20) {
		for j := range evens(6) {
			if c += j + k; c&63 == x&63 {
				goto out
			}
			if c == 40 {
				c++
				goto retry
			}
		}
	}
	h++
out:
	h = h*31 + c
more:
	v := uint32(m) + x
	var a [4]uint32
	a[m&3] += v
	h = h*7 + a[0] + a[1]
	if m++; m < 5 {
		goto more
	}
	out[i] = h
}

type trail struct{ depth, log uint32 }

func (t *trail) enter(k uint32) *trail {
	t.depth, t.log = t.depth+1, t.log*7+k
	return t
}

func (t *trail) leave(k uint32) { t.depth, t.log = t.depth-1, t.log*11+k }

func (t trail) add(n *uint32) { *n = *n*13 + t.log }

func followed(t *trail, x uint32) (r uint32, ok bool) {
	k := x & 3
	if k == 3 {
		return 5, true
	}
	defer t.enter(k).leave(k + 1)
	k = 9
	defer func() {
		if r = r*2 + 1; !ok {
			r ^= t.log
		}
	}()
	if x&1 == 0 {
		return x >> 1, true
	}
	for j := range evens(x & 15) {
		if r += j; r > 11 {
			return r, j&2 == 0
		}
	}
	return
}

// Defers defers calls of functions, methods and literals, with and without returns before and after.
//
//vyre:kernel workgroup=32
func Defers(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var way trail
	h := uint32(0)
	defer func() { out[i] += h }()
	defer way.add(&h)
	r, ok := followed(&way, in[i])
	if h = r; ok {
		return
	}
	defer way.add(&h)
	r, _ = followed(&way, in[i]>>3)
	h += r ^ way.depth
}
