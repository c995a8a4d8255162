package gpu_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/govyre/vyre/gpu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// grid is groups × size invocations along x.
func grid(groups, size uint32) gpu.Grid {
	return gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: size}}
}

func cooperative(groups, size uint32) gpu.Grid {
	g := grid(groups, size)
	g.Cooperative = true
	return g
}

// panicOf returns the text of what f panics with.
func panicOf(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		v := recover()
		if v == nil {
			t.Fatal("no panic")
		}
		text = fmt.Sprint(v)
	}()
	f()
	return ""
}

// wantMatch reports the pattern that text does not match. A blank stands for any white space.
func wantMatch(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(strings.ReplaceAll(p, " ", `\s+`)).MatchString(text) {
			t.Errorf("no match for\n\t%s\nin\n\t%s", p, text)
		}
	}
}

// line returns "file:line" of its caller, moved by delta, as a pattern.
func line(delta int) string {
	_, file, n, _ := runtime.Caller(1)
	return regexp.QuoteMeta(fmt.Sprintf("%s:%d", file, n+delta))
}

func TestEveryInvocationRunsOnceWithItsIDs(t *testing.T) {
	g := gpu.Grid{Groups: gpu.Vec3{X: 3, Y: 2, Z: 2}, Group: gpu.Vec3{X: 5, Y: 4, Z: 3}}
	for _, g.Cooperative = range []bool{false, true} {
		seen := make([]uint32, 3*2*2*5*4*3)
		bad := make([]uint32, 1)
		gpu.Run(g, func(t gpu.Thread) {
			gpu.AtomicAdd(&seen[t.GlobalIndex()], 1)
			l, w, id := t.Local(), t.Group(), t.Global()
			linear := l.X + 5*(l.Y+4*l.Z)
			ok := t.GroupSize() == gpu.Vec3{X: 5, Y: 4, Z: 3} && t.Groups() == gpu.Vec3{X: 3, Y: 2, Z: 2} &&
				id == gpu.Vec3{X: w.X*5 + l.X, Y: w.Y*4 + l.Y, Z: w.Z*3 + l.Z} &&
				t.GlobalIndex() == uint64(id.X+15*(id.Y+8*id.Z)) &&
				t.LocalIndex() == linear && t.Lane() == linear%32 && t.Warp() == linear/32
			if !ok {
				gpu.AtomicAdd(&bad[0], 1)
			}
		})
		for i, n := range seen {
			if n != 1 {
				t.Errorf("cooperative %v: invocation %d ran %d times", g.Cooperative, i, n)
			}
		}
		if bad[0] != 0 {
			t.Errorf("cooperative %v: %d invocations saw wrong ids", g.Cooperative, bad[0])
		}
	}
}

func TestZeroGroupsRunNothing(t *testing.T) {
	gpu.Run(gpu.Grid{Group: gpu.Vec3{X: 32}}, func(gpu.Thread) { t.Error("an invocation ran") })
}

func TestOmittedAxesAreOne(t *testing.T) {
	n := make([]uint32, 1)
	gpu.Run(grid(2, 3), func(t gpu.Thread) {
		if t.Groups() == (gpu.Vec3{X: 2, Y: 1, Z: 1}) && t.GroupSize() == (gpu.Vec3{X: 3, Y: 1, Z: 1}) {
			gpu.AtomicAdd(&n[0], 1)
		}
	})
	if n[0] != 6 {
		t.Errorf("%d of 6 invocations saw the sizes", n[0])
	}
}

func TestRunRefusesGridsBeyondTheLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		grid gpu.Grid
		want string
	}{
		{"no group size", gpu.Grid{Groups: gpu.Vec3{X: 1}}, `Group\.X is 0`},
		{"group too long", grid(1, 1025), `group of 1025×1×1`},
		{"group too deep", gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 1, Z: 65}}, `group of 1×1×65`},
		{"group too large", gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 64, Y: 32}}, `group of 64×32×1`},
		{"grid too long", grid(1<<31, 1), `grid of 2147483648×1×1`},
		{"grid too high", gpu.Grid{Groups: gpu.Vec3{X: 1, Y: 65536}, Group: gpu.Vec3{X: 1}}, `grid of 1×65536×1`},
		{"ids beyond 32 bits", grid(1<<30, 8), `8589934592 invocations along x`},
		{"negative rest", gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 1}, SharedRest: -1}, `SharedRest is -1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantMatch(t, panicOf(t, func() { gpu.Run(c.grid, func(gpu.Thread) { t.Error("an invocation ran") }) }), c.want)
		})
	}
}

func TestPanicIsRaisedWithGroupAndLocalID(t *testing.T) {
	var at string
	g := gpu.Grid{Groups: gpu.Vec3{X: 2, Y: 3}, Group: gpu.Vec3{X: 8, Y: 4}}
	text := panicOf(t, func() {
		gpu.Run(g, func(t gpu.Thread) {
			if t.Group() == (gpu.Vec3{X: 1, Y: 2}) && t.Local() == (gpu.Vec3{X: 5, Y: 3}) {
				at = line(1)
				panic("too much")
			}
			if t.Group().X == 0 {
				return
			}
			t.Barrier() // and the others of the group wait here
		})
	})
	wantMatch(t, text, `group \(1,2,0\) local \(5,3,0\): too much`, at)
}

func TestPanicKeepsTheRuntimeError(t *testing.T) {
	defer func() {
		err, _ := recover().(error)
		var re runtime.Error
		if !errors.As(err, &re) {
			t.Errorf("%v is no runtime.Error", err)
		}
		wantMatch(t, err.Error(), `index out of range \[4\] with length 4`)
	}()
	x := make([]uint32, 4)
	gpu.Run(grid(1, 8), func(t gpu.Thread) {
		if i := t.Local().X; i == 4 {
			x[i] = 1
		}
	})
}

func TestPanicEndsACooperativeGridThatWaits(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(cooperative(4, 16), func(t gpu.Thread) {
			t.WarpBarrier()
			gpu.Assert(t.GlobalIndex() != 37, "not 37")
			t.GridBarrier()
		})
	})
	wantMatch(t, text, `group \(2,0,0\) local \(5,0,0\): assertion failed: not 37`)
}

func TestPanicStartsNoFurtherGroup(t *testing.T) {
	panicOf(t, func() {
		gpu.Run(grid(1<<31-1, 1), func(t gpu.Thread) { panic("stop") })
	})
}

func TestRecoverOfTheKernelDoesNotKeepItFromUnwinding(t *testing.T) {
	text := panicOf(t, func() {
		gpu.Run(grid(1, 4), func(t gpu.Thread) {
			if t.Lane() == 3 {
				panic("first")
			}
			defer func() { recover() }()
			t.Barrier()
		})
	})
	wantMatch(t, text, "first")
}

func TestGoexitOfAnInvocationLeavesTheCallerOfRun(t *testing.T) {
	returned, done := false, make(chan struct{})
	go func() {
		defer close(done)
		gpu.Run(grid(2, 32), func(t gpu.Thread) {
			if t.Lane() == 7 {
				runtime.Goexit()
			}
			t.Barrier()
		})
		returned = true
	}()
	<-done
	if returned {
		t.Error("Run returned")
	}
}

func TestSpinningInvocationDoesNotHideTheFailure(t *testing.T) {
	flag, ended := make([]uint32, 1), make(chan struct{})
	text := panicOf(t, func() {
		gpu.Run(grid(1, 64), func(t gpu.Thread) {
			switch t.LocalIndex() {
			case 0:
				panic("no flag")
			case 40:
				defer close(ended)
				for gpu.AtomicLoad(&flag[0]) == 0 {
				}
			}
		})
	})
	wantMatch(t, text, "no flag", "invocations of 1 groups have not ended")
	gpu.AtomicStore(&flag[0], 1)
	<-ended
}
