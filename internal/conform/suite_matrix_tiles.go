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

// tilesKernel multiplies matrices of elements %[1]s in shared memory, with sums of %[2]s, in two steps of %[3]d along k; %[4]t says
// whether both lie the other way. Lines are %[5]d and %[6]d elements apart, and steps begin %[7]d and %[8]d after one
// another. It does so three times: with lines at multiples of 16 bytes, from the next element on, and with lines one
// element further apart.
const tilesKernel = `package generated

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Kernel(t gpu.Thread, a, b []%[1]s, c []%[2]s) {
	as, bs := gpu.Shared[%[1]s](t, 2*%[7]d), gpu.Shared[%[1]s](t, 2*%[8]d)
	for i := t.LocalIndex(); i < 2*%[7]d; i += 64 {
		as[i] = gpu.At(a, i)
	}
	for i := t.LocalIndex(); i < 2*%[8]d; i += 64 {
		bs[i] = gpu.At(b, i)
	}
	t.Barrier()
	multiply(t, 0, 0, as, bs, c)
	t.Barrier() // what was loaded is loaded again
	multiply(t, 1, 0, as, bs, c[256:])
	t.Barrier()
	multiply(t, 0, 1, as, bs, c[512:])
}

func multiply(t gpu.Thread, at, more uint32, as, bs []%[1]s, c []%[2]s) {
	ofA := gpu.Shape{Rows: 32, Cols: %[3]d, Stride: %[5]d + more, Transposed: %[4]t}
	ofB := gpu.Shape{Rows: %[3]d, Cols: 8, Stride: %[6]d + more, Transposed: %[4]t}
	var acc gpu.Acc[%[2]s]
	for s := range uint32(2) {
		fa := gpu.LoadA(t, as[at+s*%[7]d:], ofA, t.Warp()*16, 0)
		acc = gpu.MulAdd(t, fa, gpu.LoadB(t, bs[at+s*%[8]d:], ofB, 0, 0), acc)
	}
	gpu.StoreAcc(t, c, gpu.Shape{Rows: 32, Cols: 8, Stride: 8}, t.Warp()*16, 0, acc)
}
`

// tiled is a launch of that kernel.
type tiled struct {
	form        matrix.Form
	turned      bool
	step        int
	pitch, part [2]int     // of A and B
	mem         [2][]int64 // their elements
}

// matrixTiles are operands in shared memory.
func matrixTiles() (cases []Case) {
	for f := matrix.F16; f <= matrix.B1; f++ {
		for _, turned := range []bool{false, true} {
			x := &tiled{form: f, turned: turned, step: stepOf(f)}
			each := 128 / f.Bits()
			for i, rows := range [2]int{32, 8} {
				lines, length := rows, x.step
				if turned == (i == 0) {
					lines, length = length, lines
				}
				x.pitch[i] = (length+each-1)/each*each + each
				x.part[i] = (lines*(x.pitch[i]+1)/each + 1) * each
			}
			cases = append(cases, x.launch())
		}
	}
	return cases
}

func (x *tiled) launch() Case {
	types, rng := matrixTypes[x.form], rand.New(rand.NewPCG(uint64(x.form), 36))
	source := fmt.Sprintf(tilesKernel, goNames[types[0]], goNames[types[1]], x.step, x.turned, x.pitch[0], x.pitch[1], x.part[0], x.part[1])
	pkg, err := gofront.Parse(context.Background(), []gofront.File{{Name: "kernel.go", Src: []byte(source)}}, gofront.Options{})
	if err != nil {
		panic(fmt.Sprintf("BUG: the kernel is refused: %v\n%s", err, source))
	}
	var args []Arg
	for i := range x.mem {
		var data []byte
		for range 2 * x.part[i] {
			v := int64(rng.IntN(9) - 4)
			if types[0] == ir.U8 || types[0] == ir.U32 {
				v = int64(rng.IntN(200))
			}
			x.mem[i], data = append(x.mem[i], v), types[0].AppendElem(data, elementBits(types[0], float64(v)))
		}
		args = append(args, Arg{Data: data})
	}
	var want []byte
	for _, l := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
		for i := range 32 * 8 {
			want = types[1].AppendElem(want, elementBits(types[1], float64(x.sum(i/8, i%8, l[0], l[1]))))
		}
	}
	args = append(args, Arg{Data: make([]byte, len(want))})
	return Case{Family: "mat-tiles", Name: fmt.Sprintf("%s.%t", x.form, x.turned), Form: x.form, Program: pkg.Kernels()[0].Program,
		Launch: Launch{Grid: [3]uint32{1, 1, 1}, Args: args}, Want: [][]byte{nil, nil, want}}
}

// sum is an element of the product of matrices that begin at an element, with lines so much further apart.
func (x *tiled) sum(row, col, at, more int) (sum int64) {
	for k := range 2 * x.step {
		s, q := k/x.step, k%x.step
		places := [2][2]int{{row, q}, {q, col}}
		var v [2]int64
		for i, p := range places {
			if x.turned {
				p[0], p[1] = p[1], p[0]
			}
			v[i] = x.mem[i][at+s*x.part[i]+p[0]*(x.pitch[i]+more)+p[1]]
		}
		if x.form == matrix.B1 {
			sum += int64(bits.OnesCount32(uint32(v[0] & v[1])))
		} else {
			sum += v[0] * v[1]
		}
	}
	return sum
}
