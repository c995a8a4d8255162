package interp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/interp"
)

func TestOutOfBoundsReportsNameThePlace(t *testing.T) {
	k := prepare(t, `kernel @life workgroup(32) {
		param @cells: buf<u32> ro
		param @out: buf<u32> rw
		%g = global.x
		%i = add.u32 %g, 1_u32
		%s = bitcast.i32.u32 %g
		%j = sub.i32 %s, 2_i32
		%v = load @cells[%i] !life.go:14:9
		store @out[%j], %v !life.go:15
		atomic_add.relaxed.dev @out[%i], 0_u32
	}`)
	res := run(t, k, 2, interp.Options{Detect: interp.Bounds}, u32s(make([]uint32, 57)...), u32s(make([]uint32, 64)...))
	if res.OutOfBounds != 8+2+1 || len(res.Reports) != 3 {
		t.Fatalf("%d elements out of bounds in %d reports, want 11 in 3: %v", res.OutOfBounds, len(res.Reports), res.Reports)
	}
	wantText(t, res.Reports[0].String(),
		"life.go:14:9: kernel life: load of cells[57] out of bounds, length 57, by group (1,0,0) local (24,0,0); 8 times")
	wantText(t, res.Reports[1].String(),
		"life.go:15: kernel life: store of out[-2] out of bounds, length 64, by group (0,0,0) local (0,0,0); 2 times")
	wantText(t, res.Reports[2].String(), "atomic_add of out[64] out of bounds, length 64, by group (1,0,0) local (31,0,0)")
	if n := len(res.Reports[0].Places); n != 5 {
		t.Errorf("%d places shown of 8, want the first 5", n)
	}
}

// TestPartsOfBuffersReportWhatTheSourceWrote reads elements 8 to 11 as a slice of its own.
func TestPartsOfBuffersReportWhatTheSourceWrote(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @x: buf<u32> ro
		param %n: i64
		param @out: buf<u32> wo
		%i = add.i64 %n, 0_i64
		%w = cvt.u64.i64 %i
		%in = lt.u64 %w, 4_u64
		%j = cvt.u32.i64 %i
		%sum = add.u32 8_u32, %j
		%at = select.u32 %in, %sum, 4294967295_u32
		%five = add.u32 5_u32, 6_u32
		%v = load @x[%at] !k.go:3
		%u = add.u32 %v, %five
		store @out[0_u32], %u
	}`)
	reportsOfParts(t, k, 10, map[int64]string{-3: "x[-3] out of bounds, length 4", 4: "x[4] out of bounds, length 4", 3: "x[11] out of bounds, length 10", 1: ""})
}

// An index that the source makes narrower is what that leaves of it, here uint32(n).
func TestPartsOfBuffersReportANarrowedIndex(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @x: buf<u32> ro
		param %n: i64
		param @out: buf<u32> wo
		%i = cvt.u32.i64 %n
		%in = lt.u32 %i, 4_u32
		%sum = add.u32 8_u32, %i
		%at = select.u32 %in, %sum, 4294967295_u32
		%v = load @x[%at]
		store @out[0_u32], %v
	}`)
	reportsOfParts(t, k, 12, map[int64]string{-1: "x[4294967295] out of bounds, length 4", 1<<32 + 5: "x[5] out of bounds, length 4", 1<<32 + 1: ""})
}

