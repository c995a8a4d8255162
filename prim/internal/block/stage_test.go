package block

import (
	"testing"

	"github.com/govyre/vyre/gpu"
)

// An access of 16 bytes a lane is served for 8 lanes at once, which must be in different banks: 16 bytes of 128.
func TestLanesThatAreServedTogetherMeetInNoBank(t *testing.T) {
	for name, cells := range map[string]Cells[uint64]{"pairs": {Pairs: make([][2]uint64, ScanPairs)}, "quads": {Quads: make([][4]uint64, Quads)}} {
		rows := rowsOf(cells)
		for r := range rows {
			for way, at := range map[string]func(th gpu.Thread) uint32{
				"across": func(th gpu.Thread) uint32 { return acrossAt(th, cells, r) },
				"along":  func(th gpu.Thread) uint32 { return alongAt(th, cells, r) },
			} {
				banks := make([]uint32, Threads)
				gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: Threads}}, func(th gpu.Thread) {
					banks[th.Local().X] = at(th) % 8
				})
				for first := 0; first < Threads; first += 8 {
					met := make(map[uint32]bool)
					for _, b := range banks[first : first+8] {
						met[b] = true
					}
					if len(met) != 8 {
						t.Errorf("%s, row %d, %s: invocations from %d on are in banks %v", name, r, way, first, banks[first:first+8])
					}
				}
			}
		}
	}
}
