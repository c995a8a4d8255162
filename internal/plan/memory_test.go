package plan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// ofGraph is a graph of 1000 nodes and 4000 edges in 48000 bytes.
func ofGraph(scratch, budget uint64, s plan.Shape, t plan.Topology) plan.MemoryRequest {
	return plan.MemoryRequest{Nodes: 1000, Edges: 4000, NodeBytes: 16, EdgeBytes: 8,
		Envelope: plan.Envelope{Frontier: 4096, Scratch: scratch, Output: 512}, Budget: budget, Shape: s, Topology: t}
}

func TestMemoryOfATopology(t *testing.T) {
	exact := ofGraph(2048, 1<<20, plan.Hybrid, plan.Cooperative)
	exact.Exact = true
	next := ofGraph(10000, 80000, plan.Sparse, plan.Cooperative)
	next.Next = plan.DeviceLoop
	for _, c := range []struct {
		name string
		in   plan.MemoryRequest
		want plan.Memory
	}{
		{"one launch keeps the state of all rounds", ofGraph(2048, 1<<20, plan.Hybrid, plan.Cooperative),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 8192, Output: 512, Required: 60800, Shape: plan.Hybrid, Topology: plan.Cooperative}},
		{"warps have a counter for each lane", ofGraph(3, 1<<20, plan.WarpSparse, plan.HostLoop),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 32, Output: 512, Required: 52640, Shape: plan.WarpSparse, Topology: plan.HostLoop}},
		{"a list", ofGraph(2048, 1<<20, plan.Sparse, plan.HostLoop),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 2048, Output: 512, Required: 54656, Shape: plan.Sparse, Topology: plan.HostLoop}},
		{"two bitsets", ofGraph(2048, 1<<20, plan.Dense, plan.HostLoop),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 4096, Output: 512, Required: 56704, Shape: plan.Dense, Topology: plan.HostLoop}},
		{"two of blocks", ofGraph(1, 1<<20, plan.BlockDense, plan.HostLoop),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 2048, Output: 512, Required: 54656, Shape: plan.BlockDense, Topology: plan.HostLoop}},
		{"a list and bitsets", ofGraph(2048, 1<<20, plan.Hybrid, plan.HostLoop),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 6144, Output: 512, Required: 58752, Shape: plan.Hybrid, Topology: plan.HostLoop}},
		{"what is known is not estimated", exact,
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 2048, Output: 512, Required: 54656, Shape: plan.Hybrid, Topology: plan.Cooperative}},
		{"what does not fit gives way to a list", ofGraph(10000, 80000, plan.Hybrid, plan.Cooperative),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 10000, Output: 512, Required: 62608, Shape: plan.Sparse, Topology: plan.HostLoop, Downgraded: true}},
		{"the shape stays where it fits", ofGraph(10000, 80000, plan.Dense, plan.Cooperative),
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 20000, Output: 512, Required: 72608, Shape: plan.Dense, Topology: plan.HostLoop, Downgraded: true}},
		{"the next topology is taken", next,
			plan.Memory{Graph: 48000, Frontier: 4096, Scratch: 10000, Output: 512, Required: 62608, Shape: plan.Sparse, Topology: plan.DeviceLoop, Downgraded: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.PlanMemory(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestMemoryRefuses(t *testing.T) {
	const huge = math.MaxUint64
	asked := ofGraph(10000, 80000, plan.Hybrid, plan.Cooperative)
	asked.Asked = true
	with := func(change func(*plan.MemoryRequest)) plan.MemoryRequest {
		in := ofGraph(2048, huge, plan.Dense, plan.HostLoop)
		change(&in)
		return in
	}
	for _, c := range []struct {
		name string
		in   plan.MemoryRequest
		kind driver.Kind
		want string
	}{
		{"a list does not fit", ofGraph(2048, 32768, plan.Dense, plan.HostLoop), driver.OutOfMemory, `over_budget("sparse", 54656, 32768, 1000, 4000)`},
		{"what is asked for does not fit", asked, driver.OutOfMemory, `over_budget("cooperative, sparse", 92608, 80000, 1000, 4000)`},
		{"nodes", with(func(in *plan.MemoryRequest) { in.Nodes, in.NodeBytes = huge, 2 }), driver.InvalidArgument, `overflow("node layout bytes")`},
		{"edges", with(func(in *plan.MemoryRequest) { in.Edges, in.EdgeBytes = huge, 2 }), driver.InvalidArgument, `overflow("edge layout bytes")`},
		{"both", with(func(in *plan.MemoryRequest) { in.Edges, in.EdgeBytes = huge, 1 }), driver.InvalidArgument, `overflow("graph layout bytes")`},
		{"scratch", with(func(in *plan.MemoryRequest) { in.Envelope.Scratch = huge }), driver.InvalidArgument, `overflow("scratch bytes")`},
		{"all", with(func(in *plan.MemoryRequest) { in.Envelope.Output = huge }), driver.InvalidArgument, `overflow("required bytes")`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plan.PlanMemory(c.in)
			refused(t, err, c.kind, c.want)
		})
	}
	_, err := plan.PlanMemory(ofGraph(2048, 32768, plan.Dense, plan.HostLoop))
	if want := "sparse needs 54656 bytes of 32768, with 1000 nodes and 4000 edges"; !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %q", err, want)
	}
}
