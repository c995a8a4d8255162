package block_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/block"
)

//go:generate go run ../../internal/gen/generate -o user_vyre_test.go user_test.go

// affine composes maps x -> a*x + b, of which a word has b above and a below. It is associative, and does not commute: the running
// compositions of the steps of a linear recurrence are its states.
type affine struct{}

func (affine) Apply(f, g uint64) uint64 {
	a, b := uint32(f), uint32(f>>32)
	return uint64(uint32(g)*a) | uint64(uint32(g)*b+uint32(g>>32))<<32
}

func (affine) Identity() uint64 { return 1 }

// Recurrence leaves the state after each step, of a recurrence that begins at 0, in the high halves of y.
//
//vyre:kernel workgroup=256
func Recurrence(t gpu.Thread, steps, y, state []uint64) {
	cells := block.Cells[uint64]{Pairs: gpu.Shared[[2]uint64](t, block.ScanPairs)}
	part := gpu.Shared[uint64](t, block.Warps)
	block.ScanAll(t, affine{}, 0, steps, y, uint64(len(steps)), state, cells, part)
}

// common is the greatest common divisor.
type common struct{}

func (common) Apply(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (common) Identity() uint32 { return 0 }

// Divisor leaves the greatest common divisor of all elements in out.
//
//vyre:kernel workgroup=256
func Divisor(t gpu.Thread, x, out, sums, counts []uint32) {
	part := gpu.Shared[uint32](t, block.ReduceWords)
	block.ReduceAll(t, common{}, 0, x, uint64(len(x)), out, sums, counts, part)
}

// Kernels of another package around algorithms of this one, with an operator of their own, are compiled by vyre gen and run natively.
func TestKernelsOfUsersWithTheirOwnOperators(t *testing.T) {
	const n = 5*4096 + 77
	rng := rand.New(rand.NewPCG(13, 1))
	steps, states, x := make([]uint64, n), make([]uint64, n), make([]uint32, n)
	at := uint64(1)
	for i := range steps {
		steps[i] = rng.Uint64() | 1
		at = affine{}.Apply(at, steps[i])
		states[i] = at
		x[i] = 12 * (1 + rng.Uint32N(1<<24)) // all of them have no greater divisor
	}
	lengths := []uint64{block.StateLen(n, 8), block.SumsLen(n), block.CountsLen(n)}
	check := func(t *testing.T, y []uint64, out []uint32) {
		t.Helper()
		if !slices.Equal(y, states) {
			t.Error("the running compositions are wrong")
		}
		if out[0] != 12 {
			t.Errorf("the greatest common divisor is %d, want 12", out[0])
		}
	}
	for _, groups := range []uint32{1, 3} {
		t.Run(fmt.Sprint("natively, groups: ", groups), func(t *testing.T) {
			y, out := make([]uint64, n), make([]uint32, 1)
			state, sums, counts := make([]uint64, lengths[0]), make([]uint32, lengths[1]), make([]uint32, lengths[2])
			grid := gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: block.Threads}}
			gpu.Run(grid, func(t gpu.Thread) { Recurrence(t, steps, y, state) })
			gpu.Run(grid, func(t gpu.Thread) { Divisor(t, x, out, sums, counts) })
			check(t, y, out)
		})
		for _, name := range []string{"cpu", "cuda-sim"} {
			t.Run(fmt.Sprint(name, ", groups: ", groups), func(t *testing.T) {
				d, err := vyre.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				ctx := context.Background()
				recurrence, err := CompileRecurrence(ctx, d)
				if err != nil {
					t.Fatal(err)
				}
				divisor, err := CompileDivisor(ctx, d)
				if err != nil {
					t.Fatal(err)
				}
				y, out := make([]uint64, n), make([]uint32, 1)
				if _, err := recurrence.Run(ctx, vyre.Grid{groups}, steps, y, make([]uint64, lengths[0])); err != nil {
					t.Fatal(err)
				}
				if _, err := divisor.Run(ctx, vyre.Grid{groups}, x, out, make([]uint32, lengths[1]), make([]uint32, lengths[2])); err != nil {
					t.Fatal(err)
				}
				check(t, y, out)
			})
		}
	}
}
