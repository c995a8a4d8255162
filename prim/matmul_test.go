package prim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

// arithmetic is what a product of elements T with sums A and results C is, written without the library: a sum of a row and a column,
// and what is made of it. float says how elements of a float form are read.
type arithmetic[T gpu.MatElem, A any, C vyre.Element] struct {
	form   string
	draw   func(r *rand.Rand, special bool) T
	sum    func(generation string, a, b []T) A
	finish func(alpha, beta float64, z A, c C) C
	any    func(r *rand.Rand) C
	same   func(scaled bool, x, y C) bool
}

// float is a format of factors: bits of exponent and fraction, and how many products are summed at once on sm_90.
type float struct{ e, m, chunk int }

// exactly is the value m·2^e; top is the exponent by which sums are aligned.
type exactly struct {
	m      *big.Int
	e, top int
	kind   float64 // a NaN, an infinity, or 0
}

func (f float) exactly(x uint32) exactly {
	n, m, bias := int(x>>f.m)&(1<<f.e-1), int64(x)&(1<<f.m-1), 1<<(f.e-1)-1
	v := exactly{m: big.NewInt(m), e: 1 - bias - f.m, top: 1 - bias}
	switch {
	case n == 1<<f.e-1 && m == 0:
		v.kind = math.Inf(1)
	case n == 1<<f.e-1:
		v.kind = math.NaN()
	case n > 0:
		v = exactly{m: big.NewInt(m | 1<<f.m), e: n - bias - f.m, top: n - bias}
	}
	if x>>(f.e+f.m)&1 != 0 {
		v.m.Neg(v.m)
		v.kind = -v.kind
	}
	return v
}

// times is a product, which is not normalised.
func (v exactly) times(w exactly) exactly {
	p := exactly{m: new(big.Int).Mul(v.m, w.m), e: v.e + w.e, top: v.top + w.top}
	if v.kind != 0 || w.kind != 0 {
		value := func(x exactly) float64 {
			if x.kind != 0 {
				return x.kind
			}
			return float64(x.m.Sign())
		}
		p.kind = value(v) * value(w)
	}
	return p
}

// chain sums the products of a row and a column as the matrix units of a generation do, in float32.
func (f float) chain(generation string, a, b []uint32) uint32 {
	chunk, kept := f.chunk, 25
	if generation == "sm_75" {
		chunk, kept = chunk/2, 24
	}
	c := uint32(0)
	for at := 0; at < len(a); at += chunk {
		terms := []exactly{float{8, 23, 0}.exactly(c)}
		for k := at; k < min(at+chunk, len(a)); k++ {
			terms = append(terms, f.exactly(a[k]).times(f.exactly(b[k])))
		}
		c = total(terms, kept)
	}
	return c
}

// total is a sum of terms that are cut off so many bits below the greatest exponent, cut off to float32.
func total(terms []exactly, kept int) uint32 {
	top, kinds := -133, 0.0
	for _, v := range terms {
		kinds += v.kind
		if v.kind == 0 && v.m.Sign() != 0 {
			top = max(top, v.top)
		}
	}
	if kinds != kinds {
		return 0x7FFFFFFF
	}
	if kinds != 0 {
		return math.Float32bits(float32(kinds))
	}
	sum := new(big.Int)
	for _, v := range terms {
		if shift := v.e - top + kept; shift >= 0 {
			sum.Add(sum, new(big.Int).Lsh(v.m, uint(shift)))
		} else {
			sum.Add(sum, new(big.Int).Quo(v.m, new(big.Int).Lsh(big.NewInt(1), uint(-shift))))
		}
	}
	exact := new(big.Float).SetInt(sum)
	exact.SetMantExp(exact, top-kept)
	last := max(exact.MantExp(nil)-24, -149) // exponent of the last bit
	units, _ := exact.SetMantExp(exact, -last).Int(nil)
	v, _ := exact.SetMantExp(new(big.Float).SetInt(units), last).Float32()
	if v == 0 {
		return 0
	}
	return math.Float32bits(v)
}

// wild draws bits of a float: all of them, or near 1, or special ones.
func (f float) wild(r *rand.Rand, special bool) uint32 {
	x := r.Uint32() & (1<<(1+f.e+f.m) - 1)
	ones, bias := uint32(1<<f.e-1), uint32(1<<(f.e-1)-1)
	exponent := func(n uint32) uint32 { return x&^(ones<<f.m) | n<<f.m }
	switch r.IntN(8) {
	case 0:
		return x & (1<<f.m | 1<<(f.e+f.m)) // zeros, of both signs
	case 1:
		return exponent(0)
	case 2:
		if special {
			return exponent(ones) &^ (uint32(r.IntN(2)) * (1<<f.m - 1))
		}
	case 3:
		return exponent(uint32(r.IntN(int(ones))))
	}
	return exponent(bias - 8 + uint32(r.IntN(16)))
}

