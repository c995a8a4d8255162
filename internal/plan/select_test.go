package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

var everything = plan.Offers{Graphs: true, LoopNodes: true, GridBarrier: true}

// atDensity is a small graph with memory to spare and launches that cost little.
func atDensity(density float64) plan.SelectRequest {
	return plan.SelectRequest{Sample: plan.Sample{DispatchNS: 1000, Density: density}, Nodes: 1000, Edges: 4000,
		Required: 1000, Budget: 10000, OverheadNS: 100, Device: everything, Blocks: 132}
}

// fused is one that wants one launch for everything.
func fused() plan.SelectRequest {
	in := atDensity(.5)
	in.Sample.ReadbackBytes, in.OverheadNS, in.Fusion = 1<<20, 250, .9
	return in
}

// with changes a request.
func with(in plan.SelectRequest, change func(*plan.SelectRequest)) plan.SelectRequest {
	change(&in)
	return in
}

// after is a request whose last run took a shape and a topology.
func after(in plan.SelectRequest, s plan.Shape, t plan.Topology) plan.SelectRequest {
	in.Previous = plan.Previous{Shape: s, Topology: t}
	return in
}

func TestTheDocumentedDefault(t *testing.T) {
	full := func(in *plan.SelectRequest) { in.Required = 9500 }
	nearlyFull := func(in *plan.SelectRequest) { in.Required = 8750 }
	estimate := with(fused(), func(in *plan.SelectRequest) {
		in.Estimate = &plan.MemoryRequest{Nodes: 60000, NodeBytes: 1, Envelope: plan.Envelope{Frontier: 4096, Scratch: 8000, Output: 512}, Budget: 100000}
	})
	for _, c := range []struct {
		name     string
		in       plan.SelectRequest
		shape    plan.Shape
		topology plan.Topology
		reason   string
	}{
		{"few items", atDensity(.01), plan.WarpSparse, plan.HostLoop, plan.BecauseDensity},
		{"few items of a graph of high degree", with(atDensity(.01), func(in *plan.SelectRequest) { in.Edges = 8001 }), plan.Sparse, plan.HostLoop, plan.BecauseDensity},
		{"some items", atDensity(.125), plan.Sparse, plan.HostLoop, plan.BecauseDensity},
		{"more items", atDensity(.35), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"many items", atDensity(.75), plan.Dense, plan.HostLoop, plan.BecauseDensity},
		{"nearly all", atDensity(.90), plan.BlockDense, plan.HostLoop, plan.BecauseDensity},
		{"nearly all of a graph of low degree", with(atDensity(.90), func(in *plan.SelectRequest) { in.Edges = 1999 }), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"a density that is no number", atDensity(math.NaN()), plan.WarpSparse, plan.HostLoop, plan.BecauseDensity},
		{"little memory", with(atDensity(.9), full), plan.Sparse, plan.HostLoop, plan.BecausePressure},
		{"little memory comes before fusion", with(fused(), full), plan.Sparse, plan.HostLoop, plan.BecausePressure},

		{"at every threshold: few items", with(atDensity(.03125), func(in *plan.SelectRequest) { in.Edges = 8000 }), plan.WarpSparse, plan.HostLoop, plan.BecauseDensity},
		{"many items of just the degree", with(atDensity(.70), func(in *plan.SelectRequest) { in.Edges = 2000 }), plan.Dense, plan.HostLoop, plan.BecauseDensity},
		{"nearly all of just the degree", with(atDensity(.85), func(in *plan.SelectRequest) { in.Edges = 2000 }), plan.BlockDense, plan.HostLoop, plan.BecauseDensity},
		{"just too little memory", with(atDensity(.9), func(in *plan.SelectRequest) { in.Required = 9000 }), plan.Sparse, plan.HostLoop, plan.BecausePressure},
		{"just too little memory for the shape", with(atDensity(.5), func(in *plan.SelectRequest) {
			in.Estimate = &plan.MemoryRequest{Envelope: plan.Envelope{Scratch: 3000}, Budget: 10000}
		}), plan.Sparse, plan.HostLoop, plan.BecauseMemory},
		{"warp-sparse at its end", with(after(atDensity(.05625), plan.WarpSparse, plan.HostLoop), func(in *plan.SelectRequest) { in.Edges = 8000 }), plan.WarpSparse, plan.HostLoop, plan.BecauseKept},
		{"sparse at its end", after(atDensity(.15), plan.Sparse, plan.HostLoop), plan.Sparse, plan.HostLoop, plan.BecauseKept},
		{"dense at its end", with(after(atDensity(.675), plan.Dense, plan.HostLoop), func(in *plan.SelectRequest) { in.Edges = 2000 }), plan.Dense, plan.HostLoop, plan.BecauseKept},

		{"launches and readback that weigh", fused(), plan.Hybrid, plan.Cooperative, plan.BecauseFusion},
		{"fusion that is not wanted", with(fused(), func(in *plan.SelectRequest) { in.Fusion = .69 }), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"launches that do not weigh", with(fused(), func(in *plan.SelectRequest) { in.OverheadNS = 149 }), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"readback that does not weigh", with(fused(), func(in *plan.SelectRequest) { in.Sample.ReadbackBytes = 4095 }), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"too little memory for one launch", with(fused(), func(in *plan.SelectRequest) { in.Required = 8501 }), plan.Hybrid, plan.HostLoop, plan.BecauseMemory},
		{"a device without grid barriers", with(fused(), func(in *plan.SelectRequest) { in.Device.GridBarrier = false }), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"each candidate by its own memory", estimate, plan.Hybrid, plan.HostLoop, plan.BecauseMemory},
		{"a shape beyond its memory", with(estimate, func(in *plan.SelectRequest) {
			in.Estimate = &plan.MemoryRequest{Nodes: 60000, NodeBytes: 1, Envelope: plan.Envelope{Scratch: 12000}, Budget: 100000}
		}), plan.Sparse, plan.HostLoop, plan.BecauseMemory},

		{"sparse stays to .15", after(atDensity(.14), plan.Sparse, plan.HostLoop), plan.Sparse, plan.HostLoop, plan.BecauseKept},
		{"and no further", after(atDensity(.16), plan.Sparse, plan.HostLoop), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"sparse becomes warp-sparse", after(atDensity(.01), plan.Sparse, plan.HostLoop), plan.WarpSparse, plan.HostLoop, plan.BecauseDensity},
		{"warp-sparse stays to .05625", after(atDensity(.056), plan.WarpSparse, plan.HostLoop), plan.WarpSparse, plan.HostLoop, plan.BecauseKept},
		{"and no further", after(atDensity(.057), plan.WarpSparse, plan.HostLoop), plan.Sparse, plan.HostLoop, plan.BecauseDensity},
		{"warp-sparse keeps its degree", with(after(atDensity(.05), plan.WarpSparse, plan.HostLoop), func(in *plan.SelectRequest) { in.Edges = 8001 }), plan.Sparse, plan.HostLoop, plan.BecauseDensity},
		{"hybrid stays from .10", after(atDensity(.11), plan.Hybrid, plan.HostLoop), plan.Hybrid, plan.HostLoop, plan.BecauseKept},
		{"and not from .09", after(atDensity(.09), plan.Hybrid, plan.HostLoop), plan.Sparse, plan.HostLoop, plan.BecauseDensity},
		{"hybrid stays to .725", after(atDensity(.72), plan.Hybrid, plan.HostLoop), plan.Hybrid, plan.HostLoop, plan.BecauseKept},
		{"and no further", after(atDensity(.73), plan.Hybrid, plan.HostLoop), plan.Dense, plan.HostLoop, plan.BecauseDensity},
		{"dense stays from .675", after(atDensity(.68), plan.Dense, plan.HostLoop), plan.Dense, plan.HostLoop, plan.BecauseKept},
		{"and not from .67", after(atDensity(.67), plan.Dense, plan.HostLoop), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},
		{"dense becomes block-dense", after(atDensity(.86), plan.Dense, plan.HostLoop), plan.BlockDense, plan.HostLoop, plan.BecauseDensity},
		{"block-dense stays from .825", after(atDensity(.83), plan.BlockDense, plan.HostLoop), plan.BlockDense, plan.HostLoop, plan.BecauseKept},
		{"and not from .82", after(atDensity(.82), plan.BlockDense, plan.HostLoop), plan.Dense, plan.HostLoop, plan.BecauseDensity},
		{"sparse stays when memory is nearly full", with(after(atDensity(.9), plan.WarpSparse, plan.HostLoop), nearlyFull), plan.Sparse, plan.HostLoop, plan.BecausePressure},
		{"dense does not", with(after(atDensity(.75), plan.Dense, plan.HostLoop), nearlyFull), plan.Dense, plan.HostLoop, plan.BecauseDensity},
		{"little memory always counts", with(after(atDensity(.75), plan.Dense, plan.HostLoop), full), plan.Sparse, plan.HostLoop, plan.BecausePressure},
		{"one launch stays when it is wanted less", after(with(fused(), func(in *plan.SelectRequest) {
			in.Fusion, in.OverheadNS, in.Required = .6, 125, 8750
		}), plan.Hybrid, plan.Cooperative), plan.Hybrid, plan.Cooperative, plan.BecauseFusion},
		{"and not when it is not wanted", after(with(fused(), func(in *plan.SelectRequest) { in.Fusion = .59 }), plan.Hybrid, plan.Cooperative), plan.Hybrid, plan.HostLoop, plan.BecauseDensity},

		{"a wish", with(atDensity(.35), func(in *plan.SelectRequest) { in.Only = plan.DeviceLoop }), plan.Hybrid, plan.DeviceLoop, plan.BecauseAsked},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.Select(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Shape != c.shape || got.Topology != c.topology || got.Reason != c.reason {
				t.Errorf("chose %v, %v for %s; want %v, %v for %s", got.Shape, got.Topology, got.Reason, c.shape, c.topology, c.reason)
			}
		})
	}
}

