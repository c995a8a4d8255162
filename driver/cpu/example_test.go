package cpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/kernel"
)

// Every invocation adds to one element without an update that is atomic. The device says so, and where.
func ExampleOpen() {
	dev, err := cpu.Open(cpu.Options{Run: cpu.RunOptions{Detect: cpu.Races, Schedule: cpu.Seeded(1)}})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := kernel.Program(`package kernels

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Sum(t gpu.Thread, x, sum []uint32) {
	sum[0] += x[t.Global().X]
}
`, "Sum")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	k, err := dev.Compile(ctx, p, vyre.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := vyre.Run(ctx, k, vyre.Grid{1}, vyre.In(make([]uint32, 64)), vyre.InOut(make([]uint32, 1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Reports[0].Text)
	// Output: kernel.go:7:9: kernel Sum: race on sum[0]: load by group (0,0,0) local (10,0,0) and store at kernel.go:7:9 by group (0,0,0) local (48,0,0); 32 times
}
