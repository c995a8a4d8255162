package plan

import "fmt"

// Topology says who drives the rounds.
type Topology uint8

// The topologies. All leave the same bits; only waves that need no rounds can be drained.
const (
	Auto        Topology = iota // none chosen, or none asked for
	HostLoop                    // the host reads a word before every round
	BackToBack                  // rounds are enqueued one after another, and the host looks now and then
	Captured                    // the same as a captured graph
	DeviceLoop                  // a graph in which the device decides whether to launch the next round
	Cooperative                 // one launch holds all rounds, with barriers of the grid between groups
	Drained                     // one launch without rounds
)

var topologyNames = [...]string{"auto", "host loop", "back-to-back", "captured graph", "device loop", "cooperative", "drained"}

func (t Topology) String() string { return nameOf(topologyNames[:], uint8(t), "topology") }

// DeviceDriven reports whether the device decides about the next round, so that the host waits for the end only.
func (t Topology) DeviceDriven() bool { return t >= DeviceLoop }

// Shape says how a round treats its frontier.
type Shape uint8

// The shapes, from few items to many.
const (
	NoShape    Shape = iota // none chosen
	WarpSparse              // a warp walks the row of an item
	Sparse                  // a list of items
	Hybrid                  // a list or a bitset
	Dense                   // a bitset over all nodes
	BlockDense              // the same, a block of nodes at a time
)

var shapeNames = [...]string{"none", "warp-sparse", "sparse", "hybrid", "dense", "block-dense"}

func (s Shape) String() string { return nameOf(shapeNames[:], uint8(s), "shape") }

func nameOf(names []string, i uint8, what string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", what, i)
}
