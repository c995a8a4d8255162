package main

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
)

// A kernel is a function, and gpu.Run calls it: here breakpoints, coverage and go test -race
// work. What it computes must be what the device computes.
func TestScanIsTheSameNatively(t *testing.T) {
	x := make([]uint32, 3001)
	for i := range x {
		x[i] = uint32(i*i) % 97
	}
	native, starts := make([]uint32, len(x)), make([]uint32, 3)
	grid := gpu.Grid{Groups: gpu.Vec3{X: 3}, Group: gpu.Vec3{X: 256}, Cooperative: true}
	gpu.Run(grid, func(t gpu.Thread) { Scan(t, x, native, starts) })

	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	scan, err := CompileScan(ctx, dev)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, len(x))
	if _, err := scan.Run(ctx, vyre.Grid{3, 1, 1}, x, got, starts); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, native) {
		t.Errorf("the device gives %d, the function natively %d", got, native)
	}
}
