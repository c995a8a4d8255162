package kernel_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

const double = `package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Double(t gpu.Thread, x []float32) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] *= 2
	}
}
`

// Source that is known when the program runs. A device compiles the program that comes of it.
func ExampleProgram() {
	p, err := kernel.Program(double, "Double")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Name(), p.Workgroup(), p.Params()[0].Type)
	// Output: Double [64 1 1] f32
}

// What has no place in a kernel is reported with its position, everything at once.
func ExampleParse() {
	src := strings.Replace(double, "x[i] *= 2", "seen := map[uint32]bool{}; x[i] = float32(len(seen))", 1)
	_, err := kernel.Parse(context.Background(), []kernel.File{{Name: "double.go", Src: []byte(src)}}, kernel.Options{})
	for _, d := range err.(ir.Diags) {
		fmt.Println(d.Pos, d.Code, d.Msg)
	}
	// Output: double.go:8:11 VK003 a map has no place in a kernel
}
