package build_test

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// A program built op by op. The counter and the sum are variables; the builder makes
// loop arguments of them.
func ExampleBuilder() {
	b := build.New("sum", build.Workgroup(1))
	x := b.Buffer("x", ir.U32, ir.RO)
	out := b.Buffer("out", ir.U32, ir.WO)
	sum := b.Var(b.U32(0))
	b.For(b.U32(0), b.Len(x), b.U32(1), func(i build.Value, _ build.Label) {
		sum.Set(b.Add(sum.Get(), b.Load(x, i)))
	})
	b.Store(out, b.U32(0), sum.Get())
	p, err := b.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text.Of(p))
	// Output:
	// vyre 1
	//
	// kernel @sum workgroup(1) {
	//   param @x: buf<u32> ro
	//   param @out: buf<u32> wo
	//   %0 = len @x
	//   %7 = loop ^0 (%1: u32 = 0_u32, %2: u32 = 0_u32) -> (u32) {
	//     %3 = le.u32 %0, %1
	//     if %3 { break ^0 (%2) }
	//     %4 = load @x[%1]
	//     %5 = add.u32 %2, %4
	//     %6 = add.u32 %1, 1_u32
	//     continue ^0 (%6, %5)
	//   }
	//   store @out[0_u32], %7
	// }
}
