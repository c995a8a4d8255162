package interp_test

import (
	"testing"

	"github.com/govyre/vyre/internal/interp"
)

// TestStaleLoadsGiveOldValues: two groups store a cell each and look at the other's. In every order of what they do, one
// of the two would see the other's store. Their own they always see, and after a barrier of the grid all.
func TestStaleLoadsGiveOldValues(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @x: buf<u32> rw
		param @out: buf<u32> rw
		%g = group.x
		%o = sub.u32 1_u32, %g
		atomic_store.relaxed.dev @x[%g], 1_u32
		%other = load_stale @x[%o]
		%own = load_stale @x[%g]
		barrier.grid
		%late = load_stale @x[%o]
		%own2 = shl.u32 %own, 1_u32
		%late4 = shl.u32 %late, 2_u32
		%a = or.u32 %other, %own2
		%b = or.u32 %a, %late4
		store @out[%g], %b
	}`)
	const own, late = 2, 4
	missed, seen := 0, 0
	for seed := range uint64(64) {
		x, out := u32s(0, 0), u32s(0, 0)
		run(t, k, 2, interp.Options{Schedule: interp.Seeded(seed)}, x, out)
		got := words(out)
		for g, v := range got {
			if v&^1 != own|late {
				t.Fatalf("seed %d: group %d saw %03b", seed, g, v)
			}
		}
		if got[0]|got[1] == own|late {
			missed++
		}
		if got[0]&got[1]&1 != 0 {
			seen++
		}
	}
	if missed == 0 || seen == 0 {
		t.Errorf("of 64 schedules, both missed the other's store in %d, both saw it in %d", missed, seen)
	}
	x, out := u32s(0, 0), u32s(0, 0)
	run(t, k, 2, interp.Options{}, x, out)
	if got := words(out); got[0]|got[1] == own|late {
		t.Errorf("in order of the groups both missed it: %03b %03b", got[0], got[1])
	}
}
