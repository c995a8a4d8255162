package conform

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// launchFamilies are about a launch as a whole, and what it leaves beside its buffers.
func launchFamilies() []Family {
	return []Family{
		withFiles("launch", "ids of every invocation, arguments, and the contract of a launch", launchCases),
		fileFamily("trap", "the first trap is recorded, the invocation goes on"),
		withFiles("trace", "records of an invocation; what does not fit is counted", traceCases),
		fileFamily("race", "racy programs are reported, race-free ones are not, benign stores are noted"),
	}
}

// builtinAxes are the builtins that have an axis.
var builtinAxes = []ir.Op{ir.OpLocal, ir.OpGroup, ir.OpGroups, ir.OpGlobal}

// launchCases write down what every invocation knows about itself.
func launchCases() []Case {
	var cases []Case
	for _, s := range []struct{ group, grid [3]uint32 }{
		{[3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}},
		{[3]uint32{1, 1, 1}, [3]uint32{7, 1, 1}},
		{[3]uint32{64, 1, 1}, [3]uint32{5, 1, 1}},
		{[3]uint32{33, 1, 1}, [3]uint32{2, 3, 1}},
		{[3]uint32{16, 16, 1}, [3]uint32{2, 2, 1}},
		{[3]uint32{5, 3, 2}, [3]uint32{2, 3, 4}},
		{[3]uint32{1, 7, 1}, [3]uint32{1, 4, 3}},
		{[3]uint32{3, 1, 64}, [3]uint32{2, 1, 2}},
		{[3]uint32{1024, 1, 1}, [3]uint32{2, 1, 1}},
		{[3]uint32{1, 1024, 1}, [3]uint32{1, 2, 1}},
		{[3]uint32{4, 4, 64}, [3]uint32{1, 1, 2}},
	} {
		cases = append(cases, builtinCase(s.group, s.grid))
	}
	return cases
}

// builtinCase stores all builtins of each invocation side by side, at its linear id.
func builtinCase(group, grid [3]uint32) Case {
	b := build.New("builtins", build.Workgroup(group[:]...))
	y := b.Buffer("y", ir.U32, ir.WO)
	var vals []build.Value
	for axis := range uint32(3) {
		for _, op := range builtinAxes {
			vals = append(vals, b.OpImm(op, axis))
		}
	}
	vals = append(vals, b.Lane(), b.Warp())
	width := func(axis uint32) build.Value { return b.Mul(b.Groups(axis), b.U32(group[axis])) }
	linear := b.Add(b.Global(0), b.Mul(width(0), b.Add(b.Global(1), b.Mul(width(1), b.Global(2)))))
	at := b.Mul(linear, b.U32(uint32(len(vals))))
	for i, v := range vals {
		b.Store(y, b.Add(at, b.U32(uint32(i))), v)
	}

	var want []byte
	size := [3]uint32{grid[0] * group[0], grid[1] * group[1], grid[2] * group[2]}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				var local [3]uint32
				for axis, global := range [3]uint32{x, y, z} {
					local[axis] = global % group[axis]
					for _, v := range []uint32{local[axis], global / group[axis], grid[axis], global} {
						want = binary.LittleEndian.AppendUint32(want, v)
					}
				}
				l := local[0] + group[0]*(local[1]+group[1]*local[2])
				want = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(want, l%32), l/32)
			}
		}
	}
	return Case{Name: fmt.Sprintf("builtins.%dx%dx%d.%dx%dx%d", group[0], group[1], group[2], grid[0], grid[1], grid[2]),
		Program: must(b.Program()), Launch: Launch{Grid: grid, Args: []Arg{{Data: filled(len(want))}}}, Want: [][]byte{want}}
}

// traceCases fill the ring.
func traceCases() []Case {
	b := build.New("overflow", build.Workgroup(64))
	g := b.Global(0)
	b.Trace(3, "", g)
	b.Trace(4, "", b.Cvt(ir.U64, g), g)
	const invocations = 64 * 1000
	check := func(out Outcome) error {
		if total := uint64(len(out.Traces)) + out.Dropped; total != 2*invocations {
			return fmt.Errorf("%d records and %d dropped, want %d in all", len(out.Traces), out.Dropped, 2*invocations)
		}
		if out.Dropped == 0 || len(out.Traces) == 0 {
			return fmt.Errorf("%d records, %d dropped: the ring has no bound, or no room", len(out.Traces), out.Dropped)
		}
		for _, t := range out.Traces {
			whole := t.Tag == 3 && len(t.Values) == 1 || t.Tag == 4 && len(t.Values) == 2 && t.Values[1] == t.Linear
			if !whole || t.Values[0] != t.Linear || t.Linear >= invocations {
				return fmt.Errorf("record %+v was never written so", t)
			}
		}
		return nil
	}
	return []Case{{Name: "overflow", Program: must(b.Program()), Launch: Launch{Grid: [3]uint32{invocations / 64, 1, 1}}, Check: check}}
}