// sameFloat compares bits. NaNs that other operations have made may have any bits of a NaN.
func sameFloat(scaled bool, x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || scaled && x != x && y != y
}

// scaled is alpha·z + beta·c, an operation at a time.
func scaledFloat(alpha, beta float64, z, c float32) float32 {
	if alpha != 1 {
		z = float32(alpha) * z
	}
	if beta != 0 {
		p := float32(beta) * c
		z += p
	}
	return z
}

func floatForm[T gpu.MatElem](form string, f float, of func(uint32) T, bits func(T) uint32) arithmetic[T, float32, float32] {
	return arithmetic[T, float32, float32]{form: form,
		draw: func(r *rand.Rand, special bool) T { return of(f.wild(r, special)) },
		sum: func(generation string, a, b []T) float32 {
			var x, y []uint32
			for k := range a {
				x, y = append(x, bits(a[k])), append(y, bits(b[k]))
			}
			return math.Float32frombits(f.chain(generation, x, y))
		},
		finish: scaledFloat,
		any:    func(r *rand.Rand) float32 { return float32(r.NormFloat64()) },
		same:   sameFloat,
	}
}

// narrowed is a form whose results are rounded to the elements' type.
func narrowed[T interface {
	gpu.Float16 | gpu.BFloat16
	Float32() float32
}](a arithmetic[T, float32, float32], of func(float32) T) arithmetic[T, float32, T] {
	return arithmetic[T, float32, T]{a.form, a.draw, a.sum,
		func(alpha, beta float64, z float32, c T) T { return of(scaledFloat(alpha, beta, z, c.Float32())) },
		func(r *rand.Rand) T { return of(float32(r.NormFloat64())) },
		func(_ bool, x, y T) bool { // a NaN that is rounded may have any bits of a NaN
			return x == y || x.Float32() != x.Float32() && y.Float32() != y.Float32()
		}}
}

func integerForm[T int8 | uint8 | uint32, C int32 | uint32](form string, product func(a, b T) C) arithmetic[T, C, C] {
	return arithmetic[T, C, C]{form: form,
		draw: func(r *rand.Rand, _ bool) T { return T(r.Uint32()) },
		sum: func(_ string, a, b []T) (z C) {
			for k := range a {
				z += product(a[k], b[k])
			}
			return z
		},
		finish: func(_, beta float64, z, c C) C { return z + C(beta)*c },
		any:    func(r *rand.Rand) C { return C(r.Uint32()) },
		same:   func(_ bool, x, y C) bool { return x == y },
	}
}

var (
	float16Form  = floatForm("f16", float{5, 10, 16}, func(b uint32) gpu.Float16 { return gpu.Float16FromBits(uint16(b)) }, func(v gpu.Float16) uint32 { return uint32(v.Bits()) })
	bfloat16Form = floatForm("bf16", float{8, 7, 16}, func(b uint32) gpu.BFloat16 { return gpu.BFloat16FromBits(uint16(b)) }, func(v gpu.BFloat16) uint32 { return uint32(v.Bits()) })
	// The low bits of a float32 are dropped, those of a NaN among them.
	tf32Form = floatForm("tf32", float{8, 10, 8}, func(b uint32) float32 { return math.Float32frombits(b<<13 | b*2654435761&0x1FFF) }, func(v float32) uint32 { return math.Float32bits(v) >> 13 })
	int8Form = integerForm("i8", func(a, b int8) int32 { return int32(a) * int32(b) })
	byteForm = integerForm("u8", func(a, b uint8) uint32 { return uint32(a) * uint32(b) })
	bitForm  = integerForm("b1", func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a & b)) })
	// Sums of float64 are a chain of fused operations.
	doubleForm = arithmetic[float64, float64, float64]{form: "f64",
		draw: func(r *rand.Rand, special bool) float64 {
			if special && r.IntN(4) == 0 {
				return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1074, math.MaxFloat64, math.Copysign(0, -1)}[r.IntN(6)]
			}
			return r.NormFloat64() * math.Pow(2, float64(r.IntN(40)))
		},
		sum: func(_ string, a, b []float64) (z float64) {
			for k := range a {
				z = math.FMA(a[k], b[k], z)
			}
			return z
		},
		finish: func(alpha, beta float64, z, c float64) float64 {
			if beta == 0 {
				return alpha * z
			}
			p, q := alpha*z, beta*c
			return p + q
		},
		any:  func(r *rand.Rand) float64 { return r.NormFloat64() },
		same: func(_ bool, x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y },
	}
)

