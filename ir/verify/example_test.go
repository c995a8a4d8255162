package verify_test

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/verify"
)

// A pass takes a copy of a program's columns, changes them and seals the result. Here one turns every sum into a
// difference.
func ExampleSeal() {
	b := build.New("step", build.Workgroup(32))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	b.Store(x, i, b.Add(b.Load(x, i), b.U32(1)))
	p, err := b.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := p.Edit()
	for r, op := range c.Op {
		if op == ir.OpAdd {
			c.Op[r] = ir.OpSub
		}
	}
	q, err := verify.Seal(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the same program:", q.Digest() == p.Digest())
	// Output:
	// the same program: false
}

// What a program needs, a device may lack.
func ExampleProgram() {
	b := build.New("meet", build.Workgroup(32))
	b.GridBarrier()
	p, err := b.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verify.Program(p, verify.Target{SM: 70}))
	// Output:
	// row 0: kernel meet: barrier.grid needs a cooperative launch, which the target does not have [VY507]
	// 	split the kernel at its grid barriers
}
