package plan

import (
	"math"
	"time"

	"github.com/govyre/vyre/driver"
)

// Costs are times of a device, measured on it, in nanoseconds.
type Costs struct {
	Launch      float64        // enqueueing one more launch, or running it if that takes longer
	LaunchRead  float64        // a launch, a read of 4 bytes and the wait for it
	GraphNode   float64        // one more node of a captured graph
	GraphRead   float64        // a replay, a read and the wait
	LoopStart   float64        // a loop of the device that runs no round, a read and the wait
	LoopRound   float64        // a round of it, without its nodes
	CoopRead    float64        // a cooperative launch, a read and the wait
	EmptyTail   float64        // a round of the fused program in one block that finds nothing to do
	GridBarrier [4]BarrierCost // a group of the fused program that finds nothing to do, with its barrier

	// What arcs.Turn weighs, from 1 to 64: an arc forward, in quarters of a look backward, and a node that a round backward
	// passes, in sixteenths of one. 0 was not measured.
	Forward, Scan uint32
}

// BarrierCost is the time of a grid barrier among this many blocks. Costs holds them by rising number of blocks; those
// without blocks were not measured.
type BarrierCost struct {
	Blocks int
	NS     float64
}

// CostsOf returns what the costs of a device, which knows no programs of rounds, say of them: a round takes no more than
// its launch or its barrier. Loops of the device have no time.
func CostsOf(c *driver.Costs, units int) *Costs {
	ns := func(d time.Duration) float64 { return float64(d) }
	return &Costs{Launch: ns(c.Enqueue), LaunchRead: ns(c.LaunchRead), GraphNode: ns(c.GraphNode), GraphRead: ns(c.GraphRead), CoopRead: ns(c.LaunchRead),
		EmptyTail: ns(c.GridBarrier), GridBarrier: [4]BarrierCost{{units, ns(c.GridBarrier)}}}
}

// Loops reports whether the time of a loop of the device is known.
func (c *Costs) Loops() bool { return c.LoopStart+c.LoopRound > 0 }

// Barrier returns the time of a grid barrier, on the line between the two measured numbers of blocks beside it.
func (c *Costs) Barrier(blocks int) float64 {
	var below BarrierCost
	for _, m := range c.GridBarrier {
		if m.Blocks == 0 {
			break
		}
		if m.Blocks >= blocks {
			if below.Blocks == 0 {
				return m.NS
			}
			return below.NS + (m.NS-below.NS)*float64(blocks-below.Blocks)/float64(m.Blocks-below.Blocks)
		}
		below = m
	}
	return below.NS
}

// Workload is what runs of one analysis over one graph on one device came to, averaged.
type Workload struct {
	Rounds     float64
	TailRounds float64 // of them in one block
	GroupNS    float64 // device time of one group's work
	Runs       uint64  // averaged; 0 is the first run, of which only GroupNS can be known

	DrainNS float64 // time of a run without rounds; 0 if there was none. It is none of Runs
}

// firstRounds is how many rounds a run is taken to have before there was one.
const firstRounds = 8

// Observe takes a run into the averages, with a quarter of the weight, or all of it if it is the first, and returns that.
func (w *Workload) Observe(rounds, tailRounds, groupNS float64) (weight float64) {
	weight = 0.25
	if w.Runs == 0 {
		weight = 1
	}
	w.Rounds += weight * (rounds - w.Rounds)
	w.TailRounds += weight * (tailRounds - w.TailRounds)
	w.GroupNS += weight * (groupNS - w.GroupNS)
	w.Runs++
	return weight
}

// ObserveDrain takes a run without rounds into the average of those.
func (w *Workload) ObserveDrain(ns float64) {
	weight := 0.25
	if w.DrainNS == 0 {
		weight = 1
	}
	w.DrainNS += weight * (ns - w.DrainNS)
}

// expected is what the next run is taken to be.
func (w Workload) expected() Workload {
	if w.Runs == 0 {
		w.Rounds, w.TailRounds = firstRounds, 0
	}
	return w
}

// Predict returns the time of a run in nanoseconds. Batch is the rounds to a poll where the host drives, blocks those
// of a cooperative launch.
func (c *Costs) Predict(t Topology, batch uint64, blocks, groups int, w Workload) float64 {
	w = w.expected()
	g, k := float64(groups), float64(max(batch, 1))
	polls := math.Ceil(w.Rounds / k)
	work := w.Rounds * g * w.GroupNS
	switch t {
	case HostLoop, BackToBack:
		// A launch behind another costs the device a node's time, or the host more if enqueueing it takes longer than
		// the group before it runs.
		return polls*c.LaunchRead + polls*(k*g-1)*max(c.Launch-w.GroupNS, c.GraphNode) + work
	case Captured:
		return polls*(c.GraphRead+k*g*c.GraphNode) + work
	case DeviceLoop:
		return c.LoopStart + w.Rounds*(c.LoopRound+g*c.GraphNode) + work
	case Cooperative:
		return c.CoopRead + (w.Rounds-w.TailRounds)*g*c.Barrier(blocks) + w.TailRounds*c.EmptyTail + work
	}
	return math.Inf(1)
}
