package plan

import (
	"slices"

	"github.com/govyre/vyre/driver"
)

// SessionRequest is what many runs over one resident graph are planned from.
type SessionRequest struct {
	Graph         [32]byte // digest
	GraphBytes    uint64
	Runs          uint64
	FrontierBytes uint64 // seeds of a run
	ScratchBytes  uint64
	OutputBytes   uint64 // of a run
	Budget        uint64
	Rounds        uint64 // of a run; 0 if unknown

	ReadEach bool // each run's output is read after it, not only the last
	KeepAll  bool // outputs of all runs stay on the device, not only the last
	Staged   bool // seeds of all runs are uploaded before the first
	Evidence bool // the runs are to be compared with ones that keep nothing
}

// Session is what the runs take, and what they do without against runs that keep nothing between them and are driven
// by the host.
type Session struct {
	UploadBytes  uint64 // of the graph
	RefreshBytes uint64 // of seeds
	PeakBytes    uint64
	ReadBytes    uint64

	AvoidedUpload      uint64 // bytes of the graph
	AvoidedAllocations uint64
	AvoidedWaits       uint64
	Cold, Warm         uint64 // runs
}

const sessionOp = "plan session"

// PlanSession adds up a session.
//
// Errors: graph_digest, graph_bytes, runs, budget, and not_resident of evidence, all that there are, as driver.Problems;
// then overflow, over_budget "session".
func PlanSession(in SessionRequest) (Session, error) {
	if ps := in.check(); len(ps) > 0 {
		return Session{}, ps
	}
	s := Session{UploadBytes: in.GraphBytes, Cold: 1, Warm: in.Runs - 1}
	times := func(all bool, n uint64) uint64 {
		if all {
			return n
		}
		return 1
	}
	var ok [9]bool
	var frontiers, outputs, waits uint64
	frontiers, ok[7] = mul(in.FrontierBytes, times(in.Staged, in.Runs))
	outputs, ok[8] = mul(in.OutputBytes, times(in.KeepAll, in.Runs))
	s.RefreshBytes, ok[0] = mul(in.FrontierBytes, in.Runs)
	s.ReadBytes, ok[1] = mul(in.OutputBytes, times(in.ReadEach, in.Runs))
	s.PeakBytes, ok[2] = add(in.GraphBytes, frontiers, in.ScratchBytes, outputs)
	s.AvoidedUpload, ok[3] = mul(s.Warm, in.GraphBytes)
	s.AvoidedAllocations, ok[4] = mul(s.Warm, 3) // graph, state, output
	waits, ok[5] = add(in.Rounds, 1)
	s.AvoidedWaits, ok[6] = mul(in.Runs, waits)
	s.AvoidedWaits-- // the one at the end stays
	if slices.Contains(ok[:], false) {
		return Session{}, Overflow(sessionOp, "runs", "session bytes", -1)
	}
	if s.PeakBytes > in.Budget {
		return Session{}, OverBudget(sessionOp, "session", "session", -1, s.PeakBytes, in.Budget, "raise the budget, or stage and keep less")
	}
	return s, nil
}

func (in *SessionRequest) check() (ps driver.Problems) {
	refuse := func(wrong bool, code, path, msg, fix string) {
		if wrong {
			ps = append(ps, Refusal(sessionOp, driver.InvalidArgument, path, msg, fix, Reason{Code: code, Index: -1}))
		}
	}
	refuse(in.Graph == [32]byte{}, "graph_digest", "graph", "it has no digest", "give the digest of its bytes")
	refuse(in.GraphBytes == 0, "graph_bytes", "graph", "it has no bytes", "give the bytes of its layout")
	refuse(in.Runs == 0, "runs", "runs", "there are none", "ask for one at least")
	refuse(in.Budget == 0, "budget", "budget", "there is none", "give the bytes that the session may have")
	refuse(in.Evidence && (in.ReadEach || !in.Staged), "not_resident", "session", "runs that upload seeds or read results are no evidence of residency",
		"stage the seeds and read the last output only")
	return ps
}
