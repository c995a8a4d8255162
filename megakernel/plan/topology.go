package plan

import "fmt"

// Topology says who drives the rounds of a run.
type Topology uint8

// The topologies.
const (
	NoTopology    Topology = iota // none chosen
	HostLoop                      // the host reads a word after each round
	BackToBack                    // launches of several rounds, then a word
	CapturedGraph                 // the same, captured and replayed
	WhileNode                     // a graph whose loop the device decides on
	Cooperative                   // one launch of the fused program
)

var topologyNames = [...]string{"none", "host-loop", "back-to-back", "captured-graph", "while-node", "cooperative"}

func (t Topology) String() string { return nameOf(topologyNames[:], uint8(t), "topology") }

// DeviceDriven reports whether the device decides about the next round, so that the host waits for the end only.
func (t Topology) DeviceDriven() bool { return t == WhileNode || t == Cooperative }

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
