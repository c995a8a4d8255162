package interp_test

import (
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// TestControlRejoins runs one group of 8 lanes, whose results are one word each.
func TestControlRejoins(t *testing.T) {
	cases := []struct {
		name string
		body string // reads %l, the lane, and defines %r
		want func(l uint32) uint32
	}{
		{"if gives the value of the arm that ran", `
			%c = lt.u32 %l, 3_u32
			%r = if %c -> (u32) { %a = add.u32 %l, 10_u32; yield %a } else { %b = add.u32 %l, 100_u32; yield %b }`,
			func(l uint32) uint32 {
				if l < 3 {
					return l + 10
				}
				return l + 100
			}},
		{"an if without else changes only its lanes", `
			%c = lt.u32 %l, 3_u32
			if %c { store @tmp[%l], 7_u32 }
			%r = load @tmp[%l]`,
			func(l uint32) uint32 {
				if l < 3 {
					return 7
				}
				return 0
			}},
		{"a loop runs as often as each lane asks", `
			%r = loop ^a (%i: u32 = 0_u32, %s: u32 = 0_u32) -> (u32) {
				%c = le.u32 %l, %i
				if %c { break ^a (%s) }
				%i1 = add.u32 %i, 1_u32
				%s1 = add.u32 %s, %i1
				continue ^a (%i1, %s1)
			}`,
			func(l uint32) uint32 { return l * (l + 1) / 2 }},
		{"carried values are exchanged at once", `
			%r = loop ^a (%i: u32 = 0_u32, %x: u32 = 1_u32, %y: u32 = 2_u32, %z: u32 = 3_u32) -> (u32) {
				%c = le.u32 %l, %i
				if %c {
					%x10 = mul.u32 %x, 100_u32
					%y10 = mul.u32 %y, 10_u32
					%xy = add.u32 %x10, %y10
					%xyz = add.u32 %xy, %z
					break ^a (%xyz)
				}
				%i1 = add.u32 %i, 1_u32
				continue ^a (%i1, %y, %z, %x)
			}`,
			func(l uint32) uint32 { return []uint32{123, 231, 312}[l%3] }},
		{"two values swap", `
			%r = loop ^a (%i: u32 = 0_u32, %x: u32 = 1_u32, %y: u32 = 2_u32) -> (u32) {
				%c = le.u32 %l, %i
				if %c { break ^a (%x) }
				%i1 = add.u32 %i, 1_u32
				continue ^a (%i1, %y, %x)
			}`,
			func(l uint32) uint32 { return 1 + l%2 }},
		{"break leaves two loops at once", `
			%r = loop ^a (%i: u32 = 0_u32) -> (u32) {
				loop ^b (%j: u32 = 0_u32) {
					%ij = mul.u32 %i, 10_u32
					%k = add.u32 %ij, %j
					%done = eq.u32 %j, %l
					%deep = le.u32 2_u32, %i
					%both = and.bool %done, %deep
					if %both { break ^a (%k) }
					%end = le.u32 9_u32, %j
					if %end { break ^b }
					%j1 = add.u32 %j, 1_u32
					continue ^b (%j1)
				}
				%i1 = add.u32 %i, 1_u32
				continue ^a (%i1)
			}`,
			func(l uint32) uint32 { return 20 + l }},
		{"continue of the outer loop skips the rest of the inner", `
			%r = loop ^a (%i: u32 = 0_u32, %s: u32 = 0_u32) -> (u32) {
				%c = le.u32 4_u32, %i
				if %c { break ^a (%s) }
				%i1 = add.u32 %i, 1_u32
				loop ^b (%j: u32 = 0_u32) {
					%q = eq.u32 %j, %l
					if %q {
						%s1 = add.u32 %s, %j
						continue ^a (%i1, %s1)
					}
					%j1 = add.u32 %j, 1_u32
					continue ^b (%j1)
				}
				unreachable
			}`,
			func(l uint32) uint32 { return 4 * l }},
		{"a block is left from inside an if", `
			%r = block ^out -> (u32) {
				%c = eq.u32 %l, 2_u32
				if %c { break ^out (50_u32) }
				%d = eq.u32 %l, 5_u32
				if %d { break ^out (60_u32) }
				break ^out (%l)
			}`,
			func(l uint32) uint32 {
				switch l {
				case 2:
					return 50
				case 5:
					return 60
				}
				return l
			}},
		{"lanes that returned do nothing more", `
			%c = lt.u32 5_u32, %l
			if %c { return }
			%r = add.u32 %l, 1_u32`,
			func(l uint32) uint32 {
				if l > 5 {
					return 0
				}
				return l + 1
			}},
		{"both arms may leave", `
			%r = loop ^a (%i: u32 = %l) -> (u32) {
				%c = lt.u32 20_u32, %i
				if %c { break ^a (%i) } else {
					%n = add.u32 %i, 8_u32
					continue ^a (%n)
				}
				unreachable
			}`,
			func(l uint32) uint32 {
				for l <= 20 {
					l += 8
				}
				return l
			}},
		{"a value from before a loop survives its rounds", `
			%keep = mul.u32 %l, 1000_u32
			%s = loop ^a (%i: u32 = 0_u32) -> (u32) {
				%x = add.u32 %keep, %i
				%y = sub.u32 %x, %i
				%c = le.u32 %l, %i
				if %c { break ^a (%y) }
				%i1 = add.u32 %i, 1_u32
				continue ^a (%i1)
			}
			%r = add.u32 %s, 1_u32`,
			func(l uint32) uint32 { return l*1000 + 1 }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := prepare(t, `kernel @k workgroup(8) {
				param @out: buf<u32> wo
				param @tmp: buf<u32> rw
				%l = local.x
				`+c.body+`
				store @out[%l], %r
			}`)
			want := make([]uint32, 8)
			for l := range want {
				want[l] = c.want(uint32(l))
			}
			for _, s := range schedules {
				out := u32s(make([]uint32, 8)...)
				run(t, k, 1, interp.Options{Schedule: s}, out, u32s(make([]uint32, 8)...))
				wantWords(t, s.String(), out, want...)
			}
		})
	}
}