func TestWhatADecisionIsDerivedFrom(t *testing.T) {
	for _, c := range []struct {
		name                     string
		in                       plan.SelectRequest
		pressure, degree, launch uint64
	}{
		{"plain", atDensity(.35), 1000, 40000, 1000},
		{"launches that weigh", fused(), 1000, 40000, 2500},
		{"nearly no memory", with(atDensity(.35), func(in *plan.SelectRequest) { in.Required = 9500 }), 9500, 40000, 1000},
		{"products beyond 64 bits", with(atDensity(.35), func(in *plan.SelectRequest) { in.Required, in.Budget = 1<<62, 1<<63 }), 5000, 40000, 1000},
		{"more than there is", with(atDensity(.35), func(in *plan.SelectRequest) { in.Required = math.MaxUint64 }), 10000, 40000, 1000},
		{"no budget", with(atDensity(.35), func(in *plan.SelectRequest) { in.Budget = 0 }), 10000, 40000, 1000},
		{"no budget and nothing required", with(atDensity(.35), func(in *plan.SelectRequest) { in.Required, in.Budget = 0, 0 }), 0, 40000, 1000},
		{"no nodes", with(atDensity(.35), func(in *plan.SelectRequest) { in.Nodes = 0 }), 1000, 0, 1000},
		{"a degree beyond 64 bits", with(atDensity(.35), func(in *plan.SelectRequest) { in.Nodes, in.Edges = 1, math.MaxUint64 }), 1000, math.MaxUint64, 1000},
		{"no time", with(atDensity(.35), func(in *plan.SelectRequest) { in.Sample.DispatchNS = 0 }), 1000, 40000, 0},
		{"a negative overhead", with(atDensity(.35), func(in *plan.SelectRequest) { in.OverheadNS = -5 }), 1000, 40000, 0},
		{"an overhead that is no number", with(atDensity(.35), func(in *plan.SelectRequest) { in.OverheadNS = math.NaN() }), 1000, 40000, 0},
		{"an endless time", with(atDensity(.35), func(in *plan.SelectRequest) { in.Sample.DispatchNS = math.Inf(1) }), 1000, 40000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.Select(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Pressure != c.pressure || got.Degree != c.degree || got.Launch != c.launch {
				t.Errorf("pressure %d, degree %d, launch %d; want %d, %d, %d", got.Pressure, got.Degree, got.Launch, c.pressure, c.degree, c.launch)
			}
		})
	}
}

