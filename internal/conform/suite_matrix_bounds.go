package conform

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	gofront "github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// boundsKernel is a product in Go of elements %[1]s with sums of %[2]s, %[3]d products a step; %[4]t says whether the matrices
// are transposed.
const boundsKernel = `package generated

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func Kernel(t gpu.Thread, m, n, k, ofA, ofB, ofC, row, col, from, skip uint32, a, b []%[1]s, c []%[2]s) {
	as := gpu.Shape{Rows: m, Cols: k, Stride: ofA, Transposed: %[4]t}
	bs := gpu.Shape{Rows: k, Cols: n, Stride: ofB, Transposed: %[4]t}
	cs := gpu.Shape{Rows: m, Cols: n, Stride: ofC, Transposed: %[4]t}
	acc := gpu.LoadAcc(t, c[skip:], cs, row, col)
	for at := from; at < k; at += %[3]d {
		acc = gpu.MulAdd(t, gpu.LoadA(t, a[skip:], as, row, at), gpu.LoadB(t, b, bs, at, col), acc)
	}
	gpu.StoreAcc(t, c[skip:], cs, row, col, acc)
}
`

// goNames are how the types of elements and sums are written in Go.
var goNames = map[ir.Type]string{ir.F16: "gpu.Float16", ir.BF16: "gpu.BFloat16", ir.F32: "float32", ir.F64: "float64", ir.I8: "int8", ir.U8: "uint8",
	ir.I32: "int32", ir.U32: "uint32"}

// bounded is a launch of that kernel: its numbers, and the elements of each matrix as they lie in memory.
type bounded struct {
	form                        matrix.Form
	turned                      bool
	m, n, k, row, col, from, at int
	stride                      [3]int
	mem                         [3][]int64
}

// matrixBounds are matrices of sizes around a step, in slices that are too short, or begin within an element of four.
func matrixBounds() []Case {
	var cases []Case
	for f := matrix.F16; f <= matrix.B1; f++ {
		for _, turned := range []bool{false, true} {
			step := stepOf(f)
			source := fmt.Sprintf(boundsKernel, goNames[matrixTypes[f][0]], goNames[matrixTypes[f][1]], step, turned)
			pkg, err := gofront.Parse(context.Background(), []gofront.File{{Name: "kernel.go", Src: []byte(source)}}, gofront.Options{})
			if err != nil {
				panic(fmt.Sprintf("BUG: the kernel is refused: %v\n%s", err, source))
			}
			rng := rand.New(rand.NewPCG(uint64(f), 8))
			for i, k := range []int{0, 1, step - 1, step, step + 1, 2*step + 1} {
				b := &bounded{form: f, turned: turned, m: []int{16, 1, 0, 21, 15, 17}[i], n: []int{8, 9, 8, 7, 1, 3}[i], k: k}
				b.row, b.col, b.from, b.at = []int{0, 0, 0, 5, 16, 3}[i], []int{0, 1, 0, 0, 0, 2}[i], []int{0, 0, 0, 1, 0, 2}[i], i%3
				c := b.launch(rng)
				c.Name, c.Program = fmt.Sprintf("%s.%t.%d", f, turned, k), pkg.Kernels()[0].Program
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// stepOf is how many columns of A a product has, in elements.
func stepOf(f matrix.Form) int {
	_, _, k := f.Shape()
	if f == matrix.B1 {
		return k / 32
	}
	return k
}

// launch draws the matrices and says what must come of them.
func (b *bounded) launch(rng *rand.Rand) Case {
	types := matrixTypes[b.form]
	sizes := [3][2]int{{b.m, b.k}, {b.k, b.n}, {b.m, b.n}}
	args := []Arg{{Bits: uint64(b.m)}, {Bits: uint64(b.n)}, {Bits: uint64(b.k)}, {}, {}, {}, {Bits: uint64(b.row)}, {Bits: uint64(b.col)}, {Bits: uint64(b.from)}, {Bits: uint64(b.at)}}
	for i, s := range sizes {
		lines, length := s[0], s[1]
		if b.turned {
			lines, length = length, lines
		}
		b.stride[i] = length + i
		args[3+i].Bits = uint64(b.stride[i])
		b.mem[i] = make([]int64, max(0, lines*b.stride[i]-2)) // the last elements are not there
		for e := range b.mem[i] {
			if b.mem[i][e] = int64(rng.IntN(9) - 4); types[0] == ir.U8 || types[0] == ir.U32 {
				b.mem[i][e] = int64(rng.IntN(200))
			}
		}
		args = append(args, Arg{Data: b.bytes(i)})
	}
	c := Case{Family: "mat-bounds", Form: b.form, Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: args}}
	b.multiply()
	c.Want = make([][]byte, len(args))
	c.Want[len(args)-1] = b.bytes(2)
	return c
}

// bytes are those of a matrix; A and C begin so many elements on in their buffers.
func (b *bounded) bytes(i int) (out []byte) {
	t := matrixTypes[b.form][i/2]
	if i != 1 {
		for range b.at {
			out = t.AppendElem(out, 1)
		}
	}
	for _, v := range b.mem[i] {
		out = t.AppendElem(out, elementBits(t, float64(v)))
	}
	return out
}

// element is element (r, c) of a matrix of so many rows and columns, nil if it or its slice has none.
func (b *bounded) element(i, r, c, rows, columns int) *int64 {
	at := r*b.stride[i] + c
	if b.turned {
		at = c*b.stride[i] + r
	}
	if r >= rows || c >= columns || at >= len(b.mem[i]) {
		return nil
	}
	return &b.mem[i][at]
}

// multiply is what the kernel does.
func (b *bounded) multiply() {
	for r := b.row; r < b.row+16; r++ {
		for c := b.col; c < b.col+8; c++ {
			sum := b.element(2, r, c, b.m, b.n)
			if sum == nil {
				continue
			}
			for k := b.from; k < b.k; k++ {
				x, y := b.element(0, r, k, b.m, b.k), b.element(1, k, c, b.k, b.n)
				switch {
				case x == nil || y == nil:
				case b.form == matrix.B1:
					*sum += int64(bits.OnesCount32(uint32(*x) & uint32(*y)))
				default:
					*sum += *x * *y
				}
			}
		}
	}
}
