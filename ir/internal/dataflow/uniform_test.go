package dataflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// Every case computes a bool %c. Its level decides under which ops it may stand: the
// probes below ask for each level in turn, so a rule that is too strict fails as much as
// one that is too lax.
var levels = []struct {
	name  string
	group string
	code  string
	level ir.Level
}{
	{"constant", "64", `%c = eq.u32 1_u32, 2_u32`, ir.LevelGrid},
	{"scalar parameter", "64", `%c = eq.u32 %n, 2_u32`, ir.LevelGrid},
	{"length", "64", `%x = len @rw
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"number of groups", "64", `%x = groups.x
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"group id", "64", `%x = group.y
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"group id beside the number of first groups", "64", `%x = group.y
		%c = lt.u32 %x, 8_u32`, ir.LevelFirst},
	{"group id beside a smaller number", "64", `%x = group.y
		%c = lt.u32 %x, 7_u32`, ir.LevelGroup},
	{"sum over the first groups", "64", `%x = barrier_add.first %n, #8
		%c = eq.u32 %x, 2_u32`, ir.LevelFirst},
	{"sum over fewer than the first groups", "64", `%x = barrier_add.first %n, #7
		barrier.first #8
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"warp", "64", `%x = warp
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"warp where it is the whole group", "32", `%x = warp
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"local id", "64", `%x = local.x
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"local id in a group of a warp", "32", `%x = local.x
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"local id on an axis of one", "64", `%x = local.y
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"local y over whole warps", "32, 4", `%x = local.y
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"local y over half warps", "16, 4", `%x = local.y
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"local z over whole warps", "16, 4, 4", `%x = local.z
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"local z over part warps", "8, 3, 4", `%x = local.z
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"local id divided by a warp", "64", `%x = local.x
		%y = div.u32 %x, 32_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelWarp},
	{"global id divided by two warps", "96", `%x = global.x
		%y = div.u32 %x, 64_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelWarp},
	{"global id shifted by a warp, in 64 bits", "64", `%x = global.x
		%w = cvt.i64.u32 %x
		%y = shr.i64 %w, 5_u32
		%c = eq.i64 %y, 1_i64`, ir.LevelWarp},
	{"global id divided by a warp that is the group", "32", `%x = global.x
		%y = div.u32 %x, 32_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelGroup},
	{"local id divided by half a warp", "64", `%x = local.x
		%y = div.u32 %x, 16_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelLane},
	{"local id divided by a warp and a half", "96", `%x = local.x
		%y = div.u32 %x, 48_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelLane},
	{"local id divided by a warp in groups of part warps", "48", `%x = local.x
		%y = div.u32 %x, 32_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelLane},
	{"local id divided by a warp in a group of two axes", "64, 2", `%x = local.x
		%y = div.u32 %x, 32_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelLane},
	{"signed id divided by a warp", "64", `%x = global.x
		%w = cvt.i32.u32 %x
		%y = div.i32 %w, 32_i32
		%c = eq.i32 %y, 1_i32`, ir.LevelLane},
	{"remainder of a warp", "64", `%x = local.x
		%y = rem.u32 %x, 32_u32
		%c = eq.u32 %y, 1_u32`, ir.LevelLane},
	{"global id", "64", `%x = global.x
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"global id on an axis of one", "64", `%x = global.y
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"global y over whole warps", "32, 4", `%x = global.y
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"lane", "64", `%x = lane
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"lane in a group of one", "1", `%x = lane
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"clock", "64", `%x = clock
		%c = eq.u64 %x, 2_u64`, ir.LevelLane},
	{"timer", "64", `%x = timer
		%c = eq.u64 %x, 2_u64`, ir.LevelLane},
	{"clock in a group of one", "1", `%x = clock
		%c = eq.u64 %x, 2_u64`, ir.LevelGroup},
	{"most varying operand", "64", `%g = group.x
		%w = warp
		%x = add.u32 %g, %w
		%c = eq.u32 %x, %n`, ir.LevelWarp},
	{"select by a varying bool", "64", `%l = local.x
		%b = eq.u32 %l, 1_u32
		%x = select.u32 %b, 1_u32, %n
		%c = eq.u32 %x, %n`, ir.LevelLane},
	{"element of a vector of a varying value", "64", `%l = local.x
		%v = vec %l, %n
		%x = elem %v, #1
		%c = eq.u32 %x, %n`, ir.LevelLane},

	{"elect", "64", `%c = elect`, ir.LevelLane},
	{"ballot", "64", `%x = ballot %odd
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"any", "64", `%c = any %odd`, ir.LevelWarp},
	{"any in a group of a warp", "32", `%c = any %odd`, ir.LevelGroup},
	{"all", "64", `%c = all %odd`, ir.LevelWarp},
	{"reduction", "64", `%x = reduce.min.u32 %lid
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"scan of a uniform value", "64", `%x = scan.add.u32 %n
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"exclusive scan", "64", `%x = scan_ex.add.u32 %n
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"shuffle from a uniform lane", "64", `%x = shuffle.u32 %lid, %n
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"shuffle from a warp's lane", "64", `%w = warp
		%x = shuffle.u32 %lid, %w
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"shuffle from a varying lane", "64", `%x = shuffle.u32 %n, %lid
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"shuffle by a uniform distance", "64", `%x = shuffle_up.u32 %n, %n
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"match", "64", `%x = match.u32 %n
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"group vote", "64", `%c = barrier_any.wg %odd`, ir.LevelGroup},
	{"grid vote", "64", `%c = barrier_all.grid %odd`, ir.LevelGrid},
	{"group sum", "64", `%x = barrier_add.wg %lid
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"grid broadcast", "64", `%x = barrier_bcast.grid.u32 %lid
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"result of an atomic", "64", `%x = atomic_load.relaxed.dev @rw[0_u32]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},

	{"load of a read-only buffer at a uniform index", "64", `%x = load @ro[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load of a read-only buffer at a varying index", "64", `%x = load @ro[%lid]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"vector load of a read-only buffer", "64", `%g = group.x
		%v = load.v2 @ro[%g]
		%x = elem %v, #0
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"load of a buffer that nothing writes", "64", `%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load after a write", "64", `store @rw[%lid], %lid
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load after an atomic write", "64", `atomic_store.relaxed.dev @rw[%lid], %lid
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load after a write to something else", "64", `store @rw2[%lid], %lid
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load in front of a write", "64", `%x = load @rw[%n]
		store @rw[%lid], %lid
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load after a write and a grid barrier", "64", `store @rw[%lid], %lid
		barrier.grid
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load after a write and a group barrier", "64", `store @rw[%lid], %lid
		barrier.wg
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load between grid barriers", "64", `store @rw[%lid], %lid
		barrier.grid
		%x = load @rw[%n]
		barrier.grid
		store @rw[%lid], %x
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load after a barrier on one way only", "64", `store @rw[%lid], %lid
		%first = eq.u32 %n, 1_u32
		if %first { barrier.grid }
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load after a barrier on both ways", "64", `store @rw[%lid], %lid
		%first = eq.u32 %n, 1_u32
		if %first { barrier.grid } else { %v = barrier_any.grid %odd }
		%x = load @rw[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"load with a write in the next round", "64", `%c = loop ^l (%k: u32 = 0_u32) -> (bool) {
			%x = load @rw[%n]
			%b = eq.u32 %x, 2_u32
			%done = eq.u32 %k, 9_u32
			if %done { break ^l (%b) }
			barrier.grid
			store @rw[%lid], %lid
			%k1 = add.u32 %k, 1_u32
			continue ^l (%k1)
		}`, ir.LevelLane},
	{"load with a barrier round the loop", "64", `%c = loop ^l (%k: u32 = 0_u32) -> (bool) {
			%x = load @rw[%n]
			%b = eq.u32 %x, 2_u32
			%done = eq.u32 %k, 9_u32
			if %done { break ^l (%b) }
			barrier.grid
			store @rw[%lid], %lid
			barrier.grid
			%k1 = add.u32 %k, 1_u32
			continue ^l (%k1)
		}`, ir.LevelGrid},
	{"load of a shared array", "64", `store @s[%lid], %lid
		barrier.wg
		%x = load @s[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"load of a shared array after a grid barrier", "64", `store @s[%lid], %lid
		barrier.grid
		%x = load @s[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"load of a shared array at a warp's index", "64", `store @s[%lid], %lid
		barrier.wg
		%w = warp
		%x = load @s[%w]
		%c = eq.u32 %x, 2_u32`, ir.LevelWarp},
	{"load of a shared array after a warp barrier", "64", `store @s[%lid], %lid
		barrier.warp
		%x = load @s[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"load of a shared array that nothing writes", "64", `%x = load @s[%n]
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"load of a local array", "64", `store @t[0_u32], %n
		%x = load @t[0_u32]
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},

	{"argument with a varying start", "64", `%c = loop ^l (%a: u32 = %lid) -> (bool) {
			%b = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%b) }
			continue ^l (%n)
		}`, ir.LevelLane},
	{"argument with a varying next value", "64", `%c = loop ^l (%a: u32 = %n) -> (bool) {
			%b = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%b) }
			continue ^l (%lid)
		}`, ir.LevelLane},
	{"argument that another one makes vary", "64", `%c = loop ^l (%a: u32 = 0_u32, %b: u32 = 0_u32) -> (bool) {
			%d = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%d) }
			continue ^l (%b, %lid)
		}`, ir.LevelLane},
	{"argument from two continues under divergence", "64", `%c = loop ^l (%a: u32 = 0_u32) -> (bool) {
			%b = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%b) }
			if %odd { continue ^l (1_u32) }
			continue ^l (2_u32)
		}`, ir.LevelLane},
	{"argument from two like continues under divergence", "64", `%c = loop ^l (%a: u32 = 0_u32) -> (bool) {
			%b = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%b) }
			if %odd { continue ^l (%n) }
			continue ^l (%n)
		}`, ir.LevelGrid},
	{"argument from an inner loop left at different rounds", "64", `%c = loop ^l (%a: u32 = 0_u32) -> (bool) {
			%b = eq.u32 %a, 2_u32
			%done = eq.u32 %n, 2_u32
			if %done { break ^l (%b) }
			loop ^m (%i: u32 = 0_u32) {
				%q = le.u32 %lid, %i
				if %q { continue ^l (%i) }
				%i1 = add.u32 %i, 1_u32
				continue ^m (%i1)
			}
			unreachable
		}`, ir.LevelLane},
	{"result of a uniform if", "64", `%first = eq.u32 %n, 1_u32
		%x = if %first -> (u32) { yield 1_u32 } else { yield %n }
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"result of an if on a group id", "64", `%g = group.x
		%first = eq.u32 %g, 1_u32
		%x = if %first -> (u32) { yield 1_u32 } else { yield %n }
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"result of a divergent if", "64", `%x = if %odd -> (u32) { yield 1_u32 } else { yield %n }
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"result of an if that is one value", "64", `%x = if %odd -> (u32) { yield %n } else { yield %n }
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"result of an if with a varying arm", "64", `%first = eq.u32 %n, 1_u32
		%x = if %first -> (u32) { yield 1_u32 } else { yield %lid }
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"result of a block left under divergence", "64", `%x = block ^b -> (u32) {
			if %odd { break ^b (1_u32) }
			break ^b (2_u32)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"result of a block left under uniform control", "64", `%first = eq.u32 %n, 1_u32
		%x = block ^b -> (u32) {
			if %first { break ^b (1_u32) }
			break ^b (2_u32)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"result of a loop with a uniform trip count", "64", `%x = loop ^l (%i: u32 = 0_u32) -> (u32) {
			%q = le.u32 %n, %i
			if %q { break ^l (%i) }
			%i1 = add.u32 %i, 1_u32
			continue ^l (%i1)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
	{"result of a loop with a divergent trip count", "64", `%x = loop ^l (%i: u32 = 0_u32) -> (u32) {
			%q = le.u32 %lid, %i
			if %q { break ^l (%i) }
			%i1 = add.u32 %i, 1_u32
			continue ^l (%i1)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelLane},
	{"result of a loop with a trip count of the group", "64", `%g = group.x
		%x = loop ^l (%i: u32 = 0_u32) -> (u32) {
			%q = le.u32 %g, %i
			if %q { break ^l (%i) }
			%i1 = add.u32 %i, 1_u32
			continue ^l (%i1)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelGroup},
	{"uniform value out of a divergent block in a uniform one", "64", `%x = block ^b -> (u32) {
			block ^d {
				if %odd { break ^d }
				break ^d
			}
			break ^b (%n)
		}
		%c = eq.u32 %x, 2_u32`, ir.LevelGrid},
}

func TestLevelsOfValues(t *testing.T) {
	probes := []string{"barrier.grid", "barrier.first #8", "barrier.wg", "%probe = any %c"}
	for _, tt := range levels {
		t.Run(tt.name, func(t *testing.T) {
			for level, probe := range probes {
				source := fmt.Sprintf(`vyre 1
				kernel @k workgroup(%s) {
					param @ro: buf<u32> ro
					param @rw: buf<u32> rw
					param @rw2: buf<u32> rw
					param %%n: u32
					shared @s: u32[64]
					local @t: u32[4]
					%%lid = local.x
					%%bit = and.u32 %%lid, 1_u32
					%%odd = eq.u32 %%bit, 1_u32
					%s
					if %%c { %s }
				}`, tt.group, tt.code, probe)
				_, err := text.Parse("k", source)
				if accepted := tt.level <= ir.Level(level); (err == nil) != accepted {
					t.Errorf("%s under %%c: accepted is %v, want %v\n%v\n%s", probe, err == nil, accepted, err, source)
				} else if err != nil && !strings.Contains(err.Error(), "VY40") {
					t.Errorf("refused for another reason: %v\n%s", err, source)
				}
			}
		})
	}
}

// An exit that is no more divergent than the op that it ends adds nothing to the results.
func TestExitsUnderDivergentControlAddNothing(t *testing.T) {
	ps, err := text.Parse("k", `vyre 1
	kernel @k workgroup(64) {
		param @b: buf<u32> wo
		param %n: u32
		%g = group.x
		%c = eq.u32 %g, 0_u32
		%d = eq.u32 %n, 0_u32
		if %c {
			%x = block ^l -> (u32) {
				if %d { break ^l (1_u32) }
				break ^l (2_u32)
			}
			store @b[0_u32], %x
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	p := ps[0]
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpRes {
			continue
		}
		if v, c := p.Uniformity().Value[r], p.Uniformity().Control[r]; v != ir.LevelGrid || c != ir.LevelGroup {
			t.Errorf("the result has level %s under control %s, want grid under workgroup", v, c)
		}
	}
}

// A barrier of one first group stands where control is the same in each group, however the comparison with its id is written:
// passes make id = 0 of id < 1.
func TestOneFirstGroupIsAGroup(t *testing.T) {
	for _, c := range []string{"%c = eq.u32 %g, 0_u32", "%c = lt.u32 %g, 1_u32", "%c = eq.u32 %g, %n"} {
		for k, want := range map[int]bool{1: true, 2: false} {
			source := fmt.Sprintf("vyre 1\nkernel @k workgroup(64) { param %%n: u32\n%%g = group.x\n%s\nif %%c { barrier.first #%d } }", c, k)
			if _, err := text.Parse("k", source); (err == nil) != want {
				t.Errorf("%d first groups behind %s: got %v, want no error: %v", k, c, err, want)
			}
		}
	}
}