// TestDeepNestsRejoin nests 200 ifs, each of which drops one more lane, in a loop.
func TestDeepNestsRejoin(t *testing.T) {
	b := build.New("nest", build.Workgroup(256))
	dst := b.Buffer("out", ir.U32, ir.WO)
	l := b.Local(0)
	depth := b.Var(b.U32(0))
	var nest func(level uint32)
	nest = func(level uint32) {
		if level == 200 {
			return
		}
		b.If(b.Gt(l, b.U32(level)), func() {
			depth.Set(b.Add(depth.Get(), b.U32(1)))
			nest(level + 1)
		})
	}
	b.For(b.U32(0), b.U32(3), b.U32(1), func(build.Value, build.Label) { nest(0) })
	b.Store(dst, l, depth.Get())
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	k := decoded(t, p)
	out := u32s(make([]uint32, 256)...)
	run(t, k, 1, interp.Options{}, out)
	want := make([]uint32, 256)
	for l := range want {
		want[l] = 3 * min(uint32(l), 200)
	}
	wantWords(t, "depth reached", out, want...)
}

func TestInvocationsKnowWhereTheyAre(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(4,3,5) {
		param @out: buf<u32> rw
		%gx = global.x
		%gy = global.y
		%gz = global.z
		%nx = groups.x
		%ny = groups.y
		%wx = mul.u32 %nx, 4_u32
		%wy = mul.u32 %ny, 3_u32
		%a = mul.u32 %gz, %wy
		%b = add.u32 %a, %gy
		%c = mul.u32 %b, %wx
		%at = add.u32 %c, %gx
		%warp = warp
		%lane = lane
		%w32 = mul.u32 %warp, 32_u32
		%l = add.u32 %w32, %lane
		%one = add.u32 %l, 1_u32
		atomic_add.relaxed.dev @out[%at], %one
	}`)
	grid := [3]uint32{2, 3, 2}
	out := u32s(make([]uint32, 2*3*2*60)...)
	launched(t, k, launch.Launch{Grid: grid, Args: []launch.Arg{out}}, interp.Options{})
	var want []uint32
	for z := range uint32(10) {
		for y := range uint32(9) {
			for x := range uint32(8) {
				want = append(want, 1+x%4+4*(y%3+3*(z%5)))
			}
		}
	}
	wantWords(t, "1 + linear local id by global position", out, want...)
}
