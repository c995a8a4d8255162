package interp_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

func TestFirstTrapIsKeptAndTheRunGoesOn(t *testing.T) {
	b := build.New("k", build.Workgroup(40))
	out := b.Buffer("out", ir.U32, ir.RW)
	g := b.Global(0)
	b.At(ir.Pos{File: "k.go", Line: 7})
	b.Trap(b.Ge(g, b.U32(45)), b.Cvt(ir.U64, g), 7, "too far")
	b.Barrier()
	b.Store(out, g, b.U32(1))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	k := decoded(t, p)
	for _, c := range []struct {
		s     interp.Schedule
		value uint64
	}{{interp.Forward, 45}, {interp.Reversed, 119}} {
		mem := u32s(make([]uint32, 120)...)
		res := run(t, k, 3, interp.Options{Schedule: c.s, Workers: 1}, mem)
		if res.Trap == nil {
			t.Fatalf("%s: no trap", c.s)
		}
		got := *res.Trap
		row := got.Row
		want := launch.Trap{Code: 7, Row: row, Pos: ir.Pos{File: "k.go", Line: 7}, Message: "too far", Value: c.value,
			By: launch.Invocation{Group: [3]uint32{uint32(c.value / 40), 0, 0}, Local: [3]uint32{uint32(c.value % 40), 0, 0}}}
		if got != want || p.Op(row) != ir.OpTrap {
			t.Errorf("%s: got %+v\nwant %+v", c.s, got, want)
		}
		wantWords(t, "every invocation went on", mem, slices.Repeat([]uint32{1}, 120)...)
	}
}

func TestTracesAreBounded(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(2,2) {
		%x = local.x
		%gy = global.y
		%w = cvt.u64.u32 %gy
		trace %x, %w, #9
	}`)
	grid := [3]uint32{3, 2, 1}
	res := launched(t, k, launch.Launch{Grid: grid}, interp.Options{Workers: 1})
	if len(res.Traces) != 24 || res.TracesDropped != 0 {
		t.Fatalf("%d traces, %d dropped; want 24 and 0", len(res.Traces), res.TracesDropped)
	}
	seen := map[uint64]bool{}
	for _, r := range res.Traces {
		x, y := r.Linear%6, r.Linear/6
		want := launch.Trace{Tag: 9, Row: r.Row, Count: 2, Values: [3]uint64{x % 2, y, 0}, Linear: r.Linear}
		if r != want || seen[r.Linear] {
			t.Errorf("got %+v, want %+v once", r, want)
		}
		seen[r.Linear] = true
	}
	res = launched(t, k, launch.Launch{Grid: grid}, interp.Options{TraceCap: 10})
	if len(res.Traces) != 10 || res.TracesDropped != 14 {
		t.Errorf("%d traces, %d dropped; want 10 and 14", len(res.Traces), res.TracesDropped)
	}
}

func TestHookSeesEveryRowWithItsLanes(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(8) {
		param @out: buf<u32> wo
		%l = local.x
		%c = lt.u32 %l, 3_u32
		if %c { store @out[%l], 5_u32 }
	}`)
	p := k.Program()
	var seen []string
	hook := func(b interp.Break) {
		s := fmt.Sprintf("%s %#x", p.Op(b.Row), b.Mask)
		if v, ok := b.Operand(1, 2); ok {
			s += fmt.Sprintf(" %d", v)
		}
		seen = append(seen, s)
	}
	res := run(t, k, 1, interp.Options{Hook: hook}, u32s(make([]uint32, 8)...))
	want := []string{"local 0xff", "lt 0xff 3", "if 0xff", "store 0x7 5", "yield 0x7", "return 0xff"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
	if res.Rows != 6 || res.LaneRows != 4*8+2*3 {
		t.Errorf("%d rows, %d lane-rows; want 6 and 38", res.Rows, res.LaneRows)
	}
}

