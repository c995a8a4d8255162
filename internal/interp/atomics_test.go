package interp_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/interp"
)

func TestAtomicsGiveTheOldValue(t *testing.T) {
	cases := []struct {
		op            string
		was, operand  uint32
		signed        bool
		leaves, gives uint32
	}{
		{"atomic_add", 0xFFFF_FFFF, 2, false, 1, 0xFFFF_FFFF},
		{"atomic_sub", 1, 2, false, 0xFFFF_FFFF, 1},
		{"atomic_min", 5, 0xFFFF_FFFF, false, 5, 5},
		{"atomic_min", 5, 0xFFFF_FFFF, true, 0xFFFF_FFFF, 5},
		{"atomic_max", 5, 0xFFFF_FFFF, false, 0xFFFF_FFFF, 5},
		{"atomic_max", 5, 0xFFFF_FFFF, true, 5, 5},
		{"atomic_and", 0b1100, 0b1010, false, 0b1000, 0b1100},
		{"atomic_or", 0b1100, 0b1010, false, 0b1110, 0b1100},
		{"atomic_xor", 0b1100, 0b1010, false, 0b0110, 0b1100},
		{"atomic_exch", 3, 4, false, 4, 3},
	}
	for _, c := range cases {
		typ := "u32"
		if c.signed {
			typ = "i32"
		}
		t.Run(c.op+" "+typ, func(t *testing.T) {
			k := prepare(t, `kernel @k workgroup(1) {
				param @b: buf<`+typ+`> rw
				param @out: buf<`+typ+`> wo
				param %v: `+typ+`
				%old = `+c.op+`.relaxed.dev @b[0_u32], %v
				store @out[0_u32], %old
			}`)
			b, out := u32s(c.was), u32s(0)
			run(t, k, 1, interp.Options{}, b, out, scalar(uint64(c.operand)))
			wantWords(t, "memory", b, c.leaves)
			wantWords(t, "result", out, c.gives)
		})
	}
}

func TestCompareAndSwapWritesOnlyOnEqualBits(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(4) {
		param @b: buf<f32> rw
		param @out: buf<f32> wo
		%l = local.x
		%old = atomic_cas.relaxed.dev @b[%l], 0.0_f32, 1.0_f32
		store @out[%l], %old
	}`)
	const one, negZero, nan = 0x3F80_0000, 0x8000_0000, 0x7FC0_0001
	b, out := u32s(0, negZero, nan, one), u32s(9, 9, 9, 9)
	run(t, k, 1, interp.Options{}, b, out)
	wantWords(t, "memory", b, one, negZero, nan, one)
	wantWords(t, "old values", out, 0, negZero, nan, one)
}

// TestContendedAtomicsLoseNothing has every invocation take tickets, count in a shared
// cell, and add to a 64-bit sum by a loop of compare-and-swap.
func TestContendedAtomicsLoseNothing(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(96) {
		param @sum: buf<u64> rw
		param @taken: buf<u32> rw
		param @next: buf<u32> rw
		shared @part: u32[1]
		%l = local.x
		%lead = eq.u32 %l, 0_u32
		if %lead { store @part[0_u32], 0_u32 }
		barrier.wg
		%ticket = atomic_add.relaxed.dev @next[0_u32], 1_u32
		atomic_add.relaxed.dev @taken[%ticket], 1_u32
		atomic_add.relaxed.wg @part[0_u32], 1_u32
		%w = cvt.u64.u32 %ticket
		%first = atomic_load.relaxed.dev @sum[0_u32]
		loop ^try (%seen: u64 = %first) {
			%new = add.u64 %seen, %w
			%old = atomic_cas.relaxed.dev @sum[0_u32], %seen, %new
			%won = eq.u64 %old, %seen
			if %won { break ^try }
			continue ^try (%old)
		}
		barrier.wg
		if %lead {
			%p = load @part[0_u32]
			%p64 = cvt.u64.u32 %p
			atomic_add.relaxed.dev @sum[1_u32], %p64
		}
	}`)
	const n = 20 * 96
	ways := []interp.Options{{Workers: 1}, {Workers: 4}, {Schedule: interp.Reversed}, {Schedule: interp.Seeded(5)},
		{Detect: interp.Everything}}
	for _, o := range ways {
		t.Run(fmt.Sprintf("%s, %d workers, detect %d", o.Schedule, o.Workers, o.Detect), func(t *testing.T) {
			sum, taken := u32s(0, 0, 0, 0), u32s(make([]uint32, n)...)
			res := run(t, k, 20, o, sum, taken, u32s(0))
			wantWords(t, "sums", sum, n*(n-1)/2, 0, n, 0)
			for i, w := range words(taken) {
				if w != 1 {
					t.Fatalf("ticket %d was taken %d times", i, w)
				}
			}
			for _, r := range res.Reports {
				t.Errorf("unexpected report: %s", r)
			}
		})
	}
}