// laidMatrix is a matrix of a batch in memory: where element (r, c) of one is.
type laidMatrix struct {
	lines, length int
	trans         bool
	at            prim.Stride
	before, after int // elements around all of them
}

// drawLaid draws how rows by cols lie, one behind the other or with gaps.
func drawLaid(r *rand.Rand, rows, cols, batch int, trans, input bool) laidMatrix {
	x := laidMatrix{lines: rows, length: cols, trans: trans, before: r.IntN(3) * 8 / (1 + r.IntN(8)), after: r.IntN(5)}
	if trans {
		x.lines, x.length = cols, rows
	}
	if r.IntN(2) == 0 {
		x.at.Line = x.length + r.IntN(9)
		x.at.Matrix = x.lines*x.at.Line + r.IntN(9)
		if r.IntN(3) == 0 && x.length > 0 { // lines of the matrices by turns
			x.at.Matrix = x.length + r.IntN(3)
			x.at.Line = batch * x.at.Matrix
		}
	}
	if input && r.IntN(4) == 0 {
		x.at.Matrix = -1
	}
	return x
}

func (x *laidMatrix) index(batch, r, c int) int {
	line, next := x.at.Line, x.at.Matrix
	if line == 0 {
		line = x.length
	}
	switch next {
	case 0:
		next = x.lines * line
	case -1:
		next = 0
	}
	if x.trans {
		r, c = c, r
	}
	return x.before + batch*next + r*line + c
}

// size is how many elements there are, with those around.
func (x *laidMatrix) size(batch int) int {
	if x.lines == 0 || x.length == 0 {
		return x.before + x.after
	}
	last := x.index(batch-1, x.lines-1, x.length-1)
	if x.trans {
		last = x.index(batch-1, x.length-1, x.lines-1)
	}
	return last + 1 + x.after
}

// productCase is a product with its operands.
type productCase[T gpu.MatElem, A any, C vyre.Element] struct {
	of          arithmetic[T, A, C]
	o           prim.MatMulOptions
	d           prim.Dims
	x, y, z     laidMatrix
	a, b        []T
	c           []C
	alpha, beta float64
}

func drawProduct[T gpu.MatElem, A any, C vyre.Element](r *rand.Rand, of arithmetic[T, A, C], d prim.Dims, generation string) *productCase[T, A, C] {
	p := &productCase[T, A, C]{of: of, d: d, alpha: 1}
	p.o = prim.MatMulOptions{Dims: d, TransA: r.IntN(2) == 0, TransB: r.IntN(2) == 0, Matrix: generation}
	p.x, p.y = drawLaid(r, d.M, d.K, d.Batch, p.o.TransA, true), drawLaid(r, d.K, d.N, d.Batch, p.o.TransB, true)
	p.z = drawLaid(r, d.M, d.N, d.Batch, false, false)
	p.d.A, p.d.B, p.d.C = p.x.at, p.y.at, p.z.at
	special := r.IntN(2) == 0
	fill := func(n int) (v []T) {
		for range n {
			v = append(v, of.draw(r, special))
		}
		return v
	}
	p.a, p.b = fill(p.x.size(d.Batch)), fill(p.y.size(d.Batch))
	for range p.z.size(d.Batch) {
		p.c = append(p.c, of.any(r))
	}
	if p.beta = float64(r.IntN(2)); any(*new(A)) != any(*new(T)) && r.IntN(2) == 0 {
		switch any(*new(A)).(type) {
		case float32:
			p.alpha, p.beta = []float64{-1, 0.3, 0}[r.IntN(3)], []float64{0, 0.7}[r.IntN(2)]
		}
	}
	return p
}

// want is element (i, j) of a matrix.
func (p *productCase[T, A, C]) want(batch, i, j int) C {
	var a, b []T
	for k := range p.d.K {
		a, b = append(a, p.a[p.x.index(batch, i, k)]), append(b, p.b[p.y.index(batch, k, j)])
	}
	return p.of.finish(p.alpha, p.beta, p.of.sum(p.o.Matrix, a, b), p.c[p.z.index(batch, i, j)])
}

