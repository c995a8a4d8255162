//vyre:library

package product

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

const (
	// Threads is how many invocations a workgroup has: eight warps, in two rows of four.
	Threads = 256
	// Most is how many rows or columns a block has at most: those of so many fragments of a row of warps.
	Most = 32 * most
	most = 4
	// A step takes 64 bytes of each row of A and of each column of B, in chunks of 16. The lines of a part are a chunk further apart
	// in shared memory, so that no two of eight meet in a bank, and each begins at a multiple of 16 bytes.
	chunks = 4
	pitch  = chunks + 1
	// Stages is how many parts of an operand are in shared memory: one is read while others arrive.
	Stages = 3
	ahead  = Stages - 1
	// SharedBytes are those of the parts of an operand.
	SharedBytes = Stages * Most * pitch * 16
)

// Size is that of the matrices, and how many there are.
type Size struct{ M, N, K, Batch uint32 }

// Layout says where lines of a matrix and matrices begin: so many elements after those before.
type Layout struct{ Line, Next uint64 }

// Plan is a product.
type Plan struct {
	Size         Size
	Rows, Cols   uint32 // fragments of a warp
	TurnA, TurnB bool   // lines of A are its columns, and those of B its columns
	Staged       bool   // A and B begin at multiples of 16 bytes, and parts are copied asynchronously
	A, B, C      Layout
}

// Finish does something with a sum, whose element of C has index i.
type Finish[A any] interface {
	Finish(row, col uint32, i uint64, sum A)
}

// operand is A or B, and the part of it that a block takes.
type operand struct {
	along         bool   // lines are along k
	whole         bool   // lines begin at a multiple of 16 bytes, if the range does
	lines, length uint32 // of the matrix
	layout        Layout
	base          uint64 // of the matrix
	at, span      uint32 // the rows or columns of the block
	per           uint32 // chunks of a line of a part
	stride        uint32 // elements from one to the next in shared memory
}

// operandOf is that of so many rows of A or columns of B; a chunk has each elements.
func operandOf(along bool, size, k, each uint32, l Layout, matrix uint64, at, span uint32) operand {
	o := operand{along, l.Line%uint64(each) == 0 && l.Next%uint64(each) == 0, size, k, l, matrix * l.Next, at, span, chunks, pitch * each}
	if !along {
		o.lines, o.length, o.per, o.stride = k, size, span/each, span+each
	}
	return o
}

// nothing is what zero is multiplied by beyond the ends of both matrices: a sum, which may be −0, stays as it is.
func nothing[T gpu.MatElem]() (x T) {
	switch any(x).(type) {
	case float64:
		x = any(math.Float64frombits(1 << 63)).(T)
	}
	return x
}

// place is where chunk i of this invocation begins: in a line of the matrix, behind the part that begins at k.
func (o operand) place(t gpu.Thread, i, each, k uint32) (line, pos uint32) {
	c := t.Local().X + i*Threads
	if o.along {
		return c/o.per + o.at, c%o.per*each + k
	}
	return c/o.per + k, c%o.per*each + o.at
}

// fetch loads this invocation's share of the part that begins at k, a chunk or two. In place of what the matrix
// has not is none.
func fetch[T gpu.MatElem](t gpu.Thread, x []T, o operand, each, k uint32, none T, v *[2 * 16]T) {
	for i := range o.span * chunks / Threads {
		line, pos := o.place(t, i, each, k)
		at := o.base + uint64(line)*o.layout.Line + uint64(pos)
		if o.whole && line < o.lines && pos+each <= o.length && at+uint64(each) <= uint64(len(x)) {
			at = at / uint64(each) * uint64(each) // which it is
			for e := range each {
				v[i*each+e] = x[at+uint64(e)]
			}
			continue
		}
		for e := range each {
			v[i*each+e] = none
			if line < o.lines && pos+e < o.length {
				v[i*each+e] = x[at+uint64(e)]
			}
		}
	}
}

// inside reports whether the matrix has all lines, or all of each line, that the block takes, in whole chunks that 32 bits count.
func (o operand) inside(each uint32) bool {
	size := o.length
	if o.along {
		size = o.lines
	}
	return o.whole && o.at+o.span <= size && (o.base+uint64(o.lines)*o.layout.Line)/uint64(each) < 1<<32
}

// source is where this invocation's chunks of the first part are, in chunks, and how far the next part's are from them.
func (o operand) source(t gpu.Thread, each uint32) (at [2]uint32, next uint32) {
	for i := range o.span * chunks / Threads {
		line, pos := o.place(t, i, each, 0)
		at[i] = uint32((o.base + uint64(line)*o.layout.Line + uint64(pos)) / uint64(each))
	}
	if o.along {
		return at, chunks
	}
	return at, uint32(chunks * o.layout.Line)
}

// bring begins to copy this invocation's share of a part, whose first chunk is first chunks behind that of the first part.
func bring[T gpu.MatElem](t gpu.Thread, s, x []T, o operand, each, slot uint32, at [2]uint32, first uint32) {
	for i := range o.span * chunks / Threads {
		c := t.Local().X + i*Threads
		gpu.CopyAsync(t, s, slot*(Most*pitch)+c/o.per*(o.stride/each)+c%o.per, x, at[i]+first, int(each))
	}
}