// TestWarpsOfAGroupMayWaitForEachOther has warp 1 spin on a flag that warp 0 sets only
// after warp 1 has set one.
func TestWarpsOfAGroupMayWaitForEachOther(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @flag: buf<u32> rw
		param @out: buf<u32> wo
		%l = local.x
		%lane = lane
		%mine = warp
		%other = xor.u32 %mine, 1_u32
		%lead = eq.u32 %lane, 0_u32
		if %lead {
			atomic_store.release.dev @flag[%mine], 1_u32
			loop ^spin () {
				%v = atomic_load.acquire.dev @flag[%other]
				%set = ne.u32 %v, 0_u32
				if %set { break ^spin }
				continue ^spin
			}
		}
		store @out[%l], 1_u32
	}`)
	for _, s := range schedules {
		out := u32s(make([]uint32, 64)...)
		run(t, k, 1, interp.Options{Schedule: s, Budget: 100_000}, u32s(0, 0), out)
	}
}

// TestMessagePassingIsNeverStale passes a payload through a released flag, between the
// groups of a cooperative launch, thousands of times, on several goroutines.
func TestMessagePassingIsNeverStale(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @data: buf<u32> rw
		param @flag: buf<u32> rw
		param @bad: buf<u32> rw
		param %rounds: u32
		%me = group.x
		%writer = eq.u32 %me, 0_u32
		loop ^round (%i: u32 = 1_u32) {
			%over = lt.u32 %rounds, %i
			if %over { break ^round }
			if %writer {
				%v = mul.u32 %i, 7_u32
				store @data[0_u32], %v
				atomic_store.release.dev @flag[0_u32], %i
				loop ^ack () {
					%a = atomic_load.acquire.dev @flag[1_u32]
					%done = eq.u32 %a, %i
					if %done { break ^ack }
					continue ^ack
				}
			} else {
				loop ^wait () {
					%f = atomic_load.acquire.dev @flag[0_u32]
					%here = eq.u32 %f, %i
					if %here { break ^wait }
					continue ^wait
				}
				%got = load @data[0_u32]
				%want = mul.u32 %i, 7_u32
				%wrong = ne.u32 %got, %want
				if %wrong { atomic_add.relaxed.dev @bad[0_u32], 1_u32 }
				atomic_store.release.dev @flag[1_u32], %i
			}
			%i1 = add.u32 %i, 1_u32
			continue ^round (%i1)
		}
		barrier.grid
	}`)
	ways := []interp.Options{{Workers: 2}, {Workers: 1}, {Schedule: interp.Reversed}, {Schedule: interp.Seeded(3)}, {Detect: interp.Everything}}
	for _, o := range ways {
		bad := u32s(0)
		res := run(t, k, 2, o, u32s(0), u32s(0, 0), bad, scalar(3000))
		wantWords(t, fmt.Sprintf("%s: stale values", o.Schedule), bad, 0)
		if len(res.Reports) > 0 {
			t.Errorf("unexpected report: %s", res.Reports[0])
		}
	}
}
