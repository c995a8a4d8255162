package gpu_test

import (
	"testing"

	"github.com/govyre/vyre/gpu"
)

func TestSharedCallsNameTheSameArraysInOneGroup(t *testing.T) {
	const size = 96
	wrong := make([]uint32, 1)
	gpu.Run(grid(5, size), func(t gpu.Thread) {
		a, b := gpu.Shared[uint64](t, size), gpu.Shared[bool](t, 2*size)
		l := t.LocalIndex()
		if len(a) != size || len(b) != 2*size || a[l] != 0 {
			gpu.AtomicAdd(&wrong[0], 1)
		}
		a[l] = uint64(t.Group().X)<<32 | uint64(l)
		b[l] = l%2 == 0
		t.Barrier()
		k := (l + 37) % size
		if a[k] != uint64(t.Group().X)<<32|uint64(k) || b[k] != (k%2 == 0) {
			gpu.AtomicAdd(&wrong[0], 1)
		}
	})
	if wrong[0] != 0 {
		t.Errorf("%d invocations saw another array", wrong[0])
	}
}

func TestSharedRestHasTheLengthOfTheLaunch(t *testing.T) {
	g := grid(2, 32)
	for _, n := range []int{0, 1, 50} {
		g.SharedRest = n
		wrong := make([]uint32, 1)
		gpu.Run(g, func(t gpu.Thread) {
			rest := gpu.SharedRest[gpu.Float16](t)
			if len(rest) != n {
				gpu.AtomicAdd(&wrong[0], 1)
			}
			if t.Lane() == 0 && n > 0 {
				rest[n-1] = gpu.Float16FromBits(7)
			}
			t.Barrier()
			if n > 0 && rest[n-1].Bits() != 7 {
				gpu.AtomicAdd(&wrong[0], 1)
			}
		})
		if wrong[0] != 0 {
			t.Errorf("rest of %d: %d wrong", n, wrong[0])
		}
	}
}

func TestSharedMisuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		kernel func(t gpu.Thread)
		want   string
	}{
		{"empty", func(t gpu.Thread) { gpu.Shared[bool](t, 0) }, `Shared of 0 elements`},
		{"lengths differ", func(t gpu.Thread) { gpu.Shared[int32](t, 8+int(t.Lane())) },
			`Shared at \S+shared_test\.go:\d+ .* wants a \[\]int32 of [89], but Shared at \S+shared_test\.go:\d+ made a \[\]int32 of [89]`},
		{"types differ", func(t gpu.Thread) {
			if t.Lane() == 0 {
				gpu.Shared[int32](t, 8)
			} else {
				gpu.Shared[float32](t, 8)
			}
		}, `wants a \[\](int|float)32 of 8, but Shared at \S+ made a \[\](int|float)32 of 8`},
		{"rest twice", func(t gpu.Thread) { gpu.SharedRest[int32](t); gpu.SharedRest[int32](t) }, `SharedRest called twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantMatch(t, panicOf(t, func() { gpu.Run(grid(1, 2), c.kernel) }), c.want)
		})
	}
}
