package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

const n = 300 // items: no multiple of a group

// TestStagesAreJoined looks at each way for stages to follow one another, and at what it saves.
func TestStagesAreJoined(t *testing.T) {
	type call = func(x, y driver.Range) []pipeline.Stage
	for _, c := range []struct {
		name     string
		items    uint32
		stages   call
		launches int
		bytes    uint64   // that temps need
		stores   int64    // that fusion saves
		says     []string // in what Explain says
	}{
		{"each item its own element", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Shift", n, temp(1, n), temp(2, n), driver.U32(5)), stage("Scale", n, temp(2, n), y, driver.U32(7))}
		}, 1, 0, 2 * n, []string{"stage 2 Scale (300 items): launch 0, inlined\n", "1 launches for 3 stages, 0 bytes for 2400"}},
		{"from the end, twice", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Mirror", n, x, temp(1, n)), stage("Mirror", n, x, temp(1, n)), stage("Mirror", n, temp(1, n), y)}
		}, 1, 4 * n, 0, []string{"after a barrier; not inlined: the index of the load of temp 1 in stage 2 Mirror", "grows by 1 from item to item, elsewhere by -1 [index]"}},
		{"two elements an item", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Pairs", n, x, temp(1, 2*n)), stage("Join", n, temp(1, 2*n), y)}
		}, 1, 0, 2 * n, nil},
		{"a neighbour's element", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Neighbour", n, temp(1, n), y)}
		}, 1, 4 * n, 0, []string{"after a barrier; not inlined: the load of temp 1 in stage 1 Neighbour at stages.go:", "goes to an element of another item [index]"}},
		{"stored for some", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Even", n, x, temp(1, n)), stage("Shift", n, temp(1, n), y, driver.U32(1))}
		}, 1, 0, 0, []string{"0 bytes for 1200"}},
		{"a temp that is read again", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Shift", n, temp(1, n), temp(2, n), driver.U32(5)), stage("Neighbour", n, temp(2, n), temp(3, n)), stage("Join", n/2, temp(3, n), y), stage("Join", n/2, temp(1, n), y)}
		}, 1, 12 * n, 0, nil},
		{"in place", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, y, driver.U32(3)), stage("Shift", n, y, temp(1, n), driver.U32(5)), stage("Scale", n, temp(1, n), y, driver.U32(5))}
		}, 1, 0, n, nil},
		{"other items", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Join", n/2, temp(1, n), y)}
		}, 1, 4 * n, 0, []string{"it runs for 150 items, and stage 0 Scale for 300 [items]"}},
		{"an atomic", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", 1, x, y, driver.U32(0)), stage("Scale", n, x, temp(1, n), driver.U32(3)), stage("Count", n, temp(1, n), y), stage("Shift", n, y, temp(2, n), driver.U32(1))}
		}, 1, 0, 0, []string{"stage 2 Count (300 items): launch 0, inlined", "is more than a load or a store of one element [access]"}},
		{"narrow elements", n, func(x, y driver.Range) []pipeline.Stage {
			b := megakernel.Temp{ID: 1, Bytes: n}
			return []pipeline.Stage{stage("Bytes", n, x, b), stage("Wide", n, b, y)}
		}, 1, n, 0, []string{"stage 1 Wide (300 items): launch 0, inlined"}},
		{"groups", 256, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Shift", 256, x, temp(1, 256), driver.U32(5)), stage("Rotate", 4, temp(1, 256), temp(2, 256)), stage("Scale", 256, temp(2, 256), y, driver.U32(3))}
		}, 1, 2048, 0, []string{"it runs in groups of its own [form]", "stage 1 Rotate runs in groups of its own [form]"}},
		{"groups with shared memory of a length that is given", 256, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Rotate", 4, x, temp(1, 256)), stage("Turned", 4, temp(1, 256), temp(2, 256), driver.Rest(48)), stage("Turned", 4, temp(2, 256), y, driver.Rest(64))}
		}, 1, 2048, 0, []string{"stage 2 Turned (4 groups): launch 0, after a barrier"}},
		{"groups of other sizes", 256, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Rotate", 4, x, temp(1, 256)), stage("Wider", 2, temp(1, 256), y)}
		}, 2, 1024, 0, []string{"another launch: its groups are of another size than those of stage 0 Rotate [layout]"}},
		{"a barrier of the grid", 256, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", 256, x, temp(1, 256), driver.U32(3)), stage("Neighbour", 256, temp(1, 256), temp(2, 256)), stage("Whole", 4, temp(2, 256), temp(3, 256)), stage("Neighbour", 256, temp(3, 256), y)}
		}, 3, 3072, 0, []string{"stage 2 Whole (4 groups): launch 1", "another launch: it has a barrier of the grid [F2]", "stage 3 Neighbour (256 items): launch 2"}},
		{"prints", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Say", n, x, temp(1, n)), stage("Say", n, temp(1, n), y)}
		}, 1, 4 * n, 0, []string{"[traces]"}},
		{"parts that share bytes", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", n/2, x, driver.Part(y.Buffer, 0, 2*n), driver.U32(3)), stage("Scale", n/2, x, driver.Part(y.Buffer, n, 2*n), driver.U32(4))}
		}, 1, 0, 0, []string{"and one of them is written [overlap]"}},
		{"elements of two types", n, func(x, y driver.Range) []pipeline.Stage {
			b := megakernel.Temp{ID: 1, Bytes: n}
			return []pipeline.Stage{stage("Bytes", n, x, b), stage("Shift", n/4, b, y, driver.U32(1))}
		}, 2, n, 0, []string{"another launch: it is a buffer of u32 here and a buffer of u8 in another wave [F7]"}},
		{"elements of two types, for as many items", n, func(x, y driver.Range) []pipeline.Stage {
			b := megakernel.Temp{ID: 1, Bytes: n}
			return []pipeline.Stage{stage("Bytes", n, x, b), stage("Shift", n, b, y, driver.U32(1))}
		}, 2, n, 0, []string{"not inlined: temp 1 is read by different element types [elements]"}},
		{"a narrow scalar", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Signed", n, x, temp(1, n), driver.I8(-3)), stage("Neighbour", n, temp(1, n), y)}
		}, 1, 4 * n, 0, nil},
		{"no items", n, func(x, y driver.Range) []pipeline.Stage {
			return []pipeline.Stage{stage("Scale", 0, x, temp(1, n), driver.U32(3)), stage("Shift", 0, temp(1, n), y, driver.U32(3))}
		}, 1, 0, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, dev := range devices(t) {
				x, y := dev.buffer(numbers(int(c.items))...), dev.buffer(make([]uint32, c.items)...)
				apart := dev.run(pipeline.Options{Fusion: pipeline.Separate}, c.stages(x, y)...)
				want := dev.read(y)
				dev.write(y, make([]uint32, c.items))
				barriers := dev.run(pipeline.Options{Fusion: pipeline.Barriers}, c.stages(x, y)...)
				if got := dev.read(y); !slices.Equal(got, want) {
					t.Errorf("%s: with barriers\n%v, want\n%v\n%s", dev.Name(), got, want, barriers.p.Explain())
				}
				dev.write(y, make([]uint32, c.items))
				fused := dev.run(pipeline.Options{}, c.stages(x, y)...)
				says := fused.p.Explain()
				if got := dev.read(y); !slices.Equal(got, want) {
					t.Errorf("%s: fused\n%v, want\n%v\n%s", dev.Name(), got, want, says)
				}
				if got := fused.p.Launches(); got != c.launches || apart.p.Launches() != len(c.stages(x, y)) {
					t.Errorf("%s: %d launches, want %d\n%s", dev.Name(), got, c.launches, says)
				}
				have, all := fused.p.TempBytes()
				if need, of := apart.p.TempBytes(); have != c.bytes || need > of || of != all {
					t.Errorf("%s: %d bytes of %d, want %d\n%s", dev.Name(), have, all, c.bytes, says)
				}
				if c.stores > 0 && apart.stores-fused.stores != c.stores && apart.stores > 0 {
					t.Errorf("%s: %d stores fused and %d apart, want %d fewer\n%s", dev.Name(), fused.stores, apart.stores, c.stores, says)
				}
				for _, s := range c.says {
					if !strings.Contains(says, s) {
						t.Errorf("%s: %q is not in\n%s", dev.Name(), s, says)
					}
				}
			}
		})
	}
}