// run runs the product on a device and returns what C and all around it hold then.
func (p *productCase[T, A, C]) run(t *testing.T, d vyre.Device) []C {
	t.Helper()
	m := must(prim.NewMatMul[T, C](ctx, d, p.o))(t)
	a, b, c := must(vyre.Upload(ctx, d, p.a))(t), must(vyre.Upload(ctx, d, p.b))(t), must(vyre.Upload(ctx, d, p.c))(t)
	seq := d.NewSequence("product")
	defer closeAll(t, a, b, c, m)
	defer closeAll(t, seq)
	s := m.Record(seq, p.d, a.View(p.x.before, a.Len()-p.x.after), b.View(p.y.before, b.Len()-p.y.after), c.View(p.z.before, c.Len()-p.z.after))
	if err := s.SetScale(p.alpha, p.beta); err != nil {
		t.Fatal(err)
	}
	run(t, seq)
	return must(c.Read(ctx))(t)
}

// compare looks at so many elements, at corners first, and at all that is around the matrices.
func (p *productCase[T, A, C]) compare(t *testing.T, r *rand.Rand, what string, got []C, most int) {
	t.Helper()
	inside := make(map[int][3]int)
	for n := range p.d.Batch {
		for i := range p.d.M {
			for j := range p.d.N {
				inside[p.z.index(n, i, j)] = [3]int{n, i, j}
			}
		}
	}
	for at, old := range p.c {
		place, ok := inside[at]
		switch {
		case !ok && got[at] != old && p.of.same(false, old, old):
			t.Errorf("%s: element %d, which is outside, is %v and was %v", what, at, got[at], old)
			return
		case !ok || at > 0 && r.IntN(1+len(inside)/most) > 0:
			continue
		}
		want := p.want(place[0], place[1], place[2])
		if !p.of.same(p.alpha != 1 || p.beta != 0, got[at], want) {
			t.Errorf("%s: %+v, alpha %v, beta %v: element %v is %v, and not %v", what, p.o, p.alpha, p.beta, place, got[at], want)
			return
		}
	}
}

// productDevices are those of other tests, and simulated GPUs that have other forms and generations.
func productDevices() (list []string) {
	for _, name := range devices() {
		if name != "cuda-sim" {
			list = append(list, name)
			continue
		}
		list = append(list, []string{"cuda-sim:sm_90", "cuda-sim:sm_80", "cuda-sim:sm_75"}[:long.Count(1, 3, 3)]...)
	}
	return list
}

// multiplies compares products of a form on all devices with the oracle, and with each other.
func multiplies[T gpu.MatElem, A any, C vyre.Element](of arithmetic[T, A, C], seed uint64) func(*testing.T) {
	return func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 36))
		for _, name := range productDevices() {
			d := open(t, name)
			if !slices.Contains(strings.Fields(d.Caps().Matrix.Forms), of.form) {
				continue
			}
			sizes := []prim.Dims{{M: 5, N: 3, K: 9, Batch: 3}, {M: 67, N: 33, K: 41, Batch: 1}}
			for range long.Count(1, 4, 40) { // blocks without edges
				sizes = append(sizes, prim.Dims{M: 64 + 64*r.IntN(2), N: 64 + 64*r.IntN(2), K: 16 * (6 + r.IntN(9)), Batch: 1})
			}
			for range long.Count(0, 20, 200) {
				sizes = append(sizes, prim.Dims{M: r.IntN(140), N: r.IntN(140), K: r.IntN(90), Batch: 1 + r.IntN(3)})
			}
			for i, dims := range sizes {
				generation := d.Caps().Matrix.Generation
				if name == "cpu" && i%2 == 0 {
					generation = "sm_75"
				}
				p := drawProduct(r, of, dims, generation)
				prim.ForceGroups(uint32(i % 3 * 2))
				prim.ForceBlock(2+i%2*2, 2+i%2*2)
				got := p.run(t, d)
				prim.ForceGroups(0)
				prim.ForceBlock(0, 0)
				p.compare(t, r, fmt.Sprint(name, ", ", generation), got, long.Count(60, 200, 200))
			}
		}
	}
}

func TestProductsHaveTheBitsOfTheRule(t *testing.T) {
	t.Run("f16", multiplies(float16Form, 1))
	t.Run("bf16", multiplies(bfloat16Form, 2))
	t.Run("tf32", multiplies(tf32Form, 3))
	t.Run("f16 in f16", multiplies(narrowed(float16Form, gpu.ToFloat16), 4))
	t.Run("bf16 in bf16", multiplies(narrowed(bfloat16Form, gpu.ToBFloat16), 5))
	t.Run("f64", multiplies(doubleForm, 6))
	t.Run("i8", multiplies(int8Form, 7))
	t.Run("u8", multiplies(byteForm, 8))
	t.Run("b1", multiplies(bitForm, 9))
}

