package machine_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// here counts the lanes that are at one place together.
const here = `activemask.b32 %r9;
	popc.b32 %r9, %r9;
	st.global.u32 [%rd1], %r9;`

func all(n int, v uint32) []uint32 { return slices.Repeat([]uint32{v}, n) }

func TestLanesMeetAfterABranch(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       []uint32
	}{
		{"if", `setp.lt.u32 %p1, %r0, 5;
			@%p1 bra L;
			add.u32 %r1, %r0, 1;
		L:` + here, all(32, 32)},
		{"if and else", `setp.lt.u32 %p1, %r0, 5;
			@%p1 bra L;
			add.u32 %r1, %r0, 1;
			bra E;
		L:	add.u32 %r1, %r0, 2;
		E:` + here, all(32, 32)},
		{"loop of different lengths", `mov.u32 %r1, 0;
		L:	add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, %r0;
			@%p1 bra L;` + here, all(32, 32)},
		{"early exit of some", `setp.lt.u32 %p1, %r0, 5;
			@%p1 bra L;
			bra E;
		L:	exit;
		E:` + here, append(all(5, 0), all(27, 27)...)},
		{"early exit in a nest", `setp.lt.u32 %p1, %r0, 16;
			@%p1 bra L;
			bra E;
		L:	setp.lt.u32 %p2, %r0, 3;
			@%p2 exit;
		E:` + here, append(all(3, 0), all(29, 29)...)},
		{"in a loop whose every exit has a guard", `mov.u32 %r1, 0;
		L:	barrier.sync 0;
			setp.ge.u32 %p1, %r1, 3;
			@%p1 exit;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p2, %r0, 5;
			@%p2 bra M;
			add.u32 %r2, %r0, 1;
		M:` + here + `
			bra.uni L;`, all(32, 32)},
		{"in the next round of a loop whose every exit has a guard", `mov.u32 %r1, 0;
		L:	bar.sync 0;` + here + `
			setp.ge.u32 %p1, %r1, 3;
			@%p1 exit;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p2, %r0, 5;
			@%p2 bra L;
			add.u32 %r2, %r0, 1;
			bra.uni L;`, all(32, 32)},
		{"before a loop whose every exit has a guard", `mov.u32 %r1, 0;
			setp.lt.u32 %p2, %r0, 5;
			@%p2 bra L;
			add.u32 %r2, %r1, 1;
		L:	bar.sync 0;` + here + `
			setp.ge.u32 %p1, %r1, 9;
			@%p1 exit;
			add.u32 %r1, %r1, 2;
		M:	setp.lt.u32 %p2, %r1, 100;
			@%p2 bra L;
			bra.uni M;`, all(32, 32)},
		{"arms laid out far apart", `setp.lt.u32 %p1, %r0, 5;
			@%p1 bra FAR;
			add.u32 %r1, %r0, 1;
		E:` + here + `
			exit;
		FAR:	add.u32 %r1, %r0, 2;
			bra E;`, all(32, 32)},
		{"break out of two loops", `mov.u32 %r1, 0;
		A:	mov.u32 %r2, 0;
		B:	add.u32 %r2, %r2, 1;
			mad.lo.u32 %r3, %r1, 4, %r2;
			setp.ge.u32 %p1, %r3, %r0;
			@%p1 bra E;
			setp.lt.u32 %p2, %r2, 4;
			@%p2 bra B;
			add.u32 %r1, %r1, 1;
			bra A;
		E:` + here, all(32, 32)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(4) {
				code := "st.global.u32 [%rd1], 0;\n" + c.code
				got, r, err := launch(t, code, 32, machine.Launch{Seed: seed, Budget: 1e6})
				if err != nil || len(r.Findings) > 0 || !slices.Equal(got, c.want) {
					t.Errorf("seed %d: got %v, want %v, error %v, findings %v", seed, got, c.want, err, r)
				}
			}
		})
	}
}

// Lane 0 holds a lock that the other lanes of its warp wait for: each must get its turn.
func TestLanesOfAWarpMayWaitForEachOther(t *testing.T) {
	code := `st.shared.u32 [tile], 0;
	bar.warp.sync -1;
	setp.eq.u32 %p1, %r0, 0;
	@%p1 bra GIVE;
WAIT:	ld.relaxed.cta.shared.u32 %r1, [tile];
	setp.eq.u32 %p2, %r1, 0;
	@%p2 bra WAIT;
	bra E;
GIVE:	st.relaxed.cta.shared.u32 [tile], 5;
E:	ld.shared.u32 %r1, [tile];
	st.global.u32 [%rd1], %r1;`
	for seed := range uint64(8) {
		got, _, err := launch(t, code, 32, machine.Launch{Seed: seed, Budget: 1e6})
		if err != nil || !slices.Equal(got, all(32, 5)) {
			t.Errorf("seed %d: got %v, error %v", seed, got, err)
		}
	}
}