func TestClockNeverDecreases(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @bad: buf<u32> rw
		param @b: buf<u32> rw
		%t0 = clock
		loop ^l (%i: u32 = 0_u32, %t: u64 = %t0) {
			%end = eq.u32 %i, 50_u32
			if %end { break ^l }
			atomic_add.relaxed.dev @b[0_u32], 1_u32
			%now = clock
			%back = lt.u64 %now, %t
			if %back { atomic_add.relaxed.dev @bad[0_u32], 1_u32 }
			%i1 = add.u32 %i, 1_u32
			continue ^l (%i1, %now)
		}
	}`)
	for _, s := range schedules {
		bad := u32s(0)
		run(t, k, 3, interp.Options{Schedule: s}, bad, u32s(0))
		wantWords(t, s.String(), bad, 0)
	}
}

func TestSeededScheduleDependsOnTheSeedAlone(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @next: buf<u32> rw
		param @out: buf<u32> wo
		%g = global.x
		%n = atomic_add.relaxed.dev @next[0_u32], 1_u32
		store @out[%n], %g
	}`)
	order := func(s interp.Schedule) []uint32 {
		out := u32s(make([]uint32, 64*20)...)
		run(t, k, 20, interp.Options{Schedule: s, Workers: 1}, u32s(0), out)
		return words(out)
	}
	if !slices.Equal(order(interp.Seeded(4)), order(interp.Seeded(4))) {
		t.Error("one seed gives two schedules")
	}
	if slices.Equal(order(interp.Seeded(4)), order(interp.Seeded(5))) {
		t.Error("two seeds give one schedule")
	}
	forward, reversed := order(interp.Forward), order(interp.Reversed)
	for i := range forward {
		if forward[i] != uint32(i) || reversed[i] != uint32(len(forward)-1-i) {
			t.Fatalf("ticket %d went to %d forward and %d reversed", i, forward[i], reversed[i])
		}
	}
}

func TestMutationsBreakTheirRule(t *testing.T) {
	plusOne := func(f exact.Func) exact.Func {
		return func(t exact.Types, x uint32, a, b, c uint64) uint64 { return (f(t, x, a, b, c) + 1) & t.Out.Mask() }
	}
	cases := []struct {
		name string
		m    interp.Mutation
		body string // leaves %r; right is what it must be
		want uint32 // in lane 2 of 8
		got  uint32
	}{
		{"evaluation", interp.Mutation{Eval: map[ir.Op]exact.Func{ir.OpXor: plusOne(exact.Of(ir.OpXor))}},
			`%r = xor.u32 %l, 8_u32`, 10, 11},
		{"evaluation inside an atomic", interp.Mutation{Eval: map[ir.Op]exact.Func{ir.OpMax: exact.Of(ir.OpMin)}},
			`%x = atomic_max.relaxed.dev @b[%l], 9_u32
			%r = load @b[%l]`, 9, 0},
		{"bounds", interp.Mutation{WrapBounds: true}, `%i = add.u32 %l, 8_u32
			store @b[%l], %l
			%r = load @b[%i]`, 0, 2},
		{"whole vectors", interp.Mutation{WholeVectors: true}, `%i = add.u32 %l, 1_u32
			store @b[7_u32], 3_u32
			%v = load.v4 @b[%l]
			%w = load.v2 @b[3_u32]
			%t = vec 6_u32, 6_u32
			%q = vec 6_u32, 6_u32, 6_u32, 6_u32
			store.v4 @c[1_u32], %q
			%r = load @c[4_u32]`, 6, 0},
		{"shuffles", interp.Mutation{WrapShuffles: true}, `%i = add.u32 %l, 31_u32
			%r = shuffle.u32 %l, %i`, 0, 1},
		{"carried values", interp.Mutation{SequentialMoves: true}, `
			%r = loop ^a (%i: u32 = 0_u32, %x: u32 = 4_u32, %y: u32 = 5_u32) -> (u32) {
				%c = eq.u32 %i, 1_u32
				if %c { break ^a (%y) }
				continue ^a (1_u32, %y, %x)
			}`, 4, 5},
		{"divergent loops", interp.Mutation{NoRejoin: true}, `
			%one = add.u32 %l, 1_u32
			loop ^a (%i: u32 = 0_u32) {
				%c = eq.u32 %i, %one
				if %c { break ^a }
				%i1 = add.u32 %i, 1_u32
				atomic_add.relaxed.dev @b[%l], 1_u32
				continue ^a (%i1)
			}
			%r = load @b[%l]`, 3, 2},
		{"stores", interp.Mutation{Drop: []ir.Op{ir.OpAtomicStore}}, `atomic_store.relaxed.dev @b[%l], 7_u32
			%r = load @b[%l]`, 7, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := prepare(t, `kernel @k workgroup(8) {
				param @b: buf<u32> rw
				param @c: buf<u32> rw
				param @out: buf<u32> wo
				%l = local.x
				`+c.body+`
				store @out[%l], %r
			}`)
			lane2 := func(k *interp.Kernel) uint32 {
				out := u32s(make([]uint32, 8)...)
				run(t, k, 1, interp.Options{}, u32s(make([]uint32, 8)...), u32s(make([]uint32, 5)...), out)
				return words(out)[2]
			}
			if got := lane2(k); got != c.want {
				t.Errorf("unbroken: %d, want %d", got, c.want)
			}
			if got := lane2(breaking(t, k, c.m)); got != c.got {
				t.Errorf("broken: %d, want %d", got, c.got)
			}
			if got := lane2(k); got != c.want {
				t.Errorf("after a broken run: %d, want %d", got, c.want)
			}
		})
	}
}

