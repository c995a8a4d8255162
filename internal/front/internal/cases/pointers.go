package cases

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// element is a number modulo a prime of 128 bits, as libraries of fields write it: methods on pointers that return their receiver.
type element [2]uint64

const modulus0, modulus1 = 0xFFFF_FFFF_FFFF_FF61, 0xFFFF_FFFF_FFFF_FFFF

func (z *element) set(x *element) *element {
	z[0], z[1] = x[0], x[1]
	return z
}

func (z *element) less(x, y *element) bool {
	_, b := bits.Sub64(x[0], y[0], 0)
	_, b = bits.Sub64(x[1], y[1], b)
	return b != 0
}

func (z *element) add(x, y *element) *element {
	var c uint64
	z[0], c = bits.Add64(x[0], y[0], 0)
	z[1], c = bits.Add64(x[1], y[1], c)
	m := element{modulus0, modulus1}
	if c != 0 || !z.less(z, &m) {
		var b uint64
		z[0], b = bits.Sub64(z[0], modulus0, 0)
		z[1], _ = bits.Sub64(z[1], modulus1, b)
	}
	return z
}

func (z *element) double(x *element) *element { return z.add(x, x) }

func (z *element) mul(x *element, k uint32) *element {
	var sum element
	y := *x
	for ; k != 0; k >>= 1 {
		if k&1 == 1 {
			sum.add(&sum, &y)
		}
		y.double(&y)
	}
	return z.set(&sum)
}

// Fields computes with pointers to variables, to parts of them, and with results that are pointers.
//
//vyre:kernel workgroup=32
func Fields(t gpu.Thread, in []uint32, out []uint64) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	x := element{uint64(in[i]) << 32, ^uint64(in[i])}
	y := &element{1: 3}
	z := new(element)
	z.add(&x, y).double(z).mul(z, in[i]&0xff)
	p := z.set(z)
	p[1] ^= uint64(len(p))
	*y = *p
	y[0]++
	out[2*i], out[2*i+1] = z[0]+y[0], p[1]-y[1]
}

type tree struct {
	left, right [8]int8
	key         [8]uint16
	size        int32
}

// insert is what a search tree in an array does, by a pointer to all of it.
func (b *tree) insert(k uint16) (depth int32) {
	at := int32(0)
	for ; b.size > 0; depth++ {
		next := &b.right
		if k < b.key[at] {
			next = &b.right // the same once more
			depth += int32(next[at]) & 1
			if b.left[at] == 0 {
				b.left[at] = int8(b.size)
				break
			}
			at = int32(b.left[at])
			continue
		}
		if next[at] == 0 {
			next[at] = int8(b.size)
			break
		}
		at = int32(next[at])
	}
	b.key[b.size&7] = k
	b.size = (b.size + 1) & 7
	return depth
}

func swap[T any](a, b *T) { *a, *b = *b, *a }

func raise(n *int32, by int32) int32 {
	*n += by
	return *n
}

func folded(a *[8]uint16) (sum int32) {
	for i, x := range a {
		sum += int32(i+1) * int32(x)
	}
	for i := range len(a) {
		sum ^= int32(a[i])
	}
	for _, x := range a[2:5] {
		sum -= int32(x)
	}
	return sum
}

func (b tree) copied() *tree { // of a value: the copy is made for the call
	b.size = -1
	c := &b
	return c
}

// Trees has structs with arrays behind pointers, indexed by computed values, and pointers to elements of arrays.
//
//vyre:kernel workgroup=32
func Trees(t gpu.Thread, in []int32, out []int32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var b tree
	r := int32(0)
	for k := range 6 {
		r = r*5 + b.insert(uint16(in[(int(i)+k*7)%len(in)]))
	}
	j := int(in[i] & 7)
	swap(&b.key[j], &b.key[(j+3)&7])
	x, y := point{1, float32(r)}, point{2, 3}
	swap(&x, &y)
	swap(&x.x, &y.x)
	q := &x
	q.y += x.x
	n := int32(j)
	m := n + raise(&n, 3)*raise(&n, 1) + n // calls come first
	c := b.copied()
	q.x = float32(c.size)
	o := &out[i]
	*o = m
	*o += r + folded(&b.key) + b.size + int32(x.x) + int32(x.y) + int32(y.y)
	if p := &n; *p > 5 {
		*p = -*p
		out[i] ^= n << 8
	}
}