func TestBarriers(t *testing.T) {
	for _, c := range []struct {
		name, code string
		threads    int
		want       uint32
	}{
		{"orders shared memory", `shl.b32 %r1, %r0, 2;
			mov.u32 %r2, tile;
			add.u32 %r1, %r1, %r2;
			st.shared.u32 [%r1], 1;
			bar.sync 0;
			ld.shared.u32 %r3, [tile+204];
			st.global.u32 [%rd1], %r3;`, 52, 1},
		{"counts", `setp.lt.u32 %p1, %r0, 7;
			barrier.red.popc.u32 %r1, 0, %p1;
			st.global.u32 [%rd1], %r1;`, 65, 7},
		{"or", `setp.eq.u32 %p1, %r0, 64;
			bar.red.or.pred %p2, 1, %p1;
			selp.u32 %r1, 1, 0, %p2;
			st.global.u32 [%rd1], %r1;`, 65, 1},
		{"and of negated", `setp.eq.u32 %p1, %r0, 999;
			bar.red.and.pred %p2, 1, !%p1;
			selp.u32 %r1, 1, 0, %p2;
			st.global.u32 [%rd1], %r1;`, 65, 1},
		{"split paths", `setp.lt.u32 %p1, %r0, 9;
			@%p1 bra L;
			barrier.sync 0;
			bra E;
		L:	barrier.sync 0;
		E:	st.global.u32 [%rd1], 3;`, 64, 3},
		{"without those who left", `setp.eq.u32 %p1, %r0, 99;
			st.global.u32 [%rd1], 4;
			@%p1 exit;
			setp.lt.u32 %p2, %r0, 64;
			@%p2 exit;
			barrier.sync 0;`, 96, 4},
		{"producers do not wait", `setp.lt.u32 %p1, %r0, 32;
			@%p1 bra P;
			bar.sync 2, 64;
			ld.shared.u32 %r1, [tile];
			bra E;
		P:	mov.u32 %r1, 6;
			st.shared.u32 [tile], %r1;
			bar.arrive 2, 64;
		E:	st.global.u32 [%rd1], %r1;`, 64, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(4) {
				got, r, err := launch(t, c.code, c.threads, machine.Launch{Seed: seed, Budget: 1e6})
				if err != nil || len(r.Findings) > 0 || !slices.Equal(got, all(c.threads, c.want)) {
					t.Errorf("seed %d: got %v, want %d everywhere, error %v, findings %v", seed, got, c.want, err, r)
				}
			}
		})
	}
}

func TestEndlessKernelsEnd(t *testing.T) {
	f := faults(t, "L: bra L;", 32, machine.Launch{Budget: 1000})
	if f.Kind != machine.Budget {
		t.Errorf("got %v", f)
	}
}

func TestLaunchThatNobodyCanEndIsADeadlock(t *testing.T) {
	for _, c := range []struct{ name, code, at string }{
		{"waiting for a word", `mov.u32 %r1, 0;
			st.global.u32 [%rd1], %r1;
		L:	ld.volatile.global.u32 %r1, [%rd1];
			setp.eq.u32 %p1, %r1, 0;
			@%p1 bra L;`, "@%p1 bra"},
		{"a lock that is never given back", `mov.u32 %r1, 0;
			st.global.u32 [%rd0], %r1;
			bar.sync 0;
		L:	atom.global.cas.b32 %r1, [%rd0], 0, 1;
			setp.ne.u32 %p1, %r1, 0;
			@%p1 bra L;`, "@%p1 bra"},
		{"going around", "L:	bra L;", "bra L"},
	} {
		for seed := range uint64(3) {
			f := faults(t, c.code, 64, machine.Launch{Seed: seed})
			if f.Kind != machine.Deadlock || f.Line != lineOf(c.code, c.at) {
				t.Errorf("%s, seed %d: got %v", c.name, seed, f)
			}
		}
	}
}

func TestWorkWithoutStoresIsNoDeadlock(t *testing.T) {
	// A count that comes by the same registers never again, then one word that is stored.
	got, _, err := launch(t, `mov.u32 %r1, 0;
	L:	add.u32 %r1, %r1, 1;
		setp.lt.u32 %p1, %r1, 50000;
		@%p1 bra L;
		st.global.u32 [%rd1], %r1;`, 32, machine.Launch{})
	if err != nil || got[31] != 50000 {
		t.Errorf("got %v, %v", got[31], err)
	}
}

func TestGroupMayWaitForALaterOne(t *testing.T) {
	_, _, err := launch(t, `mov.u32 %r1, %ctaid.x;
		setp.eq.u32 %p1, %r1, 0;
		@%p1 bra L;
		st.global.u32 [%rd0], %r1;
		exit;
	L:	ld.volatile.global.u32 %r1, [%rd0];
		setp.ne.u32 %p1, %r1, 5;
		@%p1 bra L;`, 32, machine.Launch{Grid: [3]uint32{6, 1, 1}})
	if err != nil {
		t.Error(err)
	}
}
