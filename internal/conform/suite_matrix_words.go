package conform

import (
	"fmt"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// joinedWord says how lanes of a vector are put together: in place i lies lane places[i], signs and all if they are not cut
// off. Where one is used twice, the first lane is stored by itself, too.
type joinedWord struct {
	name   string
	places []uint32
	signs  bool
	twice  bool
}

// matrixWords puts words of a product together from vectors of bytes and of halves, in their order and otherwise.
func matrixWords() (cases []Case) {
	for _, t := range []ir.Type{ir.I8, ir.U8, ir.U16, ir.F16, ir.BF16} {
		ways := []joinedWord{{"whole", []uint32{0, 1, 2, 3}, false, false}, {"reversed", []uint32{3, 2, 1, 0}, false, false},
			{"signs", []uint32{0, 1, 2, 3}, true, false}, {"twice", []uint32{0, 1, 2, 3}, false, true},
			{"less", []uint32{0, 1, 2}, false, false}, {"again", []uint32{0, 0, 2, 3}, false, false}}
		if t.Size() == 2 {
			ways = []joinedWord{{"whole", []uint32{0, 1}, false, false}, {"reversed", []uint32{1, 0}, false, false},
				{"twice", []uint32{0, 1}, false, true}, {"less", []uint32{0}, false, false}, {"again", []uint32{0, 0}, false, false}}
		}
		for _, w := range ways {
			c := w.program(t)
			c.Name = fmt.Sprintf("%s.%s", t, w.name)
			cases = append(cases, c)
		}
	}
	return cases
}

// program loads a vector for each lane from shared memory, multiplies the word, and stores both.
func (w joinedWord) program(t ir.Type) Case {
	lanes := 4 / t.Size()
	b := build.New("words", build.Workgroup(32))
	x, y, first := b.Buffer("x", t, ir.RO), b.Buffer("y", ir.U32, ir.WO), b.Buffer("first", ir.U32, ir.WO)
	near := b.SharedArray("near", t, 32*lanes)
	lane := b.Lane()
	for i := range lanes {
		at := b.Add(lane, b.U32(uint32(32*i)))
		b.Store(near, at, b.Load(x, at))
	}
	b.Barrier()
	v := b.LoadVec(near, lane, lanes)
	word := b.U32(0)
	for place, from := range w.places {
		e := w.bits(b, t, b.Elem(v, from))
		if place == 0 && w.twice {
			b.Store(first, lane, e)
		}
		word = b.Or(word, b.Shl(e, b.U32(uint32(8*t.Size()*place))))
	}
	zero := b.Const(ir.I32, 0)
	d := b.Op(matrix.I8.Op(), b.Vec(word, word, word, word), b.Vec(word, word), b.Vec(zero, zero, zero, zero))
	b.Store(y, b.Mul(lane, b.U32(2)), word)
	b.Store(y, b.Add(b.Mul(lane, b.U32(2)), b.U32(1)), b.Bitcast(ir.U32, b.Elem(d, 1)))
	return w.launch(Case{Family: "mat-words", Form: matrix.I8, Program: must(b.Program())}, t)
}

// bits is an element as a word, with what comes above it if signs stay.
func (w joinedWord) bits(b *build.Builder, t ir.Type, v build.Value) build.Value {
	if t != ir.U8 && t != ir.U16 {
		v = b.Bitcast(ir.U32, v)
	}
	if w.signs || !t.IsSigned() {
		return v
	}
	return b.And(v, b.U32(uint32(t.Mask())))
}

// launch draws the elements and says what must come of them.
func (w joinedWord) launch(c Case, t ir.Type) Case {
	rng := rand.New(rand.NewPCG(uint64(t), 9))
	lanes := 4 / t.Size()
	var mem, words, firsts []byte
	var product matrix.Warp
	for lane := range 32 {
		var elems [4]uint32
		for i := range lanes {
			elems[i] = rng.Uint32() & uint32(t.Mask())
			mem = t.AppendElem(mem, uint64(elems[i]))
			if w.signs && t.IsSigned() {
				above := 32 - 8*t.Size()
				elems[i] = uint32(int32(elems[i]<<above) >> above)
			}
		}
		word := uint32(0)
		for place, from := range w.places {
			word |= elems[from] << (8 * t.Size() * place)
		}
		product.A[lane], product.B[lane] = [4]uint32{word, word, word, word}, [2]uint32{word, word}
		e := elems[0]
		if !w.twice {
			e = 0
		}
		firsts = ir.U32.AppendElem(firsts, uint64(e))
	}
	a := product.A
	product.MulAdd(matrix.I8, matrix.SM90)
	for lane := range 32 {
		words = ir.U32.AppendElem(words, uint64(a[lane][0]))
		words = ir.U32.AppendElem(words, product.C[lane][1])
	}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1}, Args: []Arg{{Data: mem}, {Data: make([]byte, len(words))}, {Data: make([]byte, len(firsts))}}}
	c.Want = [][]byte{nil, words, firsts}
	return c
}
