package interp_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/interp"
)

// everyWay are the options under which results must not differ.
var everyWay = []interp.Options{{Workers: 1}, {Workers: 3}, {Schedule: interp.Reversed}, {Schedule: interp.Seeded(1)},
	{Schedule: interp.Seeded(2), Detect: interp.Everything}, {Detect: interp.Everything}}

// TestGroupBarrierSeparatesRounds sums 200 words in a tree of shared cells, with
// barriers inside a loop, twice, with one group size that is not a multiple of 32.
func TestGroupBarrierSeparatesRounds(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(200) {
		param @in: buf<u32> ro
		param @out: buf<u32> wo
		shared @s: u32[256]
		%l = local.x
		%g = global.x
		%group = group.x
		loop ^twice (%t: u32 = 0_u32) {
			%v = load @in[%g]
			%vt = add.u32 %v, %t
			store @s[%l], %vt
			%high = add.u32 %l, 200_u32
			%pad = lt.u32 %high, 256_u32
			if %pad { store @s[%high], 0_u32 }
			barrier.wg
			loop ^tree (%d: u32 = 128_u32) {
				%end = eq.u32 %d, 0_u32
				if %end { break ^tree }
				%adds = lt.u32 %l, %d
				if %adds {
					%o = add.u32 %l, %d
					%a = load @s[%l]
					%b = load @s[%o]
					%ab = add.u32 %a, %b
					store @s[%l], %ab
				}
				barrier.wg
				%half = shr.u32 %d, 1_u32
				continue ^tree (%half)
			}
			%lead = eq.u32 %l, 0_u32
			if %lead {
				%sum = load @s[0_u32]
				%at2 = mul.u32 %group, 2_u32
				%at = add.u32 %at2, %t
				store @out[%at], %sum
			}
			barrier.wg
			%last = eq.u32 %t, 1_u32
			if %last { break ^twice }
			continue ^twice (1_u32)
		}
	}`)
	in := make([]uint32, 600)
	var want [6]uint32
	for i := range in {
		in[i] = uint32(i * i)
		want[i/200*2] += in[i]
		want[i/200*2+1] += in[i] + 1
	}
	for i, o := range everyWay {
		out := u32s(make([]uint32, 6)...)
		res := run(t, k, 3, o, u32s(in...), out)
		wantWords(t, fmt.Sprint("way ", i), out, want[:]...)
		if res.GroupBarriers != 3*2*(1+8+1) {
			t.Errorf("way %d: %d group barriers, want 60", i, res.GroupBarriers)
		}
		if len(res.Reports) > 0 {
			t.Errorf("way %d: %s", i, res.Reports[0])
		}
	}
}

// TestGridBarrierKeepsEverything shifts values through a buffer, one position a round,
// and keeps a carried value, a local array and a shared cell across the barriers.
func TestGridBarrierKeepsEverything(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(40) {
		param @a: buf<u32> rw
		param @out: buf<u32> wo
		param %rounds: u32
		shared @s: u32[40]
		local @t: u32[2]
		%l = local.x
		%g = global.x
		%n = len @a
		%g1 = add.u32 %g, 1_u32
		%next = rem.u32 %g1, %n
		store @s[%l], %g
		store @t[1_u32], %l
		%sum = loop ^round (%i: u32 = 0_u32, %acc: u32 = 0_u32) -> (u32) {
			%over = eq.u32 %i, %rounds
			if %over { break ^round (%acc) }
			%v = load @a[%next]
			barrier.grid
			store @a[%g], %v
			barrier.grid
			%acc1 = add.u32 %acc, %v
			%i1 = add.u32 %i, 1_u32
			continue ^round (%i1, %acc1)
		}
		%s = load @s[%l]
		%t = load @t[1_u32]
		%st = add.u32 %s, %t
		%r = add.u32 %st, %sum
		store @out[%g], %r
	}`)
	const groups, n, rounds = 7, 7 * 40, 25
	for i, o := range everyWay {
		a, out := make([]uint32, n), u32s(make([]uint32, n)...)
		want, moved := make([]uint32, n), make([]uint32, n)
		for g := range a {
			a[g] = uint32(g * g)
		}
		for g := range a {
			want[g] = uint32(g + g%40)
			for r := 1; r <= rounds; r++ {
				want[g] += a[(g+r)%n]
			}
			moved[g] = a[(g+rounds)%n]
		}
		arg := u32s(a...)
		res := run(t, k, groups, o, arg, out, scalar(rounds))
		wantWords(t, fmt.Sprint("sums, way ", i), out, want...)
		wantWords(t, fmt.Sprint("buffer, way ", i), arg, moved...)
		if res.GridBarriers != 2*rounds {
			t.Errorf("way %d: %d grid barriers, want %d", i, res.GridBarriers, 2*rounds)
		}
		if len(res.Reports) > 0 {
			t.Errorf("way %d: %s", i, res.Reports[0])
		}
	}
}

func TestVotesReachEveryInvocation(t *testing.T) {
	scopes := []struct {
		name  string
		group func(g int) int // first and number of the invocations that vote together
		size  int
	}{
		{"wg", func(g int) int { return g / 50 * 50 }, 50},
		{"grid", func(int) int { return 0 }, 150},
	}
	// Invocation g votes v = g·g mod 11 == 3, v != 200 (never), and adds g.
	for _, s := range scopes {
		k := prepare(t, `kernel @k workgroup(50) {
			param @out: buf<u32> wo
			%g = global.x
			%gg = mul.u32 %g, %g
			%m = rem.u32 %gg, 11_u32
			%some = eq.u32 %m, 3_u32
			%never = eq.u32 %gg, 2_u32
			%always = not.bool %never
			%any = barrier_any.`+s.name+` %some
			%none = barrier_any.`+s.name+` %never
			%all = barrier_all.`+s.name+` %always
			%notall = barrier_all.`+s.name+` %some
			%sum = barrier_add.`+s.name+` %g
			%f = cvt.f64.u32 %g
			%first = barrier_bcast.`+s.name+`.f64 %f
			%u = cvt.u32.f64 %first
			%b0 = cvt.u32.bool %any
			%b1 = cvt.u32.bool %none
			%b2 = cvt.u32.bool %all
			%b3 = cvt.u32.bool %notall
			%c1 = shl.u32 %b1, 1_u32
			%c2 = shl.u32 %b2, 2_u32
			%c3 = shl.u32 %b3, 3_u32
			%d1 = or.u32 %b0, %c1
			%d2 = or.u32 %c2, %c3
			%d = or.u32 %d1, %d2
			%i = mul.u32 %g, 3_u32
			%i1 = add.u32 %i, 1_u32
			%i2 = add.u32 %i, 2_u32
			store @out[%i], %d
			store @out[%i1], %sum
			store @out[%i2], %u
		}`)
		var want []uint32
		for g := range 150 {
			first, sum := s.group(g), 0
			for i := range s.size {
				sum += first + i
			}
			want = append(want, 0b0101, uint32(sum), uint32(first))
		}
		for i, o := range everyWay {
			out := u32s(make([]uint32, 450)...)
			run(t, k, 3, o, out)
			wantWords(t, fmt.Sprintf("%s, way %d", s.name, i), out, want...)
		}
	}
}