// products multiplies a part that is in shared memory.
func products[T gpu.MatElem, A gpu.AccElem](t gpu.Thread, p Plan, each uint32, as, bs []T, shapeA, shapeB gpu.Shape, y, x uint32, acc *[most][most]gpu.Acc[A]) {
	var fa [2][most]gpu.FragA[T]
	var fb [2][most]gpu.FragB[T]
	for h := range uint32(chunks / 2) {
		for i := range p.Rows {
			fa[h][i] = gpu.LoadA(t, as, shapeA, y+16*i, 2*each*h)
		}
		for j := range p.Cols {
			fb[h][j] = gpu.LoadB(t, bs, shapeB, 2*each*h, x+8*j)
		}
		for j := range p.Cols {
			for i := range p.Rows {
				acc[i][j] = gpu.MulAdd(t, fa[h][i], fb[h][j], acc[i][j])
			}
		}
	}
}

// put leaves what fetch has loaded in shared memory.
func put[T gpu.MatElem](t gpu.Thread, s []T, o operand, each uint32, v *[2 * 16]T) {
	for i := range o.span * chunks / Threads {
		c := t.Local().X + i*Threads
		at := c/o.per*o.stride + c%o.per*each
		for e := range each {
			s[at+e] = v[i*each+e]
		}
	}
}

// strip is how many rows of blocks are made column by column: those that run at once share lines of both operands in the cache.
const strip = 8

// place is where block i is, of so many rows and columns of them.
func place(i, down, across uint64) (row, col uint32) {
	first := i / (strip * across) * strip
	high := min(strip, down-first)
	i %= strip * across
	return uint32(first + i%high), uint32(i / high)
}

// Multiply makes the blocks of C that are the workgroup's. A chunk of 16 bytes has each elements, and two chunks are what a product of
// fragments takes of k. as and bs are shared memory of SharedBytes.
func Multiply[T gpu.MatElem, A gpu.AccElem, F Finish[A]](t gpu.Thread, f F, p Plan, each uint32, a, b, as, bs []T) {
	m, n := 32*p.Rows, 32*p.Cols
	down, across := uint64((p.Size.M+m-1)/m), uint64((p.Size.N+n-1)/n)
	for i := uint64(t.Group().X); i < down*across*uint64(p.Size.Batch); i += uint64(t.Groups().X) {
		matrix := i / (down * across)
		row, col := place(i%(down*across), down, across)
		ofA := operandOf(!p.TurnA, p.Size.M, p.Size.K, each, p.A, matrix, row*m, m)
		ofB := operandOf(p.TurnB, p.Size.N, p.Size.K, each, p.B, matrix, col*n, n)
		block[T, A, F](t, f, p, each, matrix, ofA, ofB, a, b, as, bs)
	}
}

// block makes a block.
func block[T gpu.MatElem, A gpu.AccElem, F Finish[A]](t gpu.Thread, f F, p Plan, each uint32, matrix uint64, ofA, ofB operand, a, b, as, bs []T) {
	step, part := chunks*each, Most*pitch*each
	shapeA := gpu.Shape{Rows: ofA.span, Cols: step, Stride: ofA.stride, Transposed: !ofA.along}
	shapeB := gpu.Shape{Rows: step, Cols: ofB.span, Stride: ofB.stride, Transposed: ofB.along}
	y, x := t.Warp()/4*16*p.Rows, t.Warp()%4*8*p.Cols // of the warp, in the block

	var acc [most][most]gpu.Acc[A]
	var va, vb [2 * 16]T
	parts, whole := (p.Size.K+step-1)/step, uint32(0)
	if p.Staged && ofA.inside(each) && ofB.inside(each) {
		whole = p.Size.K / step
	}
	atA, nextA := ofA.source(t, each)
	atB, nextB := ofB.source(t, each)
	t.Barrier() // until here, others read parts of the block before
	for s := uint32(0); s < parts+ahead; s++ {
		if s >= ahead { // part s-ahead is there, and no warp reads the one before it
			gpu.CopyWait(t, ahead-1)
			t.Barrier()
		}
		if p.Staged { // a constant, and nothing is left of this in the other kernel
			if s < whole {
				bring(t, as, a, ofA, each, s%Stages, atA, s*nextA)
				bring(t, bs, b, ofB, each, s%Stages, atB, s*nextB)
			}
		}
		if s >= whole && s < parts {
			var zero T
			fetch(t, a, ofA, each, s*step, zero, &va)
			fetch(t, b, ofB, each, s*step, nothing[T](), &vb)
		}
		gpu.CopyCommit(t)
		if s >= ahead {
			first := (s - ahead) % Stages * part
			products(t, p, each, as[first:], bs[first:], shapeA, shapeB, y, x, &acc)
		}
		if s >= whole && s < parts {
			put(t, as[s%Stages*part:], ofA, each, &va)
			put(t, bs[s%Stages*part:], ofB, each, &vb)
		}
	}
	gpu.CopyWait(t, 0)
	for i := range p.Rows {
		for j := range p.Cols {
			for e := range acc[i][j].V {
				r, q := acc[i][j].At(t, e)
				r, q = r+ofA.at+y+16*i, q+ofB.at+x+8*j
				if r < p.Size.M && q < p.Size.N {
					f.Finish(r, q, matrix*p.C.Next+uint64(r)*p.C.Line+uint64(q), acc[i][j].V[e])
				}
			}
		}
	}
}
