package vyre_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/kernel"
)

const saxpy = `package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=256
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	y[i] = a*x[i] + y[i]
}
`

// A kernel in Go, two buffers, one launch.
func Example() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu") // "auto" takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := kernel.Program(saxpy, "Saxpy")
	if err != nil {
		log.Fatal(err)
	}
	k, err := dev.Compile(ctx, p)
	if err != nil {
		log.Fatal(err)
	}
	x, err := vyre.Upload(dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	y, err := vyre.Upload(dev, []float32{10, 20, 30, 40})
	if err != nil {
		log.Fatal(err)
	}

	seq := dev.NewSequence("saxpy")
	seq.Launch(k, vyre.Cover(k, y.Len()), vyre.Value(float32(2)), x.All(), y.All())
	if _, err := seq.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Read(ctx))
	// Output: [12 24 36 48] <nil>
}

// One launch with everything in Go slices.
func ExampleRun() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := kernel.Program(saxpy, "")
	if err != nil {
		log.Fatal(err)
	}
	k, err := dev.Compile(ctx, p)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float32{1, 2, 3}, []float32{1, 1, 1}
	if _, err := vyre.Run(ctx, k, vyre.Cover(k, len(y)), vyre.Value(float32(10)), vyre.In(x), vyre.InOut(y)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [11 21 31]
}

// A loop that ends when the device says so. The host waits once.
func ExampleSequence_while() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := kernel.Program(`package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func Collatz(t gpu.Thread, x, again []uint32) {
	if i := t.Global().X; i < uint32(len(x)) && x[i] != 1 {
		if x[i]%2 == 0 {
			x[i] /= 2
		} else {
			x[i] = 3*x[i] + 1
		}
		again[0] = 1
	}
}
`, "Collatz")
	if err != nil {
		log.Fatal(err)
	}
	collatz, err := dev.Compile(ctx, p)
	if err != nil {
		log.Fatal(err)
	}
	x := []uint32{3, 6, 7, 12}
	seq := dev.NewSequence("collatz")
	nums := vyre.Scratch[uint32](seq, len(x))
	// Two words: whether to go on, and whether this round has found more to do.
	flags := vyre.Scratch[uint32](seq, 2)
	seq.Upload(nums.All(), vyre.Bytes(x), vyre.Always)
	seq.Fill(flags.All(), 1, 4)
	loop := seq.While(flags.Slice(0, 1), 100, func() {
		seq.Fill(flags.Slice(1, 2), 0, 4)
		seq.Launch(collatz, vyre.Cover(collatz, len(x)), nums.All(), flags.Slice(1, 2))
		seq.Copy(flags.Slice(0, 1), flags.Slice(1, 2))
	})
	seq.Read(nums.All(), vyre.Bytes(x))
	if _, err := seq.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x, "rounds:", loop.Iterations(), "converged:", loop.Converged())
	// Output: [1 1 1 1] rounds: 17 converged: true
}

// A captured sequence answers one query after the other.
func ExampleGraph() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	// Programs can also be built row by row.
	b := build.New("square", build.Workgroup(32))
	in, out := b.Buffer("in", ir.U32, ir.RO), b.Buffer("out", ir.U32, ir.WO)
	i := b.Global(0)
	v := b.Load(in, i)
	b.Store(out, i, b.Mul(v, v))
	program, err := b.Program()
	if err != nil {
		log.Fatal(err)
	}
	square, err := dev.Compile(ctx, program)
	if err != nil {
		log.Fatal(err)
	}

	query, answer := make([]uint32, 3), make([]uint32, 3)
	seq := dev.NewSequence("square")
	from, to := vyre.Scratch[uint32](seq, 3), vyre.Scratch[uint32](seq, 3)
	seq.Upload(from.All(), vyre.Bytes(query), vyre.Always)
	seq.Launch(square, vyre.Cover(square, 3), from.All(), to.All())
	seq.Read(to.All(), vyre.Bytes(answer))
	graph, err := seq.Capture(vyre.CaptureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for n := range uint32(3) {
		copy(query, []uint32{n, n + 1, n + 2})
		if _, err := graph.Run(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
	// Output:
	// [0 1 4]
	// [1 4 9]
	// [4 9 16]
}

// Errors say what happened to what, with the numbers, and what to do.
func ExampleError() {
	dev, err := vyre.OpenWith("cpu", vyre.OpenOptions{MemoryLimit: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	_, err = vyre.Alloc[float64](dev, 1<<20)
	fmt.Println(errors.Is(err, vyre.OutOfMemory))
	fmt.Println(err)
	// Output:
	// true
	// vyre: alloc on cpu: out of memory: requested 8388608 bytes, 1048576 available; fix: close buffers or split the work
}
