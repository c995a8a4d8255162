package gpu_test

import (
	"testing"

	"github.com/govyre/vyre/gpu"
)

// Every misuse names the counts and the positions of those who wait, and ends.

func TestBarrierThatSomeSkipByReturning(t *testing.T) {
	var at string
	text := panicOf(t, func() {
		gpu.Run(grid(1, 48), func(t gpu.Thread) {
			if t.LocalIndex() == 40 {
				return
			}
			if t.LocalIndex() == 0 {
				at = line(2)
			}
			t.Barrier()
		})
	})
	wantMatch(t, text, `group \(0,0,0\)`, `47 of 48 wait in Barrier at `+at+`, first local \(0,0,0\)`, `1 of 48 returned, first local \(40,0,0\)`)
}

func TestBarriersInBothArms(t *testing.T) {
	var at string
	text := panicOf(t, func() {
		gpu.Run(grid(1, 32), func(t gpu.Thread) {
			if t.Lane() < 12 {
				if t.Lane() == 0 {
					at = line(2)
				}
				t.Barrier()
			} else {
				t.Barrier()
			}
		})
	})
	wantMatch(t, text, `12 of 32 wait in Barrier at `+at, `20 of 32 wait in Barrier at \S+barrier_test\.go:\d+, first local \(12,0,0\)`)
}

func TestDifferentOpsOfOneScope(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(grid(1, 32), func(t gpu.Thread) {
			if t.Lane() == 3 {
				t.BarrierAny(true)
			} else {
				t.Barrier()
			}
		})
	})
	wantMatch(t, text, `31 of 32 wait in Barrier at \S+, first local \(0,0,0\)`, `1 of 32 wait in BarrierAny at \S+, first local \(3,0,0\)`)
}

func TestSubgroupOpThatSomeLanesMiss(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(grid(1, 64), func(t gpu.Thread) {
			if t.LocalIndex() != 50 {
				gpu.ReduceAdd(t, 1)
			}
			t.Barrier()
		})
	})
	wantMatch(t, text, `33 of 64 wait in Barrier at \S+barrier_test`, `31 of 64 wait in ReduceAdd at \S+barrier_test`)
}

func TestGroupBarrierAgainstGridBarrier(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(cooperative(2, 8), func(t gpu.Thread) {
			if t.GlobalIndex() == 9 {
				t.Barrier()
			}
			t.GridBarrier()
		})
	})
	wantMatch(t, text, `group \(1,0,0\)`, `7 of 8 wait in GridBarrier at`, `1 of 8 wait in Barrier at \S+, first local \(1,0,0\)`)
}

func TestGridBarrierThatAGroupSkips(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(cooperative(3, 8), func(t gpu.Thread) {
			if t.Group().X != 1 {
				t.GridBarrier()
			}
		})
	})
	wantMatch(t, text, `16 of 24 wait in GridBarrier at \S+, first group \(0,0,0\) local \(0,0,0\)`, `8 of 24 returned, first group \(1,0,0\) local \(0,0,0\)`)
}

func TestGroupsAtDifferentGridBarriers(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(cooperative(3, 8), func(t gpu.Thread) {
			if t.Group().X == 2 {
				t.GridBarrierAll(true)
			} else {
				t.GridBarrierAny(true)
			}
		})
	})
	wantMatch(t, text, `16 of 24 wait in GridBarrierAny at`, `8 of 24 wait in GridBarrierAll at \S+, first group \(2,0,0\)`)
}

func TestGridBarrierNeedsACooperativeLaunch(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(grid(2, 8), func(t gpu.Thread) { t.GridBarrier() })
	})
	wantMatch(t, text, `GridBarrier at \S+barrier_test\.go:\d+ needs a cooperative launch`)
	text = panicOf(t, func() {
		gpu.Run(grid(2, 8), func(t gpu.Thread) { t.Resident() })
	})
	wantMatch(t, text, `Resident at \S+barrier_test\.go:\d+ needs a cooperative launch`)
	text = panicOf(t, func() {
		gpu.Run(grid(2, 8), func(t gpu.Thread) { t.FirstGroupsBarrier(0) })
	})
	wantMatch(t, text, `FirstGroupsBarrier at \S+barrier_test\.go:\d+ needs a cooperative launch`)
	gpu.Run(cooperative(2, 8), func(t gpu.Thread) { t.Resident() })
}

func TestBarrierThatOneOfTheFirstGroupsSkips(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(cooperative(4, 8), func(t gpu.Thread) {
			if t.Group().X != 1 {
				t.FirstGroupsBarrier(3)
			}
		})
	})
	wantMatch(t, text, `the first groups of the grid do not all reach the same barrier`,
		`16 of 32 wait in FirstGroupsBarrier at \S+, first group \(0,0,0\)`, `16 of 32 returned, first group \(1,0,0\)`)
}

