package drivertest

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var launchTests = []test{
	{"KernelComputes", func(e *env) {
		k := e.compile(saxpy)
		const n = 100
		x, y, want := make([]uint32, n), make([]uint32, n), make([]uint32, n)
		for i := range n {
			x[i], y[i] = math.Float32bits(float32(i)), math.Float32bits(1)
			want[i] = math.Float32bits(2*float32(i) + 1)
		}
		bx, by := e.words("x", x...), e.words("y", y...)
		s := e.dev.NewSequence("saxpy")
		s.Launch(k, driver.Cover(n, 64), driver.F32(2), driver.All(bx), driver.All(by))
		e.run(s)
		e.equal("y", e.read(by), le(want...))
		e.equal("x", e.read(bx), le(x...))
	}},
	{"ScalarsOfEveryTypeArrive", func(e *env) {
		k := e.compile(everyType)
		out := e.buffer("out", 88, 0)
		s := e.dev.NewSequence("types")
		s.Launch(k, driver.Groups(1), driver.All(out), driver.I8(-1), driver.U8(255), driver.I16(-2), driver.U16(65535),
			driver.I32(-3), driver.U32(1<<31), driver.I64(-4), driver.U64(1<<63), driver.F32(1.5), driver.F64(2.5), driver.Bool(true))
		e.run(s)
		want := []uint64{1<<64 - 1, 255, 1<<64 - 2, 65535, 1<<64 - 3, 1 << 31, 1<<64 - 4, 1 << 63, uint64(math.Float32bits(1.5)), math.Float64bits(2.5), 1}
		got := e.read(out)
		for i, w := range want {
			if g := binary.LittleEndian.Uint64(got[8*i:]); g != w {
				e.Errorf("scalar %d arrived as %#x, want %#x", i, g, w)
			}
		}
	}},
	{"PartIsABufferOfItsOwn", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 1, 2, 3, 4)
		s := e.dev.NewSequence("part")
		s.Launch(k, driver.Groups(1), driver.Part(b, 4, 8), driver.U32(10))
		e.run(s)
		e.equal("b", e.read(b), le(1, 12, 13, 4))
	}},
	{"GridArrives", func(e *env) {
		k := e.compile(grid)
		b := e.words("b", 0, 0, 0)
		s := e.dev.NewSequence("grid")
		s.Launch(k, driver.Grid{2, 3, 4}, driver.All(b))
		e.run(s)
		e.equal("groups", e.read(b), le(2, 3, 4))
	}},
	{"AxisThatIsLeftOutHasOneGroup", func(e *env) {
		k := e.compile(grid)
		b := e.words("b", 0, 0, 0)
		s := e.dev.NewSequence("short")
		st := s.Launch(k, driver.Grid{4}, driver.All(b))
		e.run(s)
		e.equal("groups of Grid{4}", e.read(b), le(4, 1, 1))
		for _, c := range []struct {
			grid driver.Grid
			want []uint32
			text string
		}{{driver.Grid{4, 2}, []uint32{4, 2, 1}, "4×2×1"}, {driver.Grid{3, 0, 2}, []uint32{3, 1, 2}, "3×1×2"}, {driver.Grid{5}, []uint32{5, 1, 1}, "5×1×1"}} {
			e.must(st.SetGrid(c.grid))
			e.run(s)
			e.equal("groups of "+c.text, e.read(b), le(c.want...))
			e.same("total of "+c.text, c.grid.Total(), uint64(c.want[0])*uint64(c.want[1])*uint64(c.want[2]))
			if c.grid.String() != c.text || c.grid.Empty() {
				e.Errorf("%v is empty: %v, want %s, not empty", c.grid, c.grid.Empty(), c.text)
			}
		}
	}},
	{"GridThatSaysNothingIsRefused", func(e *env) {
		k := e.compile(grid)
		b := e.words("b", 9, 9, 9)
		s := e.dev.NewSequence("nothing said")
		st := s.Launch(k, driver.Grid{}, driver.All(b))
		e.fails(s.Prepare(), driver.InvalidArgument, "the grid says nothing", "EmptyGrid")
		e.must(st.SetGrid(driver.EmptyGrid()))
		e.run(s)
		e.fails(st.SetGrid(driver.Grid{}), driver.InvalidArgument, "the grid says nothing")
		_, err := driver.Dispatch(ctx, k, driver.Grid{}, driver.Out(make([]byte, 12)))
		e.fails(err, driver.InvalidArgument, "the grid says nothing")
		e.equal("b", e.read(b), le(9, 9, 9))
	}},
	{"EmptyGridLaunchesNothing", func(e *env) {
		k := e.compile(grid)
		b := e.words("b", 9, 9, 9)
		for _, g := range []driver.Grid{driver.EmptyGrid(), driver.Groups(0), {0, 2, 3}, driver.Cover(0, 64)} {
			s := e.dev.NewSequence("zero")
			s.Launch(k, g, driver.All(b))
			st := e.counted(func() { e.run(s) })
			e.same("launches", st.Get(metric.LaunchesPlain), 0)
			e.same("launches skipped", st.Get(metric.LaunchesSkipped), 1)
			e.must(s.Close())
		}
		e.equal("b", e.read(b), le(9, 9, 9))
	}},
	{"CoverCountsGroups", func(e *env) {
		for _, c := range []struct {
			items uint64
			group uint32
			want  uint32
		}{{1_000_000, 256, 3907}, {0, 256, 0}, {1, 256, 1}, {256, 256, 1}, {257, 256, 2}, {1 << 50, 1, 1<<32 - 1}} {
			if got := driver.Cover(c.items, c.group); got != (driver.Grid{c.want, 1, 1}) {
				e.Errorf("Cover(%d, %d) is %v, want %d groups", c.items, c.group, got, c.want)
			}
		}
	}},
	{"RestGivesTheSharedArrayItsLength", func(e *env) {
		k := e.compile(rest)
		b := e.words("b", 0)
		s := e.dev.NewSequence("rest")
		st := s.Launch(k, driver.Groups(1), driver.All(b), driver.Rest(256))
		e.run(s)
		e.equal("length", e.read(b), le(256))
		e.must(st.SetArg(1, driver.Rest(3)))
		e.run(s)
		e.equal("length after SetArg", e.read(b), le(3))
	}},
	{"GridBarrierKernelRunsWithAllGroupsResident", func(e *env) {
		k := e.compile(together)
		n := uint32(k.Occupancy(0).Cooperative)
		b := e.words("sum", 0)
		s := e.dev.NewSequence("together")
		s.Launch(k, driver.Groups(n), driver.All(b))
		st := e.counted(func() { e.run(s) })
		e.equal("sum", e.read(b), le(n*32))
		e.same("cooperative launches", st.Get(metric.CoopLaunches), 1)
	}},
	{"KernelThatAsksToBeResidentRunsSo", func(e *env) {
		k := e.compile(chained)
		if k.Flags()&driver.Resident == 0 {
			e.Error("it is not resident")
		}
		flag, x := e.words("flag", 0, 0, 0), e.words("x", 0, 0, 0)
		s := e.dev.NewSequence("chained")
		s.Fill(driver.All(flag), 0, 4)
		s.Fill(driver.All(x), 0, 4)
		st := s.Launch(k, driver.Groups(3), driver.All(flag), driver.All(x))
		for round := range 4 { // a device may make a graph of it on the way
			n := e.counted(func() { e.run(s) })
			e.equal("x", e.read(x), le(7, 6, 5))
			e.same("cooperative launches", n.Get(metric.CoopLaunches), 1)
			if round == 1 {
				e.must(st.SetGrid(driver.Groups(3)))
			}
		}
		n := k.Occupancy(0).Cooperative
		e.fails(st.SetGrid(driver.Groups(uint32(n+1))), driver.InvalidArgument, fmt.Sprintf("residency(need=%d,have=%d)", n+1, n))
		if e.dev.Caps().Graphs {
			g := e.capture(s)
			e.run(g)
			e.equal("x of the graph", e.read(x), le(7, 6, 5))
			e.must(g.Close())
		}
	}},
	{"TracesArrive", func(e *env) {
		k := e.compile(tell)
		s := e.dev.NewSequence("tell")
		s.Launch(k, driver.Groups(2))
		res := e.run(s)
		var seen [8]bool
		for _, tr := range res.Traces {
			if tr.Tag != 3 || tr.Count != 1 || tr.Values[0] != tr.Global || tr.Global > 7 {
				e.Fatalf("trace is %+v", tr)
			}
			seen[tr.Global] = true
		}
		if seen != [8]bool{true, true, true, true, true, true, true, true} || len(res.Traces) != 8 {
			e.Errorf("traces are %+v, want one of each invocation", res.Traces)
		}
	}},
	{"RoundsOfALoopShareTheRoomForTraces", func(e *env) {
		k := e.compile(tell)
		s := e.dev.NewSequence("tell twice")
		s.Repeat(2, func() { e.must(s.Launch(k, driver.Groups(1)).SetTrace(5)) })
		for _, p := range []driver.Prepared{s, e.capture(s)} {
			res := e.run(p)
			e.same("traces", uint64(len(res.Traces)), 5)
			e.same("dropped traces", res.TracesDropped, 3)
		}
	}},
	{"KernelSaysWhatItIs", func(e *env) {
		k := e.compile(together)
		if f := k.Flags(); f&driver.Resident == 0 || f&driver.MayTrap != 0 || f&driver.Traces != 0 {
			e.Errorf("flags are %b", f)
		}
		if k.Workgroup() != [3]uint32{32, 1, 1} || k.Label() != "together" || len(k.Signature()) != 1 || k.Device().Name() != e.dev.Name() {
			e.Errorf("kernel is %v %q %v", k.Workgroup(), k.Label(), k.Signature())
		}
		if k.Digest() != e.program(together).Digest() {
			e.Error("the kernel's digest is not the program's")
		}
		r := e.compile(rest)
		if res := r.Resources(); res.Shared != 16 || res.RestElem != 4 {
			e.Errorf("resources are %+v", res)
		}
	}},
	{"AnotherGroupSizeIsAnotherProgram", func(e *env) {
		p := e.program(add)
		k, err := e.dev.Compile(ctx, p, driver.Options{Workgroup: [3]uint32{8, 1, 1}, Label: "small"})
		e.must(err)
		if k.Workgroup() != [3]uint32{8, 1, 1} || k.Digest() == p.Digest() || k.Label() != "small" {
			e.Errorf("kernel is %v %q", k.Workgroup(), k.Label())
		}
		b := e.words("b", make([]uint32, 16)...)
		s := e.dev.NewSequence("resized")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		e.run(s)
		e.equal("b", e.read(b), le(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0))
	}},
	{"AnotherGroupSizeIsRefusedWhereItShows", func(e *env) {
		for text, obstacle := range map[string]string{together: "barrier_add.grid", rest: "shared array fixed", grid: "groups"} {
			_, err := e.dev.Compile(ctx, e.program(text), driver.Options{Workgroup: [3]uint32{8, 1, 1}})
			e.fails(err, driver.Unsupported, "depends on its group size", obstacle)
		}
	}},
	{"MaxRegistersBindsAndChangesNoResult", func(e *env) {
		const bound, lanes, values = 32, 32, 64
		p := e.program(crowded(values))
		x := make([]uint32, lanes*values)
		for i := range x {
			x[i] = uint32(i)
		}
		for _, o := range []driver.Options{{}, {MaxRegisters: bound}} {
			k, err := e.dev.Compile(ctx, p, o)
			if err != nil {
				e.Fatal(err)
			}
			b := e.words("x", x...)
			s := e.dev.NewSequence("crowded")
			s.Launch(k, driver.Groups(1), driver.All(b))
			e.run(s)
			got := e.read(b)
			for v := range values {
				if at := 4 * lanes * v; binary.LittleEndian.Uint32(got[at:]) != uint32(lanes*(values-1-v)) {
					e.Errorf("at most %d registers: value %d is %d, want %d", o.MaxRegisters, v, binary.LittleEndian.Uint32(got[at:]), lanes*(values-1-v))
				}
			}
			if n := k.Resources().Registers; o.MaxRegisters > 0 && n > o.MaxRegisters {
				e.Errorf("%d registers, at most %d were asked for", n, o.MaxRegisters)
			}
		}
	}},
	{"CompileRefusesWhatItCannotDo", func(e *env) {
		_, err := e.dev.Compile(ctx, nil, driver.Options{})
		e.fails(err, driver.InvalidArgument, "program is nil")
		_, err = e.dev.Compile(ctx, e.program(add), driver.Options{Target: "sm_1"})
		e.fails(err, driver.Unsupported, `compile "add"`, "sm_1")
		_, err = e.dev.Compile(ctx, e.program(add), driver.Options{Optimise: "-no_such_pass"})
		e.fails(err, driver.InvalidArgument, `compile "add"`, "no_such_pass")
		_, err = e.dev.Compile(ctx, e.program(add), driver.Options{MaxRegisters: 8})
		e.fails(err, driver.InvalidArgument, `compile "add"`, "8 registers")
	}},
	{"MoreSharedMemoryThanThereIsIsRefusedWithItsPosition", func(e *env) {
		room := e.dev.Caps().SharedOptin
		for _, c := range []struct{ name, arrays, at string }{
			{"one array", fmt.Sprintf("shared @s: u8[%d]", room+1), "drivertest:2:36"},
			{"the larger of two", fmt.Sprintf("shared @a: u8[16]\nshared @s: u8[%d]", room), "drivertest:3:8"},
			{"bytes that a word cannot count", "shared @s: u64[2305843009213693952]", "drivertest:2:36"},
			{"another array after such", "shared @s: u64[2305843009213693952]\nshared @t: u32[1]", "drivertest:2:36"},
		} {
			e.sub(c.name, func(e *env) {
				p := e.program("kernel @much workgroup(4) { " + c.arrays + "\n}")
				_, err := e.dev.Compile(ctx, p, driver.Options{})
				e.fails(err, driver.Unsupported, `compile "much"`, c.at, "kernel=much", fmt.Sprintf(",have=%d)", room))
			})
		}
	}},
}