// Sizes around those of a block and of a step, and matrices without elements: a product of no terms is zero, and beta·c stays.
func TestProductsOfEdgeSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	for _, name := range productDevices() {
		d := open(t, name)
		for _, dims := range []prim.Dims{{M: 0, N: 5, K: 3}, {M: 5, N: 0, K: 3}, {M: 5, N: 3, K: 0}, {}, {M: 1, N: 1, K: 1}, {M: 65, N: 128, K: 65}} {
			dims.Batch = 2
			p := drawProduct(r, int8Form, dims, "")
			p.compare(t, r, name, p.run(t, d), 1000)
		}
	}
}

// No block and no number of groups changes a bit, nor do strides: an element may be in any place.
func TestBlocksAndGroupsChangeNoBit(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 2))
	defer prim.ForceBlock(0, 0)
	defer prim.ForceGroups(0)
	p := drawProduct(r, float16Form, prim.Dims{M: 130, N: 69, K: 40, Batch: 1}, "sm_90")
	for _, name := range []string{"cpu", "cuda-sim:sm_90"} {
		d := open(t, name)
		var first []float32
		for i, rows := range []int{4, 2} {
			prim.ForceBlock(rows, rows)
			prim.ForceGroups(uint32(i * 3))
			got := p.run(t, d)
			if first == nil {
				first = got
			}
			equalBits(t, fmt.Sprint(name, ", fragments: ", rows), got, first)
		}
	}
}

// recordedProduct is a product of 4 by 5 by 6, twice, in a sequence.
type recordedProduct struct {
	keeper
	m    *prim.MatMul[uint8, uint32]
	seq  *vyre.Sequence
	step *prim.MatMulStep
	a, b *vyre.Buffer[uint8]
	c    *vyre.Buffer[uint32]
}

var recordedDims = prim.Dims{M: 4, N: 5, K: 6, Batch: 2}

func recordProduct(ctx context.Context, d vyre.Device) *recordedProduct {
	p := new(recordedProduct)
	a, err := vyre.Upload(ctx, d, slices.Repeat([]uint8{1, 2, 3}, 16))
	p.a = kept(&p.keeper, a, err)
	b, err := vyre.Upload(ctx, d, slices.Repeat([]uint8{7, 5}, 30))
	p.b = kept(&p.keeper, b, err)
	c, err := vyre.Upload(ctx, d, slices.Repeat([]uint32{9}, 40))
	p.c = kept(&p.keeper, c, err)
	m, err := prim.NewMatMul[uint8, uint32](ctx, d, prim.MatMulOptions{Dims: recordedDims})
	if p.m = kept(&p.keeper, m, err); p.err != nil {
		return p
	}
	p.seq = kept(&p.keeper, d.NewSequence("product"), nil)
	p.step = p.m.Record(p.seq, recordedDims, p.a, p.b, p.c)
	return p
}

// run runs the product, and compares C with what it is.
func (p *recordedProduct) run(ctx context.Context) error {
	if _, err := p.seq.Run(ctx); err != nil {
		return err
	}
	got := make([]uint32, 40)
	if err := p.c.ReadInto(ctx, got); err != nil {
		return err
	}
	for i, v := range got {
		want := uint32(0)
		for k := range 6 {
			row, col, n := i/5%4, i%5, i/20
			want += uint32([]int{1, 2, 3}[(n*24+row*6+k)%3] * []int{7, 5}[(n*30+k*5+col)%2])
		}
		if v != want {
			return fmt.Errorf("%w: element %d is %d, and not %d", faults.ErrWrong, i, v, want)
		}
	}
	return nil
}

