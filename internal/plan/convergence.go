package plan

import (
	"fmt"

	"github.com/govyre/vyre/driver"
)

const (
	// FlagBytes is the size of the word that a loop of the host tests.
	FlagBytes = 4
	// RecordBytes is the size of the record that tells how a run ended.
	RecordBytes = 64
	// DefaultSlice is the most rounds of a slice where nothing else is asked: between two slices there is time for a
	// desktop's watchdog, for progress and for cancelling.
	DefaultSlice = 1 << 20
)

// ConvergenceRequest is what a run to a fixed point may take.
type ConvergenceRequest struct {
	Topology  Topology
	MaxRounds uint64
	FlagBytes uint64 // of the word that says whether anything changed
	Polls     uint64 // that the caller asks for; a topology that the device drives has none
	Batch     uint64 // rounds from one poll to the next where the host enqueues several; 0 is 1
	Slice     uint64 // most rounds until the host reads the record; 0 is DefaultSlice
}

// Convergence is how a run finds out that it has ended.
type Convergence struct {
	Topology Topology
	Rounds   uint64 // allowed
	Batch    uint64 // rounds to a poll; 0 if the host does not poll
	Slice    uint64 // rounds to a record
}

// Progress is what a run comes to whose number of rounds is known.
type Progress struct {
	Converged bool   // else its rounds are spent
	Rounds    uint64 // that did something
	Launched  uint64 // with those after the end, which find nothing to do
	Polls     uint64 // looks of the host between the first round of a slice and its end
	Slices    uint64 // each begins with a launch, and ends with a read of the record
	HostWaits uint64
	ReadBytes uint64 // by commands: the word that a loop of the host tests is none
}

const convergenceOp = "plan convergence"

// PlanConvergence decides who looks for the end of a run, and how often. Where the device does, the host waits once a
// slice, and reads the record. Where the host does, it waits for a word every Batch rounds, and besides for the beginning
// and the end of each slice.
//
// Errors: empty_budget, flag_width, polled, no_topology; all that there are, as driver.Problems.
func PlanConvergence(in ConvergenceRequest) (Convergence, error) {
	var ps driver.Problems
	refuse := func(path, msg, fix string, r Reason) {
		r.Index = -1
		ps = append(ps, Refusal(convergenceOp, driver.InvalidArgument, path, msg, fix, r))
	}
	if in.Topology == Auto || in.Topology > Cooperative {
		refuse("topology", fmt.Sprintf("%v drives no rounds", in.Topology), "choose one, or let Select choose",
			Reason{Code: "no_topology", What: in.Topology.String()})
	}
	if in.MaxRounds == 0 {
		refuse("rounds", "no round is allowed", "allow at least one", Reason{Code: "empty_budget"})
	}
	if in.FlagBytes != FlagBytes {
		refuse("flag", fmt.Sprintf("the word that says whether anything changed has %d bytes", in.FlagBytes), "make it a u32",
			Reason{Code: "flag_width", Numbers: []uint64{in.FlagBytes, FlagBytes}})
	}
	driven := in.Topology.DeviceDriven()
	if driven && in.Polls > 0 {
		refuse("polls", fmt.Sprintf("%d polls of a run that the device drives (%v)", in.Polls, in.Topology), "ask for none, or take a topology that the host drives",
			Reason{Code: "polled", Numbers: []uint64{in.Polls}})
	}
	if len(ps) > 0 {
		return Convergence{}, ps
	}
	c := Convergence{Topology: in.Topology, Rounds: in.MaxRounds, Slice: in.Slice}
	if c.Slice == 0 {
		c.Slice = DefaultSlice
	}
	switch {
	case in.Topology == HostLoop:
		c.Batch = 1
	case !driven:
		c.Batch = max(in.Batch, 1)
	}
	return c, nil
}

// After returns what a run comes to that needs this many rounds. Sums beyond 64 bits stay at the largest number.
func (c Convergence) After(needed uint64) Progress {
	p := Progress{Converged: needed <= c.Rounds, Rounds: min(needed, c.Rounds)}
	p.Slices = max(ceilDiv(p.Rounds, c.Slice), 1)
	p.Launched, p.HostWaits, p.ReadBytes = max(p.Rounds, 1), p.Slices, driver.Mul(p.Slices, RecordBytes)
	if c.Batch == 0 {
		return p
	}
	whole := p.Slices - 1 // slices before the last one
	p.Polls = capped(driver.Mul(whole, ceilDiv(c.Slice, c.Batch)), max(ceilDiv(p.Rounds-whole*c.Slice, c.Batch), 1))
	p.Launched = driver.Mul(p.Polls, c.Batch)
	p.HostWaits = capped(p.Polls, driver.Mul(p.Slices, 2))
	if c.Topology != HostLoop {
		p.ReadBytes = capped(p.ReadBytes, driver.Mul(p.Polls, FlagBytes))
	}
	return p
}