func TestFirstGroupsAtAnotherBarrierThanTheOthers(t *testing.T) {
	for name, other := range map[string]func(t gpu.Thread){
		"of the grid":             func(t gpu.Thread) { t.GridBarrier() },
		"of another number":       func(t gpu.Thread) { t.FirstGroupsBarrier(2) },
		"of that number, a sum":   func(t gpu.Thread) { t.FirstGroupsBarrierAdd(3, 1) },
		"of all, which are three": func(t gpu.Thread) { t.FirstGroupsBarrier(4) },
	} {
		text := panicOf(t, func() {
			gpu.Run(cooperative(3, 8), func(t gpu.Thread) {
				if t.Group().X == 0 {
					other(t)
				} else {
					t.FirstGroupsBarrier(3)
				}
			})
		})
		wantMatch(t, text, `the first groups of the grid do not all reach the same barrier`, `16 of 24 wait in FirstGroupsBarrier at`)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestFirstGroupsGoOnWithoutTheOthers(t *testing.T) {
	went := make([]uint32, 1)
	sums := make([]uint32, 12)
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 3, Y: 2, Z: 2}, Group: gpu.Vec3{X: 40}, Cooperative: true}, func(t gpu.Thread) {
		id := t.Group()
		place := id.X + 3*id.Y + 6*id.Z
		if place < 4 {
			for gpu.AtomicLoad(&went[0]) < 8*40 { // the others do not wait
				gpu.Pause(10)
			}
		}
		sum := t.FirstGroupsBarrierAdd(4, place)
		gpu.AtomicAdd(&went[0], 1)
		if t.FirstGroupsBarrierAdd(0, 7) != 0 || t.FirstGroupsBarrierAdd(99, 1) != 12*40 {
			sum = 1
		}
		if t.LocalIndex() == 0 {
			sums[place] = sum
		}
	})
	for i, sum := range sums {
		if want := uint32(40*6) * uint32(min(1, max(0, 4-i))); sum != want {
			t.Errorf("group %d has the sum %d, want %d", i, sum, want)
		}
	}
}

// The same source line is one place, however often the compiler copied it.
func TestBarrierInAHelperIsOnePlace(t *testing.T) {
	sync := func(t gpu.Thread) { t.Barrier() }
	gpu.Run(grid(1, 32), func(t gpu.Thread) {
		if t.Lane() < 5 {
			sync(t)
		} else {
			sync(t)
		}
	})
}

func TestReturnAfterTheLastBarrierIsNoMisuse(t *testing.T) {
	n := make([]uint32, 1)
	gpu.Run(grid(8, 64), func(t gpu.Thread) {
		for round := range uint32(10) {
			t.Barrier()
			if t.Warp() == 1 && round == 9 {
				return
			}
		}
		if gpu.ReduceAdd(t, uint32(1)) == 32 { // the other warp has returned
			gpu.AtomicAdd(&n[0], 1)
		}
	})
	if n[0] != 8*32 {
		t.Errorf("%d of 256 finished", n[0])
	}
}

func TestBarrierVotes(t *testing.T) {
	for _, c := range []struct {
		name string
		run  gpu.Grid
		op   func(t gpu.Thread) any
		want any
	}{
		{"any, one", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAny(t.LocalIndex() == 39) }, true},
		{"any, none", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAny(false) }, false},
		{"all", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAll(true) }, true},
		{"all but one", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAll(t.LocalIndex() != 39) }, false},
		{"add", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAdd(t.LocalIndex()) }, uint32(780)},
		{"add wraps", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAdd(1 << 31) }, uint32(0)},
		{"add of 64 bits", grid(1, 40), func(t gpu.Thread) any { return t.BarrierAdd64(1<<32 + 1<<31) }, uint64(40*(1<<32) + 20<<32)},
		{"broadcast", grid(1, 40), func(t gpu.Thread) any { return gpu.BarrierBroadcast(t, -1.5*float32(t.LocalIndex()+1)) }, float32(-1.5)},
		{"broadcast of a bool", grid(1, 40), func(t gpu.Thread) any { return gpu.BarrierBroadcast(t, t.LocalIndex() == 0) }, true},
		{"add in one group only", grid(3, 40), func(t gpu.Thread) any { return t.BarrierAdd(1) }, uint32(40)},
		{"grid any, one", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAny(t.GlobalIndex() == 199) }, true},
		{"grid any, none", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAny(false) }, false},
		{"grid all", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAll(true) }, true},
		{"grid all but one", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAll(t.GlobalIndex() != 100) }, false},
		{"grid add", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAdd(uint32(t.GlobalIndex())) }, uint32(19900)},
		{"grid add of 64 bits", cooperative(5, 40), func(t gpu.Thread) any { return t.GridBarrierAdd64(1<<40 | t.GlobalIndex()) }, uint64(200<<40 + 19900)},
		{"grid broadcast", cooperative(5, 40), func(t gpu.Thread) any { return gpu.GridBarrierBroadcast(t, int64(t.GlobalIndex())-7) }, int64(-7)},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrong := make([]uint32, 1)
			gpu.Run(c.run, func(t gpu.Thread) {
				for range 3 { // no round remembers the one before
					if c.op(t) != c.want {
						gpu.AtomicAdd(&wrong[0], 1)
					}
				}
			})
			if wrong[0] != 0 {
				t.Errorf("%d results differ from %v", wrong[0], c.want)
			}
		})
	}
}

func TestFenceWaitsForNobody(t *testing.T) {
	gpu.Run(grid(1, 2), func(t gpu.Thread) {
		if t.Lane() == 0 {
			t.Fence(gpu.AcqRel, gpu.Device)
		}
	})
}