func TestUndefinedReadsAreReported(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @out: buf<u32> wo
		shared @s: u32[33]
		local @t: u8[2]
		%l = local.x
		%even = and.u32 %l, 1_u32
		%c = eq.u32 %even, 0_u32
		if %c {
			store @s[%l], 1_u32
			store @t[0_u32], 7_u32
		}
		barrier.wg
		%a = load @s[%l]
		%b = load @t[0_u32]
		atomic_store.relaxed.wg @s[32_u32], 1_u32
		%d = atomic_add.relaxed.wg @s[32_u32], 1_u32
		%ab = add.u32 %a, %b
		%abd = add.u32 %ab, %d
		store @out[%l], %abd
	}`)
	for _, s := range schedules {
		res := run(t, k, 3, interp.Options{Schedule: s, Detect: interp.Undefined}, u32s(make([]uint32, 32)...))
		if len(res.Reports) != 2 {
			t.Fatalf("%s: want two reports, got %v", s, res.Reports)
		}
		for i, object := range []string{"s", "t"} {
			r := res.Reports[i]
			if r.Kind != interp.UndefinedRead || r.Object != object || r.Count != 3*16 {
				t.Errorf("%s: got %s (%d times), want 48 undefined reads of %s", s, r, r.Count, object)
			}
			if by := r.By().Local[0]; by%2 != 1 {
				t.Errorf("%s: invocation %d read what it had written itself", s, by)
			}
		}
		wantText(t, res.Reports[0].String(), "load of s[", "which nothing wrote, by group (")
	}
}

// TestRaces runs two groups of 64 invocations. %l, %g, %lead (local id 0), %one (the
// first invocation of the grid) and %two (the first of the second group) are given.
func TestRaces(t *testing.T) {
	const none = interp.ReportKind(0)
	cases := []struct {
		name string
		body string
		want interp.ReportKind
	}{
		{"each its own element", `store @b[%g], %g
			%x = load @b[%g]`, none},
		{"different values at one element", `store @b[0_u32], %g`, interp.Race},
		{"equal values at one element", `store @b[0_u32], 5_u32`, interp.BenignRace},
		{"equal values, and a reader", `store @b[0_u32], 5_u32
			%x = load @b[0_u32]`, interp.Race},
		{"an equal value does not hide the write before", `if %one { store @b[0_u32], 5_u32 }
			if %two {
				store @b[0_u32], 5_u32
				%x = load @b[0_u32]
			}`, interp.Race},
		{"an equal value does not hide what its writer read", `if %one {
				%x = load @b[0_u32]
				store @b[0_u32], 5_u32
			}
			if %two { store @b[0_u32], 5_u32 }`, interp.Race},
		{"values that a race made equal", `if %one { store @b[0_u32], 5_u32 }
			if %two {
				%x = load @b[0_u32]
				store @b[0_u32], %x
			}`, interp.Race},
		{"values that atomics made equal", `if %one { atomic_store.relaxed.dev @c[0_u32], 1_u32 }
			%x = atomic_load.relaxed.dev @c[0_u32]
			%y = min.u32 %x, 1_u32
			store @b[0_u32], %y`, interp.Race},
		{"values that were equal before, and are loaded", `%x = load @b[1_u32]
			store @b[0_u32], %x`, interp.BenignRace},
		{"values of arguments and ids that are equal", `%n = len @b
			%x = shr.u32 %n, 1_u32
			%y = atomic_add.relaxed.dev @c[0_u32], 1_u32
			store @b[%g], %y
			barrier.grid
			store @b[0_u32], %x`, interp.BenignRace},
		{"a last value that is equal does not excuse the one before", `if %one { store @b[0_u32], 5_u32 }
			if %two {
				store @b[0_u32], 5_u32
				store @b[0_u32], 6_u32
			}`, interp.Race},
		{"a value before the last one counts", `if %one { store @b[0_u32], 5_u32 }
			if %two {
				store @b[0_u32], 6_u32
				store @b[0_u32], 5_u32
			}`, interp.Race},
		{"a reader in a crowd of equal writers", `store @b[0_u32], 5_u32
			%third = eq.u32 %g, 77_u32
			if %third { %x = load @b[0_u32] }`, interp.Race},
		{"reads of many groups and phases, and a writer", `%grp = group.x
			%x = load @b[0_u32]
			barrier.wg
			%y = load @b[0_u32]
			barrier.wg
			if %one { store @b[0_u32], 1_u32 }`, interp.Race},
		{"a barrier forgives what came before", `if %one { store @b[0_u32], 5_u32 }
			barrier.grid
			if %two {
				store @b[0_u32], 6_u32
				%x = load @b[0_u32]
			}`, none},
		{"acquired by one lane, used by another", publishBeside("%two"), interp.Race},
		{"released by one lane, written by another", publishBeside("%one"), interp.Race},
		{"lanes of one warp are not ordered", `%o = xor.u32 %g, 1_u32
			store @b[%g], %g
			%x = load @b[%o]`, interp.Race},
		{"a warp barrier orders lanes of one warp", `%o = xor.u32 %g, 1_u32
			store @b[%g], %g
			barrier.warp
			%x = load @b[%o]`, none},
		{"a warp barrier does not order warps", `%o = xor.u32 %g, 32_u32
			store @b[%g], %g
			barrier.warp
			%x = load @b[%o]`, interp.Race},
		{"a group barrier orders warps", `%o = xor.u32 %g, 32_u32
			store @b[%g], %g
			barrier.wg
			%x = load @b[%o]`, none},
		{"a group barrier does not order groups", `%o = xor.u32 %g, 64_u32
			store @b[%g], %g
			barrier.wg
			%x = load @b[%o]`, interp.Race},
		{"a grid barrier orders groups", `%o = xor.u32 %g, 64_u32
			store @b[%g], %g
			barrier.grid
			%x = load @b[%o]`, none},
		{"a vote is a barrier", `%o = xor.u32 %g, 32_u32
			store @b[%g], %g
			%v = barrier_any.wg %lead
			%x = load @b[%o]`, none},
		{"a barrier orders a read before a write", `%o = xor.u32 %l, 32_u32
			%x = load @s[%o]
			barrier.wg
			store @s[%l], %g`, none},
		{"shared memory without barrier", `%o = xor.u32 %l, 32_u32
			%x = load @s[%o]
			store @s[%l], %g`, interp.Race},
		{"groups do not share", `store @s[%l], %g`, none},
		{"atomics do not race", `%x = atomic_add.relaxed.dev @b[0_u32], 1_u32
			%y = atomic_load.relaxed.dev @b[0_u32]`, none},
		{"an atomic and a plain store", `%x = atomic_add.relaxed.dev @b[0_u32], 1_u32
			if %two { store @b[0_u32], 1_u32 }`, interp.Race},
		{"an atomic and a plain load", `%x = atomic_add.relaxed.dev @b[0_u32], 1_u32
			if %two { %y = load @b[0_u32]; store @c[0_u32], %y }`, interp.Race},
		{"a plain load and atomic loads", `%x = atomic_load.relaxed.dev @b[0_u32]
			%y = load @b[0_u32]`, none},
		{"group scope does not reach the other group", `%x = atomic_add.relaxed.wg @b[0_u32], 1_u32`, interp.Race},
		{"group scope reaches its own group", `%i = group.x
			%x = atomic_add.relaxed.wg @b[%i], 1_u32`, none},
		{"many readers and one writer", `%x = load @b[0_u32]
			if %two { store @b[0_u32], 1_u32 }`, interp.Race},
		{"vectors by element", `%v = vec %g, %g
			store.v2 @b[%g], %v`, none},
		{"overlapping vectors", `%v = vec %g, %g
			store.v2 @b[0_u32], %v`, interp.Race},
		{"a failed compare-and-swap only reads", `%x = atomic_cas.relaxed.dev @b[0_u32], 9_u32, 1_u32
			%y = load @b[0_u32]`, none},
		{"release and acquire", publish("release.dev", "acquire.dev", "", ""), none},
		{"relaxed publishes nothing", publish("relaxed.dev", "relaxed.dev", "", ""), interp.Race},
		{"acquire without release", publish("relaxed.dev", "acquire.dev", "", ""), interp.Race},
		{"release without acquire", publish("release.dev", "relaxed.dev", "", ""), interp.Race},
		{"seqcst", publish("seqcst.dev", "seqcst.dev", "", ""), none},
		{"release at group scope", publish("release.wg", "acquire.wg", "", ""), interp.Race},
		{"fences around relaxed atomics", publish("relaxed.dev", "relaxed.dev", "fence.acqrel.dev", "fence.acqrel.dev"), none},
		{"a fence on one side only", publish("relaxed.dev", "relaxed.dev", "fence.acqrel.dev", ""), interp.Race},
		{"fences at group scope", publish("relaxed.dev", "relaxed.dev", "fence.acqrel.wg", "fence.acqrel.wg"), interp.Race},
		{"a counter carries releases on", `store @b[%g], %g
			barrier.wg
			if %lead {
				%n = atomic_add.acqrel.dev @c[0_u32], 1_u32
				%last = eq.u32 %n, 1_u32
				if %last {
					%x = load @b[33_u32]
					%y = load @b[97_u32]
				}
			}`, none},
		{"a relaxed counter does not", `store @b[%g], %g
			barrier.wg
			if %lead {
				%n = atomic_add.relaxed.dev @c[0_u32], 1_u32
				%last = eq.u32 %n, 1_u32
				if %last {
					%x = load @b[33_u32]
					%y = load @b[97_u32]
				}
			}`, interp.Race},
		{"what one warp acquired passes through a group barrier", `if %one {
				store @b[0_u32], 7_u32
				atomic_store.release.dev @c[0_u32], 1_u32
			}
			if %two {
				loop ^wait () {
					%f = atomic_load.acquire.dev @c[0_u32]
					%set = ne.u32 %f, 0_u32
					if %set { break ^wait }
					continue ^wait
				}
			}
			%grp = group.x
			barrier.wg
			%second = eq.u32 %grp, 1_u32
			if %second { %x = load @b[0_u32] }
			barrier.grid`, none},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := prepare(t, `kernel @k workgroup(64) {
				param @b: buf<u32> rw
				param @c: buf<u32> rw
				shared @s: u32[64]
				%l = local.x
				%g = global.x
				%lead = eq.u32 %l, 0_u32
				%one = eq.u32 %g, 0_u32
				%two = eq.u32 %g, 64_u32
				store @s[%l], 0_u32
				barrier.wg
				`+c.body+`
			}`)
			for _, s := range schedules {
				res := run(t, k, 2, interp.Options{Schedule: s, Detect: interp.Races, Budget: 1 << 20},
					u32s(make([]uint32, 300)...), u32s(0, 0))
				got := none
				for _, r := range res.Reports {
					got = max(got, r.Kind)
				}
				if got != c.want {
					t.Errorf("%s: got %v, want %v %v", s, got, c.want, res.Reports)
				}
			}
		})
	}
}

// publish is the body of a test in which the first invocation stores to @b and then
// sets a flag in @c, and the second group's first waits for the flag and loads from @b.
func publish(store, load, before, after string) string {
	return fmt.Sprintf(`
		if %%one {
			store @b[0_u32], 7_u32
			%s
			atomic_store.%s @c[0_u32], 1_u32
		}
		if %%two {
			loop ^wait () {
				%%f = atomic_load.%s @c[0_u32]
				%%set = ne.u32 %%f, 0_u32
				if %%set { break ^wait }
				continue ^wait
			}
			%s
			%%x = load @b[0_u32]
		}
		barrier.grid`, before, store, load, after)
}

// publishBeside is publish, but for the lane beside the first, of the side that is named, doing the access.
func publishBeside(side string) string {
	writer, reader := "%one", "%two"
	beside := `%second = eq.u32 %l, 1_u32
		%grp = group.x
		%first = eq.u32 %grp, 0_u32
		%other = eq.u32 %grp, 1_u32
		%onex = and.bool %second, %first
		%twox = and.bool %second, %other
		`
	if side == writer {
		writer = "%onex"
	} else {
		reader = "%twox"
	}
	return beside + `
		if ` + writer + ` { store @b[0_u32], 7_u32 }
		if %one { atomic_store.release.dev @c[0_u32], 1_u32 }
		if %two {
			loop ^wait () {
				%f = atomic_load.acquire.dev @c[0_u32]
				%set = ne.u32 %f, 0_u32
				if %set { break ^wait }
				continue ^wait
			}
		}
		if ` + reader + ` { %x = load @b[0_u32] }
		barrier.grid`
}

func TestRaceReportsNameBothSides(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(8) {
		param @counts: buf<u32> rw
		%l = local.x
		%three = eq.u32 %l, 3_u32
		if %three { store @counts[5_u32], 1_u32 !x.go:9:2 }
		%v = load @counts[5_u32] !x.go:3:1
	}`)
	res := run(t, k, 1, interp.Options{Detect: interp.Races}, u32s(make([]uint32, 8)...))
	if len(res.Reports) != 1 {
		t.Fatalf("got %v", res.Reports)
	}
	r := res.Reports[0]
	wantText(t, r.String(), "x.go:3:1: kernel k: race on counts[5]: load by group (0,0,0) local (0,0,0) and store at x.go:9:2 by group (0,0,0) local (3,0,0); 7 times")
	if r.Index() != 5 || r.Len != 8 || r.Places[0].Other.Local[0] != 3 {
		t.Errorf("the numbers are wrong: %+v", r)
	}
}