// Sizes and strides that do not fit are refused when the sequence is prepared, or by the setter. Errors say what to do, and
// nothing is written.
func TestProductsThatDoNotFitAreRefused(t *testing.T) {
	d := open(t, "cpu")
	good := recordProduct(ctx, d)
	defer closing(t, &good.keeper)
	if good.err != nil {
		t.Fatal(good.err)
	}
	for _, c := range []struct {
		d    prim.Dims
		says string
	}{
		{prim.Dims{M: -1, N: 5, K: 6}, "M is -1"},
		{prim.Dims{M: 4, N: 5, K: 7}, "K is 7, above 6"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 3}, "Batch is 3, above 2"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: -1}, "Batch is -1"},
		{prim.Dims{M: 4, N: 5, K: 6, A: prim.Stride{Line: 5}}, "lines of A have 6 elements, and begin 5 after one another"},
		{prim.Dims{M: 4, N: 5, K: 6, B: prim.Stride{Line: -5}}, "begin -5 after one another"},
		{prim.Dims{M: 4, N: 5, K: 6, A: prim.Stride{Line: 15}}, "A takes 51 elements, and the range has 48"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, B: prim.Stride{Matrix: 31}}, "B takes 61 elements, and the range has 60"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, A: prim.Stride{Matrix: -2}}, "matrices of A begin -2 after one another"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, C: prim.Stride{Matrix: -1}}, "for all products the same matrix, is of A and B"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, C: prim.Stride{Matrix: 19}}, "matrices of C take 20 elements, and begin 19 after one another"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, C: prim.Stride{Line: 9, Matrix: 5}}, "matrices of C take 32 elements"},
		{prim.Dims{M: 4, N: 5, K: 6, A: prim.Stride{Line: math.MaxInt}}, "A takes more than 1099511627776 elements"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, B: prim.Stride{Line: math.MaxInt, Matrix: math.MaxInt}}, "B takes more than 1099511627776 elements"},
		{prim.Dims{M: 4, N: 5, K: 6, Batch: 2, B: prim.Stride{Line: math.MaxInt / 3}}, "B takes more than 1099511627776 elements"},
	} {
		seq := d.NewSequence("refused")
		good.m.Record(seq, c.d, good.a, good.b, good.c)
		_, recorded := seq.Run(ctx)
		for what, err := range map[string]error{"recorded": recorded, "set": good.step.SetDims(c.d)} {
			if as := (*vyre.Error)(nil); !errors.As(err, &as) || as.Kind != vyre.InvalidArgument || as.Fix == "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, which does not say %q", what, err, c.says)
			}
		}
		if got := must(good.c.Read(ctx))(t); !slices.Equal(got, slices.Repeat([]uint32{9}, 40)) {
			t.Errorf("%s: C is %v", c.says, got)
		}
		closeAll(t, seq)
	}
	if err := good.run(ctx); err != nil {
		t.Errorf("after setters that refuse: %v", err)
	}
}

// Sizes, scales, elements and ranges that there are no products of.
func TestProductsThatThereAreNotAreRefused(t *testing.T) {
	d := open(t, "cpu")
	small := prim.MatMulOptions{Dims: recordedDims}
	for what, c := range map[string]struct {
		err  error
		kind vyre.Kind
		says string
	}{
		"no size":        {second(prim.NewMatMul[int8, int32](ctx, d, prim.MatMulOptions{Dims: prim.Dims{N: -3}})), vyre.InvalidArgument, "N is at most -3"},
		"many rows":      {second(prim.NewMatMul[int8, int32](ctx, d, prim.MatMulOptions{Dims: prim.Dims{M: 1<<31 + 1}})), vyre.InvalidArgument, "pass sizes from 0 to 2147483648"},
		"sums":           {second(prim.NewMatMul[gpu.Float16, float64](ctx, d, small)), vyre.Unsupported, "MatMul[gpu.Float16, float64]"},
		"other sums":     {second(prim.NewMatMul[int8, uint32](ctx, d, small)), vyre.Unsupported, "int32 of int8"},
		"generation":     {second(prim.NewMatMul[float32, float32](ctx, d, prim.MatMulOptions{Dims: recordedDims, Matrix: "sm_5"})), vyre.Unsupported, "sm_5"},
		"bf16 on sm_70":  {second(prim.NewMatMul[gpu.BFloat16, float32](ctx, d, prim.MatMulOptions{Dims: recordedDims, Matrix: "sm_70"})), vyre.Unsupported, "sm_70 has no"},
		"other hardware": {second(prim.NewMatMul[gpu.Float16, float32](ctx, open(t, "cuda-sim:sm_90"), prim.MatMulOptions{Dims: recordedDims, Matrix: "sm_80"})), vyre.Unsupported, "use device cpu"},
		"no device":      {second(prim.NewMatMul[int8, int32](ctx, nil, small)), vyre.InvalidArgument, "the device is nil"},
	} {
		if as := (*vyre.Error)(nil); !errors.As(c.err, &as) || as.Kind != c.kind || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	p := recordProduct(ctx, d)
	defer closing(t, &p.keeper)
	if p.err != nil {
		t.Fatal(p.err)
	}
	for _, scale := range [][2]float64{{2, 0}, {1, 2}, {1, 0.5}, {math.NaN(), 0}, {1, math.NaN()}} {
		if err := p.step.SetScale(scale[0], scale[1]); !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), "integers") {
			t.Errorf("alpha and beta %v: %v", scale, err)
		}
	}
	if err := p.run(ctx); err != nil {
		t.Error(err)
	}
}

