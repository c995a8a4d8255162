package conform

import (
	"fmt"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Front is what cases without a device go through, TheFront package ir as it is.
type Front = front

var TheFront = theFront

// GoDeclarations begin the kernels of a kind: all kernels of RandomGo, and of RandomGoOrder.
var GoDeclarations = []string{goDeclarations, orderDeclarations}

// FunctionProgram stores f(base + g) to out[g].
func FunctionProgram(f Function) *ir.Program { return f.program() }

// BulkLoop is one loop of the bulk evaluation, beside what it stands for.
type BulkLoop struct {
	Name      string
	Draw      func(*rand.Rand) (a, b, c uint64)
	Got, Want func(a, b, c uint64) uint64
}

// BulkLoops lists the loops.
func BulkLoops() []BulkLoop {
	var list []BulkLoop
	add := func(loop bulkLoop, op ir.Op, in, out ir.Type) {
		draw := func(rng *rand.Rand, t ir.Type) uint64 {
			if vals := edges(t); rng.IntN(2) == 0 {
				return vals[rng.IntN(len(vals))] & t.Mask()
			}
			return rng.Uint64() & t.Mask()
		}
		list = append(list, BulkLoop{
			Name: fmt.Sprintf("%s.%s.%s", op, out, in),
			Draw: func(rng *rand.Rand) (a, b, c uint64) {
				a, b, c = draw(rng, in), draw(rng, in), draw(rng, in)
				switch op {
				case ir.OpShl, ir.OpShr:
					b = uint64(rng.Uint32N(70))
				case ir.OpSelect:
					a &= 1
				case ir.OpFma:
					if rng.IntN(2) == 0 {
						c = exact.Eval(ir.OpNeg, in, in, 0, exact.Eval(ir.OpMul, in, in, 0, a, b, 0), 0, 0) // what is left is the rounding
					}
				}
				return a, b, c
			},
			Got: func(a, b, c uint64) uint64 {
				var d, x, y, z bulkValues
				wide := isWide(in)
				x.set(5, wide && op != ir.OpSelect, a)
				y.set(5, wide && op != ir.OpShl && op != ir.OpShr, b)
				z.set(5, wide, c)
				loop(&d, &x, &y, &z)
				return d.get(5, isWide(out))
			},
			Want: func(a, b, c uint64) uint64 { return exact.Eval(op, in, out, 0, a, b, c) },
		})
	}
	for k, loop := range bulkLoops {
		out := k.in
		if k.op == ir.OpEq || k.op == ir.OpNe || k.op == ir.OpLt {
			out = ir.Bool
		}
		add(loop, k.op, k.in, out)
	}
	for k, loop := range bulkConversions {
		add(loop, k.op, k.from, k.to)
	}
	return list
}