func TestDroppedBarriersLeaveARace(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @out: buf<u32> wo
		shared @s: u32[64]
		%l = local.x
		store @s[%l], %l
		barrier.wg
		%o = xor.u32 %l, 32_u32
		%x = load @s[%o]
		store @out[%l], %x
	}`)
	o := interp.Options{Detect: interp.Races}
	if res := run(t, k, 1, o, u32s(make([]uint32, 64)...)); len(res.Reports) != 0 {
		t.Fatal(res.Reports[0])
	}
	k = breaking(t, k, interp.Mutation{Drop: []ir.Op{ir.OpBarrierWG}})
	if res := run(t, k, 1, o, u32s(make([]uint32, 64)...)); len(res.Reports) != 1 || res.Reports[0].Kind != interp.Race {
		t.Errorf("got %v, want one race", res.Reports)
	}
}

// TestBarrierThatCannotBeSatisfied breaks the evaluation that the verifier's proof of
// uniformity rests on: eq gives another answer the second time.
func TestBarrierThatCannotBeSatisfied(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param %n: u32
		%c = eq.u32 %n, 1_u32
		if %c { barrier.wg !k.go:5:2 }
	}`)
	first := true
	once := func(exact.Types, uint32, uint64, uint64, uint64) uint64 {
		was := first
		first = false
		if was {
			return 1
		}
		return 0
	}
	var o interp.Options
	k = breaking(t, k, interp.Mutation{Eval: map[ir.Op]exact.Func{ir.OpEq: once}})
	e := fails[*interp.BarrierError](t, k, launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{scalar(1)}}, o)
	wantText(t, e.Error(), "kernel k: barrier never satisfied in group (0,0,0): 1 warps wait at k.go:5:2, 1 ended")

	// With detectors nothing is taken as uniform: every lane asks for itself.
	first, o.Detect = true, interp.Races
	e = fails[*interp.BarrierError](t, k, launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{scalar(1)}}, o)
	wantText(t, e.Error(), "1 warps wait at k.go:5:2, lanes 0xfffffffe did not come")
}

// TestBarrierOfFirstGroupsThatOneMisses breaks the comparison that keeps the others away: it keeps a first one away.
func TestBarrierOfFirstGroupsThatOneMisses(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		%g = group.x
		%c = lt.u32 %g, 2_u32
		if %c { barrier.first #2 !k.go:5:2 }
		barrier.grid !k.go:6:2
	}`)
	k = breaking(t, k, interp.Mutation{Eval: map[ir.Op]exact.Func{ir.OpLt: func(_ exact.Types, _ uint32, a, _, _ uint64) uint64 {
		return min(a, 1)
	}}})
	for _, o := range []interp.Options{{}, {Schedule: interp.Reversed}, {Schedule: interp.Seeded(3)}, {Detect: interp.Races}} {
		e := fails[*interp.BarrierError](t, k, launch.Launch{Grid: [3]uint32{4, 1, 1}}, o)
		wantText(t, e.Error(), "kernel k: barrier never satisfied", "2 warps wait at k.go:5:2", "6 warps wait at k.go:6:2")
	}
}

// TestBrokenProofIsAnInternalError runs a program whose range proof is a lie.
func TestBrokenProofIsAnInternalError(t *testing.T) {
	ps, err := text.ParseTrusted("t", `vyre 1
kernel @k workgroup(4) {
	param @b: buf<u32> rw
	%l = local.x
	store @b[%l], 1_u32 !inb !k.go:3:1
}`)
	if err != nil {
		t.Fatal(err)
	}
	k := decoded(t, ps[0])
	for _, o := range []interp.Options{{}, {Detect: interp.Everything}, {Schedule: interp.Reversed}} {
		if _, err := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{u32s(0, 0, 0, 0)}}, o); err != nil {
			t.Errorf("a proof that holds: %v", err)
		}
		e := fails[*interp.ProofError](t, k, launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{u32s(0, 0, 0)}}, o)
		wantText(t, e.Error(), "internal: k.go:3:1: kernel k: b[3] was proven in bounds, length 3, by group (0,0,0) local (3,0,0)")
	}
}
