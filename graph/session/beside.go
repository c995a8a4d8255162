package session

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// decision is what answers a query alone, and why.
type decision struct {
	engine       Engine
	queries      int     // of a batch, that the native engine answers beside kernels
	host, device float64 // nanoseconds of a query, if they were compared
	source       string  // of these: costs, evidence; else default
	reason       string  // one of those below
}

// Why a decision is what it is.
const (
	becauseAsked        = "asked"        // by Options
	becauseHost         = "device"       // it is that of the host's cores
	becauseParts        = "parts"        // the graph is in parts, for which nothing was measured
	becauseUncalibrated = "uncalibrated" // nothing was measured
	becauseSize         = "size"         // no graph of this size was measured on the host
	becauseFastest      = "fastest"      // by what was measured
)

// String returns a line that says the decision with the numbers behind it, stable from one version to the next.
func (d decision) String() string {
	return fmt.Sprintf("engine-v1|engine=%v|queries=%d|host=%.0f|device=%.0f|source=%s|reason=%s", d.engine, d.queries, d.host, d.device, d.source, d.reason)
}

// nativeWay is the way of the native engine in a history.
var nativeWay = plan.Offered{Name: NativeEngine.String(), Version: 1}

// decide says what answers searches: what was asked for, else what was measured to take less time. Batches of more queries
// than one are expected to take that many times as long on the host, and no longer on the device.
func (s *set) decide() decision {
	d := decision{engine: WavesEngine, source: "default", reason: becauseUncalibrated}
	if s.host != nil {
		d.engine = NativeEngine
	}
	k, whole := s.device.(*kernels)
	switch {
	case s.device != nil && !whole:
		d.reason = becauseParts
		return d
	case s.o.Engine != AutoEngine, !s.free:
		d.reason = becauseAsked
		return d
	case s.host != nil:
		d.reason = becauseHost
		return d
	}
	own, other, known := uint64(0), uint64(0), false
	if s.o.Expected != nil && !s.symmetric { // where labels answer, and were not tried
		own, other, known = k.one.Against(s.o.Expected, nativeWay)
	}
	if known {
		d.host, d.device, d.source = float64(other), float64(own), "evidence"
	} else if !d.predict(k) {
		return d
	}
	d.reason = becauseFastest
	if d.queries = int(min(d.device/max(d.host, 1), math.MaxInt32)); d.queries > 0 {
		d.engine = NativeEngine
		s.beside = beside{newNative(s.runner, d.String()), d.queries}
	}
	return d
}

// predict compares by costs, and reports whether there are any: what a search of all of the graph takes on the host at
// most, and a tenth more, with what a query is predicted to take on the device, or any query at least.
func (d *decision) predict(s *kernels) bool {
	costs, w := s.o.Costs, plan.Workload{}
	if s.o.Expected != nil {
		w = s.o.Expected.Workload
	}
	if costs == nil && (w.Runs > 0 || w.DrainNS > 0) {
		costs = megakernel.KeptCosts(s.dev)
	}
	if s.symmetric { // labels answer, in one launch, and nobody observed those
		w = plan.Workload{}
	}
	if costs == nil {
		return false
	}
	host, known := measuredHost().search(s.g.Nodes(), s.g.Arcs())
	if !known {
		d.reason = becauseSize
		return false
	}
	d.host, d.device, d.source = 1.1*host, s.one.Takes(costs, w), "costs"
	if s.symmetric && s.dev.Caps().GridBarrier {
		d.device = min(d.device, costs.CoopRead)
	}
	return true
}

// tryNative answers a query on the host's cores as often as a trial does, and takes the times into h, which has those of kernels.
func (s *set) tryNative(ctx context.Context, q Query, h *megakernel.History) error {
	const warm = 3
	n := newNative(s.runner, "")
	h.Begin(h.Programs, nativeWay, 0, 0)
	for k := range warm + megakernel.TrialRuns {
		began := time.Now()
		if err := n.alone(ctx, q, &Reached{}); err != nil {
			return err
		}
		if k >= warm {
			h.Ran(nativeWay.Name, uint64(max(time.Since(began), 1)), 0)
		}
	}
	return nil
}
