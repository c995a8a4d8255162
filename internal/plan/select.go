package plan

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
)

// Sample is what the last run of an analysis showed.
type Sample struct {
	DispatchNS    float64 // time of one round's launch
	Density       float64 // items of the frontier for each node, from the record; never the use of threads
	ReadbackBytes uint64
}

// Offers says which topologies a device has beside the loop of the host and back-to-back launches.
type Offers struct {
	Graphs      bool
	LoopNodes   bool
	GridBarrier bool
}

// SelectRequest is what shape and topology are chosen from.
type SelectRequest struct {
	Sample       Sample
	Nodes, Edges uint64
	OverheadNS   float64 // of a launch
	Fusion       float64 // 0 to 1: how much one launch for everything is wanted

	// Required is what the plan needs whatever its shape and topology; Estimate, if there is one, says it for each.
	Required, Budget uint64
	Estimate         *MemoryRequest

	Device Offers
	Only   Topology // the caller's wish; Auto if there is none

	Previous Previous // zero on the first run

	Costs    *Costs // nil before the device is calibrated
	Workload Workload
	Groups   int // of waves in a round
	Blocks   int // of a cooperative launch
}

// Previous is what the last run took.
type Previous struct {
	Shape    Shape
	Topology Topology
}

// Candidate is a topology with its predicted time.
type Candidate struct {
	Topology Topology
	Batch    uint64 // rounds to a poll; 0 if the device drives
	NS       float64
}

// Decision is a shape and a topology, and why.
type Decision struct {
	Shape    Shape
	Topology Topology
	Batch    uint64 // rounds to a poll; 0 if the device drives
	Blocks   int    // of a cooperative launch, else 0

	Required uint64 // bytes of what was chosen
	Pressure uint64 // part of the budget that this takes, in 1/10000
	Degree   uint64 // average, in 1/10000
	Launch   uint64 // overhead of a launch as part of its time, in 1/10000
	Measured bool   // by measured costs, not by the documented default
	Reason   string // one of the Because constants

	Candidates [10]Candidate // with their times if Measured; the rest is zero
}

// Why a decision is what it is.
const (
	BecausePressure = "memory-pressure"  // little memory is left
	BecauseMemory   = "candidate-memory" // what came first needs too much of it
	BecauseFusion   = "fusion"           // launches and readback weigh enough
	BecauseDensity  = "density"          // of the frontier, and the degree
	BecauseKept     = "hysteresis"       // the previous decision is near enough
	BecauseFastest  = "fastest"          // by measured costs
	BecauseTenth    = "within-a-tenth"   // the fastest is too little faster than the previous one
	BecauseAsked    = "asked"            // by the caller
)

// Explain returns a line that says the decision with the numbers behind it, stable from one version to the next.
func (d *Decision) Explain() string {
	source := "default"
	if d.Measured {
		source = "measured"
	}
	return fmt.Sprintf("topology-v2|shape=%v|topology=%v|k=%d|blocks=%d|pressure=%d|degree=%d|launch=%d|source=%s|reason=%s",
		d.Shape, d.Topology, d.Batch, d.Blocks, d.Pressure, d.Degree, d.Launch, source, d.Reason)
}

// Thresholds of the documented default. Parts of a whole are in 1/10000.
const (
	mostPressure     = 9000 // of any plan but Sparse
	mostPressureCoop = 8500
	keepSparse       = 8750 // a sparse plan stays sparse from here
	keepCoop         = 8750

	defaultBatch = 16 // rounds to a poll of a topology that is asked for before anything was measured
)

const selectOp = "select topology"

// Select chooses how a round treats its frontier and who drives the rounds. The shape comes from the density of the
// frontier and the degree of the graph. The topology is the one with the least predicted time where costs were measured
// on the device, and the documented default otherwise: the loop of the host, or one cooperative launch where launches
// and readback weigh enough. Decisions near the previous one keep it. A candidate is judged by its own memory.
//
// Errors: no_topology if the device lacks the one that is asked for; those of PlanMemory.
func Select(in SelectRequest) (Decision, error) {
	if in.Only != Auto && !in.Device.has(in.Only) {
		return Decision{}, Refusal(selectOp, driver.Unsupported, "topology", fmt.Sprintf("%v is not what this device can drive rounds by", in.Only),
			"take another topology, or none to let the plan choose", Reason{Code: "no_topology", Index: -1, What: in.Only.String()})
	}
	s := selection{in: in}
	s.derive()
	if err := s.chooseShape(); err != nil {
		return Decision{}, err
	}
	if err := s.chooseTopology(); err != nil {
		return Decision{}, err
	}
	return s.out, nil
}

