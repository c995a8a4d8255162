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
	// DefaultSlice is the most rounds of one launch that the device drives, where nothing else is asked: it leaves
	// time for a desktop's watchdog, for progress and for cancelling.
	DefaultSlice = 1 << 20
)

// ConvergenceRequest is what a run to a fixed point may take.
type ConvergenceRequest struct {
	Topology  Topology
	MaxRounds uint64
	FlagBytes uint64 // of the word that says whether anything changed
	Polls     uint64 // that the caller asks for; a topology that the device drives has none
	Batch     uint64 // rounds from one poll to the next where the host drives; 0 is 1
	Slice     uint64 // most rounds of one launch where the device drives; 0 is DefaultSlice
}

// Convergence is how a run finds out that it has ended.
type Convergence struct {
	Topology Topology
	Rounds   uint64 // allowed
	Batch    uint64 // rounds to a poll; 0 if the host does not poll
	Slice    uint64 // rounds to a launch; 0 if the host launches rounds
}

// Progress is what a run comes to whose number of rounds is known.
type Progress struct {
	Converged bool   // else its rounds are spent
	Rounds    uint64 // that did something
	Launched  uint64 // with those behind the end, which find nothing to do
	Polls     uint64
	Slices    uint64 // launches or loops that the device drives
	HostWaits uint64
	ReadBytes uint64
}

const convergenceOp = "plan convergence"

// PlanConvergence decides who looks for the end of a run, and how often. Where the device does, the host waits once a
// slice and reads the record; where the host does, it reads one word every Batch rounds, and the record once.
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
	c := Convergence{Topology: in.Topology, Rounds: in.MaxRounds}
	if driven {
		if c.Slice = in.Slice; c.Slice == 0 {
			c.Slice = DefaultSlice
		}
	} else {
		c.Batch = max(in.Batch, 1)
	}
	return c, nil
}

// After returns what a run comes to that needs this many rounds.
func (c Convergence) After(needed uint64) Progress {
	p := Progress{Converged: needed <= c.Rounds, Rounds: min(needed, c.Rounds)}
	if c.Batch == 0 {
		p.Launched = p.Rounds
		p.Slices = max(ceilDiv(p.Rounds, c.Slice), 1)
		p.HostWaits, p.ReadBytes = p.Slices, driver.Mul(p.Slices, RecordBytes)
		return p
	}
	p.Polls = max(ceilDiv(p.Rounds, c.Batch), 1)
	p.Launched = driver.Mul(p.Polls, c.Batch)
	p.HostWaits = p.Polls + 1
	p.ReadBytes = driver.Mul(p.Polls, FlagBytes)
	if sum, ok := add(p.ReadBytes, RecordBytes); ok {
		p.ReadBytes = sum
	}
	return p
}