// The default selector and the memory of groups, with the waves that the groups are tested with.
func TestSelectionOfPlannedGroups(t *testing.T) {
	const graph = 1000*16 + 4000*8
	for _, c := range []struct {
		name     string
		groups   plan.GroupRequest
		density  float64
		required uint64
	}{
		{"a diamond", plan.GroupRequest{Waves: []plan.Envelope{{1024, 512, 256}, {2048, 1024, 512}, {4096, 2048, 1024}, {8192, 4096, 2048}},
			Dependencies: diamond, Graph: graph, Budget: 131072, Readback: 1 << 20, ScratchFactor: 4}, .90, 74624},
		{"two free waves", plan.GroupRequest{Waves: same(2, plan.Envelope{1024, 512, 3072}), Graph: graph, Budget: 131072, ScratchFactor: 4}, .50, 60288},
		{"three without room", plan.GroupRequest{Waves: same(3, plan.Envelope{10, 10, 10}), Budget: 100, Readback: 4096, ScratchFactor: 4}, .50, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			var groups plan.Groups
			if err := new(plan.GroupPlanner).Plan(c.groups, &groups); err != nil {
				t.Fatal(err)
			}
			if groups.Required != c.required {
				t.Errorf("required are %d bytes, want %d", groups.Required, c.required)
			}
			got, err := plan.Select(plan.SelectRequest{Sample: plan.Sample{DispatchNS: 1000, Density: c.density, ReadbackBytes: groups.Readback},
				Nodes: 1000, Edges: 4000, OverheadNS: 250, Fusion: .95, Required: groups.Required, Budget: c.groups.Budget, Device: everything})
			if err != nil || got.Topology != plan.Cooperative {
				t.Errorf("topology is %v, %v", got.Topology, err)
			}
		})
	}
}

