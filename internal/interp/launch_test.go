package interp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

// A launch that breaks the contract is refused before the first effect; package launch has the rules.
func TestRefusedLaunchWritesNothing(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @b: buf<u32> rw
		store @b[0_u32], 1_u32
	}`)
	b := u32s(7)
	fails[*launch.ContractError](t, k, launch.Launch{Grid: [3]uint32{1, 70000, 1}, Args: []launch.Arg{b}}, interp.Options{})
	wantWords(t, "buffer", b, 7)
}

func TestZeroGroupsRunNothing(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @b: buf<u32> rw
		store @b[0_u32], 1_u32
	}`)
	for axis := range 3 {
		grid := [3]uint32{2, 2, 2}
		grid[axis] = 0
		b := u32s(7)
		res := launched(t, k, launch.Launch{Grid: grid, Args: []launch.Arg{b}}, interp.Options{})
		wantWords(t, "buffer", b, 7)
		if res.Rows != 0 {
			t.Errorf("grid %v ran %d rows", grid, res.Rows)
		}
	}
}

func TestCooperativeGroupsMustAllFit(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1024) {
		param @b: buf<u32> rw
		barrier.grid
		store @b[0_u32], 1_u32
	}`)
	l := launch.Launch{Grid: [3]uint32{1 << 20, 1, 1}, Args: []launch.Arg{u32s(0)}}
	e := fails[*launch.StateError](t, k, l, interp.Options{MaxState: 1 << 20})
	if e.Groups != 1<<20 || e.Need <= e.Limit || e.Limit != 1<<20 {
		t.Errorf("error does not carry the numbers: %+v", e)
	}
	wantText(t, e.Error(), "kernel k: 1048576 groups alive at once need", "the limit is 1048576")
}

func TestDetectorsStayInsideTheStateBound(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(256) {
		param @b: buf<u32> rw
		%g = global.x
		store @b[%g], 1_u32
	}`)
	l := launch.Launch{Grid: [3]uint32{400, 1, 1}, Args: []launch.Arg{u32s(make([]uint32, 102400)...)}}
	fails[*launch.StateError](t, k, l, interp.Options{MaxState: 1 << 20, Detect: interp.Races})
	if _, err := k.Run(context.Background(), l, interp.Options{MaxState: 1 << 20}); err != nil {
		t.Errorf("without detectors: %v", err)
	}
}

const endless = `kernel @spin workgroup(40) {
	param @b: buf<u32> rw
	%l = local.x
	loop ^outer (%i: u32 = 0_u32) {
		%i1 = add.u32 %i, 1_u32
		loop ^spin (%n: u32 = %l, %flag: bool = true) {
			%v = atomic_load.relaxed.dev @b[0_u32]
			%n1 = add.u32 %n, 2_u32
			%set = ne.u32 %v, 0_u32
			if %set { continue ^outer (%i1) }
			continue ^spin (%n1, false)
		} !spin.go:12:3
		unreachable
	}
	unreachable
}`

func TestBudgetNamesTheLoopThatDoesNotEnd(t *testing.T) {
	k := prepare(t, endless)
	for _, s := range schedules {
		l := launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{u32s(0)}}
		e := fails[*interp.BudgetError](t, k, l, interp.Options{Schedule: s, Budget: 10_000})
		if e.Budget != 10_000 || len(e.Carried) != 2 || e.Carried[1].Bits != 0 {
			t.Errorf("%s: error does not carry the numbers: %+v", s, e)
		}
		if n := e.Carried[0].Bits; n < 1000 || n%2 != uint64(e.By.Local[0])%2 {
			t.Errorf("%s: carried value %d is not that of %s", s, n, e.By)
		}
		wantText(t, e.Error(), "kernel spin: budget of 10000 rows spent in the loop at spin.go:12:3, by group (0,0,0) local (", "(u32)")
	}
	res, _ := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{u32s(0)}}, interp.Options{Budget: 10_000})
	if res == nil || res.Rows != 10_000 {
		t.Errorf("the result of a run that ended early: %+v, want 10000 rows", res)
	}
}