// One element that very many invocations touch in every way takes little memory, and is told to be raced for.
func TestRacesAtACrowdedElement(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(256) {
		param @b: buf<u32> rw
		param @c: buf<u32> rw
		%g = global.x
		store @b[0_u32], %g
		%x = load @b[0_u32]
		%f = atomic_load.acquire.dev @c[0_u32]
		%o = atomic_add.release.wg @c[0_u32], %f
		store @c[0_u32], %o
		%y = load @c[0_u32]
	}`)
	for range 2 {
		res := run(t, k, 40, interp.Options{Detect: interp.Races, MaxState: 8 << 20}, u32s(0), u32s(0))
		if i := slices.IndexFunc(res.Reports, func(r interp.Report) bool { return r.Kind == interp.Race && r.Object == "b" }); i < 0 {
			t.Errorf("no race on b: %v", res.Reports)
		}
	}
}

func TestDetectorsForgetTheLaunchBefore(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @b: buf<u32> rw
		param %first: u32
		shared @s: u32[32]
		%l = local.x
		%i = add.u32 %l, %first
		store @b[%i], %l
		store @s[%l], %l
		%x = load @s[%l]
	}`)
	b := u32s(make([]uint32, 40)...)
	for first := range uint64(4) {
		if res := run(t, k, 1, interp.Options{Detect: interp.Everything}, b, scalar(first)); len(res.Reports) > 0 {
			t.Errorf("launch %d: %s", first, res.Reports[0])
		}
	}
}

// reportsOfParts runs a kernel over a buffer of so many elements with each number, which gives the one report that is said, or none.
func reportsOfParts(t *testing.T, k *interp.Kernel, elements int, reports map[int64]string) {
	t.Helper()
	for n, want := range reports {
		res := run(t, k, 1, interp.Options{Detect: interp.Bounds}, u32s(make([]uint32, elements)...), scalar(uint64(n)), u32s(0))
		if want == "" {
			if len(res.Reports) != 0 {
				t.Errorf("%d: %s", n, res.Reports[0])
			}
			continue
		}
		if len(res.Reports) != 1 {
			t.Fatalf("%d: %d reports", n, len(res.Reports))
		}
		wantText(t, res.Reports[0].String(), want)
	}
}
