package gpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/testing/long"
)

// uniformOp does one op that all invocations reach, chosen by k.
func uniformOp(t gpu.Thread, k int, grid bool) {
	switch {
	case k == 0:
		t.Barrier()
	case k == 1:
		t.WarpBarrier()
	case k == 2:
		gpu.ReduceAdd(t, uint32(1))
	case k == 3:
		t.BarrierAdd(1)
	case grid:
		t.GridBarrierAny(false)
	default:
		gpu.BarrierBroadcast(t, 1.5)
	}
}

// One invocation goes astray somewhere in a random sequence of barriers. Run ends with a
// panic, never hangs, and leaves no goroutine; the next Run is unaffected.
func TestHammerOneInvocationGoesAstray(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 20
	}
	seed := long.Seed(t, 1)
	for round := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		groups, size := 1+rng.Uint32N(4), 2+rng.Uint32N(70) // from 2: nobody misses an invocation that is alone
		g := grid(groups, size)
		g.Cooperative = rng.IntN(2) == 0
		ops := make([]int, 1+rng.IntN(12))
		for i := range ops {
			ops[i] = rng.IntN(5)
		}
		ops = append(ops, 0) // the others wait for the group at the end
		who, when, how := uint64(rng.Uint32N(groups*size)), rng.IntN(len(ops)), rng.IntN(3)
		name := fmt.Sprintf("seed %d round %d: grid %+v, ops %v, invocation %d, op %d, way %d", seed, round, g, ops, who, when, how)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic: %s", name)
				}
			}()
			gpu.Run(g, func(t gpu.Thread) {
				for i, op := range ops {
					if i == when && t.GlobalIndex() == who {
						switch how {
						case 0:
							panic("astray")
						case 1:
							return
						default:
							t.BarrierAll(true) // in place of op
							continue
						}
					}
					uniformOp(t, op, g.Cooperative)
				}
			})
		}()
		done := make([]uint32, 1)
		gpu.Run(g, func(t gpu.Thread) {
			for _, op := range ops {
				uniformOp(t, op, g.Cooperative)
			}
			gpu.AtomicAdd(&done[0], 1)
		})
		if done[0] != groups*size {
			t.Errorf("%d of %d ended: %s", done[0], groups*size, name)
		}
	}
}