func TestZeroProductsAreRefused(t *testing.T) {
	d := open(t, "cpu")
	seq := d.NewSequence("zero")
	step := new(prim.MatMul[int8, int32]).Record(seq, prim.Dims{}, nil, nil, nil)
	_, err := seq.Run(ctx)
	unmade(t, "a zero product", err, "prim.NewMatMul")
	for what, s := range map[string]*prim.MatMulStep{"nil": nil, "zero": new(prim.MatMulStep), "of a zero product": step} {
		unmade(t, what, s.SetDims(prim.Dims{}), "Record")
		unmade(t, what, s.SetScale(1, 1), "Record")
	}
	if n := prim.Bytes(new(prim.MatMul[int8, int32])); n != 0 {
		t.Errorf("a zero product takes %d bytes", n)
	}
	closeAll(t, seq, new(prim.MatMul[int8, int32]))
}

// C shares no bytes with A and B, which may be one.
func TestProductsInPlaceAreRefused(t *testing.T) {
	for _, name := range productDevices() {
		d := open(t, name)
		x := must(vyre.Upload(ctx, d, []uint32{1, 3, 7, 15, 0, 0}))(t)
		m := must(prim.NewMatMul[uint32, uint32](ctx, d, prim.MatMulOptions{Dims: prim.Dims{M: 2, N: 2, K: 2}, TransB: true}))(t)
		dims := prim.Dims{M: 2, N: 2, K: 2}
		record := func(a, b, c *vyre.Buffer[uint32]) (*vyre.Sequence, error) {
			seq := d.NewSequence("in place")
			m.Record(seq, dims, a, b, c)
			_, err := seq.Run(ctx)
			return seq, err
		}
		for _, from := range []int{0, 2} {
			seq, err := record(x.View(0, 4), must(vyre.Alloc[uint32](d, 4))(t), x.View(from, from+4))
			if !errors.Is(err, vyre.InvalidArgument) {
				t.Errorf("%s: C from %d on in A: %v", name, from, err)
			}
			closeAll(t, seq)
		}
		out := must(vyre.Alloc[uint32](d, 4))(t)
		seq, err := record(x.View(0, 4), x.View(0, 4), out)
		if got := must(out.Read(ctx))(t); err != nil || !slices.Equal(got, []uint32{3, 3, 3, 7}) {
			t.Errorf("%s: the bits that rows have in common are %v, %v", name, got, err)
		}
		closeAll(t, seq, x, out, m)
	}
}

// Setters of a prepared product change sizes, strides and scales; runs of it ask for no memory.
func TestPreparedProductsChange(t *testing.T) {
	for _, name := range productDevices() {
		d := open(t, name)
		x, y := must(vyre.Upload(ctx, d, []float64{1, 2, 3, 4, 5, 6}))(t), must(vyre.Upload(ctx, d, []float64{1, 10, 100, 1000}))(t)
		z := must(vyre.Upload(ctx, d, make([]float64, 8)))(t)
		m := must(prim.NewMatMul[float64, float64](ctx, d, prim.MatMulOptions{Dims: prim.Dims{M: 200, N: 200, K: 3, Batch: 2}}))(t)
		seq := d.NewSequence("changes")
		s := m.Record(seq, prim.Dims{M: 1, N: 2, K: 2}, x, y, z)
		run(t, seq)
		before := d.Stats()
		for i, c := range []struct {
			d           prim.Dims
			alpha, beta float64
			want        []float64
		}{
			{prim.Dims{M: 1, N: 2, K: 2}, 1, 0, []float64{201, 2010, 0, 0, 0, 0, 0, 0}},
			{prim.Dims{M: 3, N: 1, K: 2}, 1, 0, []float64{21, 43, 65, 0, 0, 0, 0, 0}},
			{prim.Dims{M: 1, N: 1, K: 2, Batch: 2, A: prim.Stride{Matrix: 2}, B: prim.Stride{Matrix: -1}, C: prim.Stride{Matrix: 7}}, 2, 1, []float64{63, 43, 65, 0, 0, 0, 0, 86}},
			{prim.Dims{M: 2, N: 2, K: 1, A: prim.Stride{Line: 5}, C: prim.Stride{Line: 4}}, 1, 0.5, []float64{32.5, 31.5, 65, 0, 6, 60, 0, 86}},
			{prim.Dims{M: 0, N: 2, K: 1}, 1, 0, []float64{32.5, 31.5, 65, 0, 6, 60, 0, 86}},
			{prim.Dims{M: 2, N: 1, K: 0}, 1, 0, []float64{0, 0, 65, 0, 6, 60, 0, 86}},
		} {
			if err := errors.Join(s.SetDims(c.d), s.SetScale(c.alpha, c.beta)); err != nil {
				t.Fatal(err)
			}
			run(t, seq)
			if got := must(z.Read(ctx))(t); !slices.Equal(got, c.want) {
				t.Errorf("%s, change %d: %v, want %v", name, i, got, c.want)
			}
		}
		if n := d.Stats().Sub(before).Get(metric.AllocRequests); n != 0 {
			t.Errorf("%s: the runs asked for memory %d times", name, n)
		}
		closeAll(t, seq, x, y, z, m)
	}
}