// has reports whether a device can run a topology.
func (o Offers) has(t Topology) bool {
	switch t {
	case HostLoop, BackToBack:
		return true
	case Captured:
		return o.Graphs
	case DeviceLoop:
		return o.LoopNodes
	case Cooperative:
		return o.GridBarrier
	}
	return false
}

// selection is a decision in the making.
type selection struct {
	in              SelectRequest
	out             Decision
	density, fusion float64
}

func (s *selection) derive() {
	s.density, s.fusion = unit(s.in.Sample.Density), unit(s.in.Fusion)
	if s.in.Nodes > 0 {
		s.out.Degree = share(s.in.Edges, s.in.Nodes, 10000)
	}
	s.out.Launch = launchPressure(s.in.OverheadNS, s.in.Sample.DispatchNS)
}

// unit brings x between 0 and 1; what is not finite is 0.
func unit(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return min(max(x, 0), 1)
}

// launchPressure is the overhead of a launch as part of its time, in 1/10000.
func launchPressure(overhead, cost float64) uint64 {
	part := max(overhead, 0) / cost * 10000
	if !(cost > 0) || math.IsInf(cost, 0) || math.IsNaN(part) || math.IsInf(part, 0) {
		return 0
	}
	return uint64(math.Round(min(part, 1<<62)))
}

// need returns the bytes of a candidate and its part of the budget.
func (s *selection) need(shape Shape, topology Topology) (required, part uint64, err error) {
	if s.in.Estimate == nil {
		return s.in.Required, pressure(s.in.Required, s.in.Budget), nil
	}
	m, err := s.in.Estimate.need(shape, topology)
	return m.Required, pressure(m.Required, s.in.Estimate.Budget), err
}

// chooseShape applies the rules about memory to the plan that needs least, then those about density, then judges what
// they chose by its own memory.
func (s *selection) chooseShape() error {
	required, part, err := s.need(Sparse, HostLoop)
	if err != nil {
		return err
	}
	s.out.Shape, s.out.Reason = Sparse, BecausePressure
	wasSparse := s.in.Previous.Shape == Sparse || s.in.Previous.Shape == WarpSparse
	if part < mostPressure && !(wasSparse && part >= keepSparse) {
		s.out.Shape, s.out.Reason = shapeFor(s.density, s.out.Degree), BecauseDensity
		if prev := s.in.Previous.Shape; prev != s.out.Shape && keeps(prev, s.out.Shape, s.density, s.out.Degree) {
			s.out.Shape, s.out.Reason = prev, BecauseKept
		}
		own, ownPart, err := s.need(s.out.Shape, HostLoop)
		if err != nil {
			return err
		}
		if ownPart >= mostPressure {
			s.out.Shape, s.out.Reason = Sparse, BecauseMemory
		} else {
			required, part = own, ownPart
		}
	}
	s.out.Required, s.out.Pressure = required, part
	return nil
}

// shapeFor chooses by density and degree alone.
func shapeFor(density float64, degree uint64) Shape {
	switch {
	case density <= 0.03125 && degree <= 80000:
		return WarpSparse
	case density <= 0.125:
		return Sparse
	case density >= 0.85 && degree >= 20000:
		return BlockDense
	case density >= 0.70 && degree >= 20000:
		return Dense
	}
	return Hybrid
}

// keeps reports whether prev stays although fresh would be chosen now: each shape is left at a density somewhat beyond
// the one at which it is entered, so that a frontier near a threshold does not change plans all the time.
func keeps(prev, fresh Shape, density float64, degree uint64) bool {
	switch prev {
	case WarpSparse:
		return density <= 0.05625 && degree <= 80000
	case Sparse:
		return fresh > Sparse && density <= 0.15
	case Hybrid:
		return fresh == Sparse && density >= 0.10 || fresh >= Dense && density <= 0.725
	case Dense:
		return fresh < Dense && density >= 0.675 && degree >= 20000
	case BlockDense:
		return density >= 0.825 && degree >= 20000
	}
	return false
}