func TestCandidatesAreJudgedByTheirOwnMemory(t *testing.T) {
	estimate := plan.MemoryRequest{Nodes: 60000, NodeBytes: 1, Envelope: plan.Envelope{Frontier: 4096, Scratch: 8000, Output: 512}, Budget: 100000}
	in := with(fused(), func(in *plan.SelectRequest) { in.Estimate = &estimate })
	got, err := plan.Select(in)
	if err != nil {
		t.Fatal(err)
	}
	if got.Required != 88608 || got.Pressure != 8860 {
		t.Errorf("hybrid needs %d bytes at a pressure of %d, want 88608 and 8860", got.Required, got.Pressure)
	}
	in.Only = plan.Cooperative
	if got, err = plan.Select(in); err != nil || got.Required != 96608 || got.Pressure != 9660 || got.Blocks != 132 {
		t.Errorf("cooperative is %+v, %v; want 96608 bytes at 9660", got, err)
	}
	estimate.Envelope.Scratch = 0
	estimate.Envelope.Output = math.MaxUint64
	_, err = plan.Select(in)
	refused(t, err, driver.InvalidArgument, `overflow("required bytes")`)
	estimate.Envelope = plan.Envelope{Scratch: math.MaxUint64 / 3}
	if _, err = plan.Select(in); err == nil {
		t.Error("four times the scratch fits 64 bits")
	}
	in.Only = plan.Auto
	if got, err = plan.Select(in); err != nil || got.Shape != plan.Sparse || got.Topology != plan.HostLoop {
		t.Errorf("chose %v, %v, %v", got.Shape, got.Topology, err)
	}
}

func TestATopologyThatTheDeviceLacksIsRefused(t *testing.T) {
	for _, topology := range []plan.Topology{plan.Captured, plan.DeviceLoop, plan.Cooperative, plan.Drained, 77} {
		in := atDensity(.5)
		in.Device, in.Only = plan.Offers{}, topology
		_, err := plan.Select(in)
		refused(t, err, driver.Unsupported, `no_topology("`+topology.String()+`")`)
	}
}

func TestAWishIsPolledBeforeAnythingIsMeasured(t *testing.T) {
	for topology, batch := range map[plan.Topology]uint64{plan.HostLoop: 1, plan.BackToBack: 16, plan.Captured: 16, plan.DeviceLoop: 0, plan.Cooperative: 0} {
		in := atDensity(.5)
		in.Only = topology
		got, err := plan.Select(in)
		if err != nil || got.Topology != topology || got.Batch != batch || got.Reason != plan.BecauseAsked {
			t.Errorf("asked for %v: got %v with %d rounds to a poll for %s, %v", topology, got.Topology, got.Batch, got.Reason, err)
		}
	}
}

func TestExplainIsOneStableLine(t *testing.T) {
	got, err := plan.Select(fused())
	if err != nil {
		t.Fatal(err)
	}
	want := "topology-v2|shape=hybrid|topology=cooperative|k=0|blocks=132|pressure=1000|degree=40000|launch=2500|source=default|reason=fusion"
	if got.Explain() != want {
		t.Errorf("got  %s\nwant %s", got.Explain(), want)
	}
	if got, err = plan.Select(measured(100, 1)); err != nil {
		t.Fatal(err)
	}
	want = "topology-v2|shape=hybrid|topology=cooperative|k=0|blocks=132|pressure=1000|degree=40000|launch=1000|source=measured|reason=fastest"
	if got.Explain() != want {
		t.Errorf("got  %s\nwant %s", got.Explain(), want)
	}
}

func TestSelectAllocatesNothing(t *testing.T) {
	in := measured(10, 1)
	if n := testing.AllocsPerRun(10, func() {
		if _, err := plan.Select(in); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
