package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestSessionOverAResidentGraph(t *testing.T) {
	in := plan.SessionRequest{Graph: [32]byte{1}, GraphBytes: 1 << 20, Runs: 128, FrontierBytes: 4096, ScratchBytes: 65536, OutputBytes: 2048, Budget: 2000000}
	change := func(f func(*plan.SessionRequest)) plan.SessionRequest {
		other := in
		f(&other)
		return other
	}
	base := plan.Session{UploadBytes: 1048576, RefreshBytes: 524288, PeakBytes: 1120256, ReadBytes: 2048, AvoidedUpload: 133169152,
		AvoidedAllocations: 381, AvoidedWaits: 127, Cold: 1, Warm: 127}
	known, staged, kept := base, base, base
	known.AvoidedWaits = 2175
	staged.PeakBytes = 1640448
	kept.PeakBytes = 1900544
	for _, c := range []struct {
		name string
		in   plan.SessionRequest
		want plan.Session
	}{
		{"many runs", in, base},
		{"one run", change(func(s *plan.SessionRequest) { s.Runs = 1 }), plan.Session{UploadBytes: 1048576, RefreshBytes: 4096, PeakBytes: 1120256, ReadBytes: 2048, Cold: 1}},
		{"runs of 16 rounds", change(func(s *plan.SessionRequest) { s.Rounds = 16 }), known},
		{"seeds of all runs at once", change(func(s *plan.SessionRequest) { s.Staged = true }), staged},
		{"and outputs of all runs", change(func(s *plan.SessionRequest) { s.Staged, s.KeepAll = true, true }), kept},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.PlanSession(c.in)
			if err != nil || got != c.want {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
	for _, c := range []struct {
		in   plan.SessionRequest
		kind driver.Kind
		want []string
	}{
		{plan.SessionRequest{}, driver.InvalidArgument, []string{"graph_digest", "graph_bytes", "runs", "budget"}},
		{change(func(s *plan.SessionRequest) { s.Evidence, s.Staged, s.ReadEach = true, true, true }), driver.InvalidArgument, []string{"not_resident"}},
		{change(func(s *plan.SessionRequest) { s.Evidence = true }), driver.InvalidArgument, []string{"not_resident"}},
		{plan.SessionRequest{Graph: [32]byte{1}, GraphBytes: 128, Runs: 1, FrontierBytes: 16, ScratchBytes: 16, OutputBytes: 16, Budget: 127}, driver.OutOfMemory,
			[]string{`over_budget("session", 176, 127)`}},
		{change(func(s *plan.SessionRequest) { s.Runs = math.MaxUint64 }), driver.InvalidArgument, []string{`overflow("session bytes")`}},
	} {
		_, err := plan.PlanSession(c.in)
		refused(t, err, c.kind, c.want...)
	}
}