// Every call of the driver that making, running and closing a product takes fails in turn; the product is used again.
func TestAnyCallOfAProductMayFail(t *testing.T) {
	object := func(ctx context.Context, d driver.Device) (o faults.Object, err error) {
		p := recordProduct(ctx, d)
		return faults.Object{Run: p.run, Close: p.close}, p.err
	}
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, long.Count(23, 1, 1), faults.Maker(object).Session(), 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n == 0 {
		t.Error("no call failed")
	}
}

// Nothing, what another device has, and what is closed are refused where a product is recorded or runs, and C stays as it is.
func TestWhatAHurriedUserGivesAProductIsRefused(t *testing.T) {
	d, other := open(t, "cpu"), open(t, "cpu")
	p, theirs := recordProduct(ctx, d), recordProduct(ctx, other)
	defer closing(t, &p.keeper)
	if p.err != nil || theirs.err != nil {
		t.Fatal(p.err, theirs.err)
	}
	for what, c := range map[string]struct {
		on   vyre.Device
		a, b *vyre.Buffer[uint8]
		c    *vyre.Buffer[uint32]
	}{
		"no A": {d, nil, p.b, p.c}, "no B": {d, p.a, nil, p.c}, "no C": {d, p.a, p.b, nil},
		"their A": {d, theirs.a, p.b, p.c}, "their B": {d, p.a, theirs.b, p.c}, "their C": {d, p.a, p.b, theirs.c},
		"their sequence": {other, p.a, p.b, p.c},
	} {
		seq := c.on.NewSequence(what)
		p.m.Record(seq, recordedDims, c.a, c.b, c.c)
		_, err := seq.Run(ctx)
		if as := (*vyre.Error)(nil); !errors.As(err, &as) || as.Kind != vyre.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
		closeAll(t, seq)
	}
	p.m.Record(nil, recordedDims, p.a, p.b, p.c)
	if got := must(p.c.Read(ctx))(t); !slices.Equal(got, slices.Repeat([]uint32{9}, 40)) {
		t.Errorf("C is %v", got)
	}
	closeAll(t, theirs.seq, theirs.m)
	seq := other.NewSequence("closed")
	theirs.m.Record(seq, recordedDims, theirs.a, theirs.b, theirs.c)
	if _, err := seq.Run(ctx); !errors.Is(err, vyre.Closed) {
		t.Errorf("a closed product: %v", err)
	}
	closeAll(t, seq, theirs.a, theirs.b, theirs.c)
	if err := p.run(ctx); err != nil {
		t.Error(err)
	}
}

// A sum of float32 is as near to the exact one as its rule promises, whatever the rule's oracle says: each step cuts less than 2^-23 of
// the greatest term off each of 17 terms.
func TestProductsAreNearExactOnes(t *testing.T) {
	const m, n, k = 9, 7, 300
	r := rand.New(rand.NewPCG(36, 5))
	d := open(t, "cpu")
	x, y := make([]gpu.Float16, m*k), make([]gpu.Float16, k*n)
	for _, list := range [][]gpu.Float16{x, y} {
		for i := range list {
			list[i] = gpu.ToFloat16(float32(r.NormFloat64()))
		}
	}
	p := must(prim.NewMatMul[gpu.Float16, float32](ctx, d, prim.MatMulOptions{Dims: prim.Dims{M: m, N: n, K: k}}))(t)
	a, b, c := must(vyre.Upload(ctx, d, x))(t), must(vyre.Upload(ctx, d, y))(t), must(vyre.Alloc[float32](d, m*n))(t)
	seq := d.NewSequence("near")
	p.Record(seq, prim.Dims{M: m, N: n, K: k}, a, b, c)
	run(t, seq)
	for at, got := range must(c.Read(ctx))(t) {
		exact, greatest, steps := 0.0, 0.0, float64((k+15)/16)
		for q := range k {
			v := float64(x[at/n*k+q].Float32()) * float64(y[q*n+at%n].Float32())
			exact += v
			greatest = max(greatest, math.Abs(v), math.Abs(exact))
		}
		if off := math.Abs(float64(got) - exact); off > steps*18*greatest*0x1p-23 {
			t.Errorf("element %d is %v, and %v exactly", at, got, exact)
		}
	}
	closeAll(t, seq, a, b, c, p)
}
