package vyre_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
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
	k, err := dev.Compile(ctx, p, vyre.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := vyre.Upload(ctx, dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	y, err := vyre.Upload(ctx, dev, []float32{10, 20, 30, 40})
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
	k, err := dev.Compile(ctx, p, vyre.CompileOptions{})
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

// A sequence is checked once and runs as often as wanted. Between runs its handles change what was
// recorded.
func ExampleSequence() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := kernel.Program(saxpy, "Saxpy")
	if err != nil {
		log.Fatal(err)
	}
	k, err := dev.Compile(ctx, p, vyre.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	in, out := []float32{1, 2, 3}, make([]float32, 3)
	seq := dev.NewSequence("three times")
	defer seq.Close()
	x, y := vyre.Scratch[float32](seq, 3), vyre.Scratch[float32](seq, 3)
	seq.Upload(x.All(), vyre.Bytes(in), vyre.Always)
	seq.Fill(y.All(), 0, 4)
	step := seq.Launch(k, vyre.Cover(k, 3), vyre.Value(float32(1)), x.All(), y.All())
	seq.Read(y.All(), vyre.Bytes(out))
	for _, a := range []float32{1, 10, 100} {
		if err := step.SetArg(0, vyre.Value(a)); err != nil {
			log.Fatal(err)
		}
		if _, err := seq.Run(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println(out)
	}
	// Output:
	// [1 2 3]
	// [10 20 30]
	// [100 200 300]
}

// Two sequences run at the same time; a third waits for both on the device.
func ExamplePending() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	b, err := vyre.Alloc[uint32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	var halves []vyre.Pending
	for i := range 2 {
		fill := dev.NewSequence("half")
		defer fill.Close()
		fill.Fill(b.Slice(2*i, 2*i+2), uint64(i+1), 4)
		run, err := fill.Start(ctx)
		if err != nil {
			log.Fatal(err)
		}
		halves = append(halves, run)
	}
	all := make([]uint32, 4)
	read := dev.NewSequence("all")
	defer read.Close()
	read.Read(b.All(), vyre.Bytes(all))
	run, err := read.Start(ctx, halves...)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil { // a wait that ctx ends can be repeated
		log.Fatal(err)
	}
	fmt.Println(all)
	// Output: [1 1 2 2]
}

// A pool gives buffers of sizes that come again and again without allocating.
func ExamplePool() {
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	pool := dev.NewPool(vyre.PoolOptions{})
	defer pool.Close()
	for range 3 {
		mem, err := pool.Get(1 << 20)
		if err != nil {
			log.Fatal(err)
		}
		floats, err := vyre.View[float32](mem)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(floats.Len())
		if err := pool.Put(mem); err != nil {
			log.Fatal(err)
		}
	}
	hits, _ := dev.Stats().Value("pool_hits")
	fmt.Println("taken from the pool:", hits)
	// Output:
	// 262144
	// 262144
	// 262144
	// taken from the pool: 2
}

// Views are parts of a buffer, and the same bytes under another type.
func ExampleBuffer() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	type particle struct {
		Pos  [3]float32
		Mass float32
	}
	ps, err := vyre.Upload(ctx, dev, []particle{{Mass: 1}, {Pos: [3]float32{1, 2, 3}, Mass: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ps.View(1, 2).Read(ctx))
	floats, err := vyre.ViewAs[float32](ps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(floats.Read(ctx))
	// Output:
	// [{[1 2 3] 2}] <nil>
	// [0 0 0 1 1 2 3 2] <nil>
}

// SaxpyKernel is the launcher that vyre gen writes for the kernel, without the program inside.
type SaxpyKernel struct{ vyre.Kernel }

// Launch takes buffers and views of them, of the kernel's types.
func (k SaxpyKernel) Launch(seq *vyre.Sequence, grid vyre.Grid, a float32, x, y *vyre.Buffer[float32]) *vyre.Step {
	return seq.Launch(k.Kernel, grid, vyre.Value(a), x.All(), y.All())
}

// A generated launcher has the kernel's parameters, and is a kernel wherever one is expected.
func Example_generatedLauncher() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := kernel.Program(saxpy, "Saxpy")
	if err != nil {
		log.Fatal(err)
	}
	k, err := dev.Compile(ctx, p, vyre.CompileOptions{}) // CompileSaxpy(ctx, dev) does these two steps
	if err != nil {
		log.Fatal(err)
	}
	saxpy := SaxpyKernel{k}
	x, err := vyre.Upload(ctx, dev, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	seq := dev.NewSequence("launchers")
	saxpy.Launch(seq, vyre.Cover(saxpy, 2), 10, x.View(0, 2), x.View(2, 4))
	seq.Launch(saxpy, vyre.Cover(saxpy, 2), vyre.Value(float32(1)), x.Slice(0, 2), x.Slice(2, 4))
	if _, err := seq.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Read(ctx))
	// Output: [1 2 14 26] <nil>
}

// A test opens a device of its own, with the limits that it is about, under the name of no hardware.
func ExampleDevice() {
	dev, err := cpu.Open(cpu.Options{OpenOptions: driver.OpenOptions{
		MemoryLimit: 1 << 10,
		Observer:    &driver.Observer{Alloc: func(label string, bytes int64, err error) { fmt.Println("alloc", bytes, err == nil) }},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{100, 1000} {
		_, err := vyre.Alloc[uint32](dev, n)
		fmt.Println(errors.Is(err, vyre.OutOfMemory))
	}
	// Output:
	// alloc 400 true
	// false
	// alloc 4000 false
	// true
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
	collatz, err := dev.Compile(ctx, p, vyre.CompileOptions{})
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
	square, err := dev.Compile(ctx, program, vyre.CompileOptions{})
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