// TestContextEndsARun cancels from inside the run, so that nothing depends on time.
func TestContextEndsARun(t *testing.T) {
	k := prepare(t, endless)
	ctx, cancel := context.WithCancel(context.Background())
	rows := 0
	hook := func(interp.Break) {
		if rows++; rows == 1000 {
			cancel()
		}
	}
	l := launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{u32s(0)}}
	_, err := k.Run(ctx, l, interp.Options{Hook: hook})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	if rows > 1000+1<<16 {
		t.Errorf("%d rows ran after the cancellation", rows-1000)
	}
	if _, err := k.Run(ctx, l, interp.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done on entry: got %v", err)
	}
}

func TestCancellationWakesWorkersAtTheGridBarrier(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @b: buf<u32> rw
		%g = group.x
		%spins = eq.u32 %g, 1_u32
		if %spins {
			loop ^spin () {
				atomic_add.relaxed.dev @b[0_u32], 1_u32
				%v = atomic_load.relaxed.dev @b[1_u32]
				%set = ne.u32 %v, 0_u32
				if %set { break ^spin }
				continue ^spin
			}
		}
		barrier.grid
	}`)
	l := launch.Launch{Grid: [3]uint32{2, 1, 1}, Args: []launch.Arg{u32s(0, 0)}}
	fails[*interp.BudgetError](t, k, l, interp.Options{Workers: 2, Budget: 1 << 20})
}

func TestPooledStateDoesNotLeakBetweenLaunches(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @b: buf<u32> rw
		param %add: u32
		shared @s: u32[?]
		%g = global.x
		%l = local.x
		store @s[%l], %add
		barrier.wg
		%x = load @s[%l]
		%v = load @b[%g]
		%w = add.u32 %v, %x
		store @b[%g], %w
	}`)
	for i, rest := range []int{64, 10, 64, 0, 2, 1, 3} {
		b := u32s(make([]uint32, 64*(i+1))...)
		launched(t, k, launch.Launch{Grid: [3]uint32{uint32(i + 1), 1, 1}, Args: []launch.Arg{b, scalar(uint64(i + 1))}, Rest: rest}, interp.Options{Detect: interp.Everything})
		for j, w := range words(b) {
			want := uint32(0)
			if j%64 < rest {
				want = uint32(i + 1)
			}
			if w != want {
				t.Fatalf("launch %d: element %d is %d, want %d", i, j, w, want)
			}
		}
	}
}

// TestLaunchingAgainAllocatesNothingThatGrows counts the allocations of a launch of
// 200 groups. Two are the Result; under the race detector a pool forgets now and then,
// and a forgotten state is a dozen more.
func TestLaunchingAgainAllocatesNothingThatGrows(t *testing.T) {
	k := prepare(t, histogram)
	l := launch.Launch{Grid: [3]uint32{200, 1, 1}, Args: []launch.Arg{{Mem: make([]byte, 4096)}, u32s(make([]uint32, 256)...)}}
	run := func() {
		if _, err := k.Run(context.Background(), l, interp.Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 15 {
		t.Errorf("%v allocations a launch, want no more than 15", n)
	}
}

//ci:race Concurrently|MessagePassing|Contended|Cancellation|RandomPrograms|AKernelThatDoesNotEnd
func TestOneKernelRunsConcurrently(t *testing.T) {
	k := prepare(t, mandelbrot)
	want := u32s(make([]uint32, 64*4)...)
	args := func(out launch.Arg) []launch.Arg { return []launch.Arg{out, scalar(16), scalar(0x3E000000)} }
	run(t, k, 4, interp.Options{Workers: 1}, args(want)...)
	done := make(chan launch.Arg)
	for range 4 {
		go func() {
			out := u32s(make([]uint32, 64*4)...)
			for range 5 {
				if _, err := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{4, 1, 1}, Args: args(out)}, interp.Options{}); err != nil {
					t.Error(err)
				}
			}
			done <- out
		}()
	}
	for range 4 {
		wantWords(t, "concurrent run", <-done, words(want)...)
	}
}
