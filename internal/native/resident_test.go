package native_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/ir/text"
)

// few has all ways in which groups wait: the first five in rounds of their own, which end when a sum says so, while others
// are ahead; barriers of another number, which all come by; of none; and of all groups, with a sum and a broadcast.
const few = `kernel @few workgroup(40) {
	param @x: buf<u32> rw
	param @y: buf<u64> rw
	%%i = global.x
	%%g = group.x
	%%first = lt.u32 %%g, %[1]d_u32
	if %%first {
		loop ^l () {
			%%v = load @x[%%i]
			%%h = shr.u32 %%v, 1_u32
			store @x[%%i], %%h
			%%left = barrier_add.first %%h, #%[1]d
			%%go = lt.u32 100_u32, %%left
			if %%go { continue ^l }
			break ^l
		}
	}
	%%one = cvt.u64.u32 %%g
	%%s = barrier_add.first %%one, #%[2]d
	%%none = barrier_add.first %%one, #0
	%%t = add.u64 %%s, %%none
	%%all = barrier_add.grid %%t
	%%z = add.u64 %%one, 7_u64
	%%b = barrier_bcast.grid.u64 %%z
	%%r = add.u64 %%all, %%b
	barrier.first #%[2]d
	barrier.grid
	store @y[%%i], %%r
}`

func TestFirstGroupsMeet(t *testing.T) {
	for _, n := range [][2]int{{5, 2}, {3, 1}, {1000, 4}, {7, 7}} {
		source := fmt.Sprintf(few, n[0], n[1])
		t.Run(fmt.Sprint(n), func(t *testing.T) { firstGroupsMeet(t, source) })
	}
}

func firstGroupsMeet(t *testing.T, source string) {
	k := kernelOf(t, source)
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	by, err := interp.Prepare(ps[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, groups := range []uint32{1, 2, 3, 4, 5, 9, 40} {
		launch := func() *launch.Launch {
			x := aligned(make([]byte, 4*40*groups))
			for i := range x {
				x[i] = byte(i * 7)
			}
			return &launch.Launch{Grid: [3]uint32{groups, 1, 1}, Args: []launch.Arg{{Mem: x}, {Mem: aligned(make([]byte, 8*40*groups))}}}
		}
		want := launch()
		if _, err := by.Run(context.Background(), *want, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, o := range []native.RunOptions{{Workers: 1}, {Workers: 2}, {Workers: 3, Polls: 1}, {Workers: 7}, {Workers: 3, Helped: true}, {Workers: 50, Helped: true}} {
			t.Run(fmt.Sprintf("%d groups, %+v", groups, o), func(t *testing.T) {
				for range 5 { // a kernel's launches use what the one before has left
					got := launch()
					if _, err := k.Run(context.Background(), got, o); err != nil {
						t.Fatal(err)
					}
					for i := range got.Args {
						if !slices.Equal(got.Args[i].Mem, want.Args[i].Mem) {
							t.Fatalf("buffer %d is not the interpreter's", i)
						}
					}
				}
			})
		}
	}
}

// Groups that wait for each other without a barrier run on one goroutine as well as on many.
func TestResidentGroupsWaitForEachOther(t *testing.T) {
	k := kernelOf(t, `kernel @chain workgroup(8) {
		param @ready: buf<u32> rw
		resident
		%g = group.x
		%n = groups.x
		%after = add.u32 %g, 1_u32
		%last = eq.u32 %after, %n
		if %last {
		} else {
			loop ^l () {
				%v = atomic_load.acquire.dev @ready[%after]
				%there = ne.u32 %v, 0_u32
				if %there { break ^l }
				continue ^l
			}
		}
		atomic_store.release.dev @ready[%g], 1_u32
	}`)
	for _, o := range []native.RunOptions{{Workers: 1}, {Workers: 2, Helped: true}, {Workers: 9, Polls: 1, Helped: true}} {
		in := &launch.Launch{Grid: [3]uint32{9, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 4*9))}}}
		if _, err := k.Run(context.Background(), in, o); err != nil || in.Args[0].Mem[0] != 1 {
			t.Errorf("%+v: %v, %v", o, in.Args[0].Mem, err)
		}
	}
}

// Loops whose rounds return to Go for something else than having run for long obey their context, too, and quickly.
func TestLoopsThatStopObeyTheirContext(t *testing.T) {
	for name, body := range map[string]string{
		"computed by Go": `
			trace %s, #1
			continue ^l (%s)`,
		"a trap": `
			trap true, %s, #1
			continue ^l (%s)`,
		"a barrier of the group": `
			barrier.wg
			continue ^l (%s)`,
		"a barrier of the grid": `
			barrier.grid
			continue ^l (%s)`,
		"a barrier of first groups": `
			barrier.first #2
			continue ^l (%s)`,
		"a ballot": `
			%b = ballot true
			continue ^l (%s)`,
	} {
		t.Run(name, func(t *testing.T) {
			k := kernelOf(t, `kernel @endless workgroup(64) {
				loop ^l (%s: u64 = 5_u64) {`+body+`
				}
				unreachable
			}`)
			for _, o := range []native.RunOptions{{Workers: 1}, {Workers: 3}, {Workers: 3, Helped: true}} {
				ctx, cancel := context.WithCancel(context.Background())
				asked := make(chan time.Time, 1)
				time.AfterFunc(20*time.Millisecond, func() {
					asked <- time.Now()
					cancel()
				})
				in := &launch.Launch{Grid: [3]uint32{5, 1, 1}}
				_, err := k.Run(ctx, in, o)
				var canceled *launch.CanceledError
				if !errors.As(err, &canceled) {
					t.Errorf("%+v: %v", o, err)
				}
				t.Logf("%+v: ended %v after the context", o, time.Since(<-asked))
			}
		})
	}
}