// Mover is an element that moves.
type Mover struct {
	Pos, Vel [2]float32
	Hits     uint32
}

func (p *Mover) move(dt float32) {
	for k := range p.Pos {
		p.Pos[k] += p.Vel[k] * dt
	}
	if v := &p.Vel; p.Pos[0] > 4 {
		v[0] = -v[0]
		p.Hits++
	}
}

func count(n *uint32) { gpu.AtomicAdd(n, 1) }

// Moved has elements of a buffer and of shared memory that helpers change through pointers, and counts them by an atomic on one.
//
//vyre:kernel workgroup=32
func Moved(t gpu.Thread, ps []Mover, hits []uint32) {
	s := gpu.Shared[Mover](t, 32)
	i := t.Global().X
	own := &s[t.LocalIndex()]
	if i < uint32(len(ps)) {
		p := &ps[i]
		p.move(0.5)
		*own = *p
		own.move(0.25)
		p.Vel = own.Pos
	}
	if i < uint32(len(ps)) && own.Hits > 0 {
		count(&hits[own.Hits%uint32(len(hits))])
	}
}

// rows has an array of arrays.
type rows struct{ of [2][4]uint32 }

func (p *rows) spread(x []uint32, at uint32, turned bool) {
	for i := range uint32(2) {
		for k := range uint32(4) {
			if turned {
				p.of[i][3-k] = gpu.At(x, at+4*i+k)
			} else {
				p.of[i][k] ^= gpu.At(x, at+4*i+k)
			}
		}
	}
}

func rowOf(v *[2][4]uint32, i uint32) *[4]uint32 { return &v[i%2] }

// Nested has arrays of arrays whose elements helpers reach through pointers, by computed indices of both.
//
//vyre:kernel workgroup=32
func Nested(t gpu.Thread, x, out []uint32) {
	var v [2][4]uint32
	var p rows
	i := t.Global().X
	p.spread(x, 8*i, true)
	p.spread(x, 8*i+1, false)
	for k := range uint32(8) {
		rowOf(&v, k)[k/2] += p.of[k/4][k%4] * k
	}
	sum := uint32(0)
	for k := range uint32(8) {
		sum = sum*31 + v[k/4][k%4]
	}
	gpu.Put(out, i, sum)
}

type stack []uint32

func (s *stack) push(v uint32) { *s = append(*s, v) }

func (s *stack) pop() uint32 {
	old := *s
	v := old[len(old)-1]
	*s = old[:len(old)-1]
	return v
}

func (s stack) top() uint32 { return s[len(s)-1] }

func (s *stack) many(n int) *stack {
	for i := range n {
		s.push(uint32(i) * 3)
	}
	return s
}

func drop(s *[]uint32, n int) { *s = (*s)[n:] }

func moved(a, b *stack) uint32 {
	x := a.pop()
	b.push(x)
	return x + uint32(len(*a))<<4 + uint32(len(*b))<<8
}

type queue struct {
	list []uint32
	tail stack
}

func (q *queue) move() {
	q.tail.push(q.list[0])
	drop(&q.list, 1)
}

// Stacks changes slices through pointers to them.
//
//vyre:kernel workgroup=32
func Stacks(t gpu.Thread, in, out []uint32) {
	i := t.Global().X
	if i >= uint32(len(in)) {
		return
	}
	var rooms [2][16]uint32
	s := stack(rooms[0][:0])
	x := s.many(int(in[i]&7)+2).pop() + s.top()
	p := &s
	for len(*p) > int(in[i]>>8&3) {
		x = x*31 + p.pop()
	}
	p.push(in[i])
	(*p).push(x)
	other := stack(rooms[1][2:2])
	x += moved(&s, p) + moved(p, &other)<<12
	q := queue{list: in[i:], tail: rooms[1][8:8]}
	if len(q.list) > 3 {
		q.move()
		q.move()
	}
	rest := in
	drop(&rest, int(i))
	for k := range *p {
		x ^= (*p)[k]
	}
	out[i] = x + uint32(len(rest)) + rest[0] + uint32(len(q.list))<<7 + uint32(len(q.tail))<<20 + rooms[1][8] + uint32(cap(other))
}
