package wire_test

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/wire"
)

// A program is stored and read back. What was damaged on the way is not taken for a program.
func ExampleDecode() {
	b := build.New("ones", build.Workgroup(32))
	x := b.Buffer("x", ir.U32, ir.WO)
	b.Store(x, b.Global(0), b.U32(1))
	p, err := b.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, err := wire.Encode(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	q, _, err := wire.Decode(stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Name(), q.Digest() == p.Digest())

	_, _, err = wire.Decode(stored[:40])
	fmt.Println(err)
	// Output:
	// ones true
	// wire form: 40 bytes, too short for the header of 64 [VW001]
}
