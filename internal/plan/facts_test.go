package plan_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// ofArcs is a graph of n nodes with these edges, in records of 32 and 16 bytes.
func ofArcs(n uint64, arcs ...[2]uint64) plan.FactRequest {
	in := plan.FactRequest{NodeBytes: 32, EdgeBytes: 16}
	for id := range n {
		in.Nodes = append(in.Nodes, plan.FactNode{ID: id})
	}
	for _, a := range arcs {
		in.Edges = append(in.Edges, plan.FactEdge{From: a[0], To: a[1]})
	}
	return in
}

// hubs is a graph whose nodes have these degrees and else one.
func hubs(n uint64, rest uint64, degrees ...uint64) plan.FactRequest {
	var arcs [][2]uint64
	for from := range n {
		degree := rest
		if from < uint64(len(degrees)) {
			degree = degrees[from]
		}
		for k := range degree {
			arcs = append(arcs, [2]uint64{from, (from + 1 + k) % n})
		}
	}
	return ofArcs(n, arcs...)
}

func layout(t *testing.T, in plan.FactRequest) (f plan.Facts) {
	t.Helper()
	if err := new(plan.FactPlanner).Plan(in, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFactsAreRowsById(t *testing.T) {
	in := plan.FactRequest{Nodes: []plan.FactNode{{ID: 9, Bytes: 8}, {ID: 4, Offset: 8, Bytes: 16}, {ID: 7}}, NodeBytes: 32, EdgeBytes: 16, Payload: 24,
		Edges: []plan.FactEdge{{4, 9, 2}, {7, 4, 0}, {4, 9, 1}, {4, 7, 5}, {4, 9, 2}}}
	f := layout(t, in)
	if !reflect.DeepEqual(f.Order, []int{1, 2, 0}) || !reflect.DeepEqual(f.Rows, []uint32{0, 3, 4, 4}) ||
		!reflect.DeepEqual(f.To, []uint32{1, 2, 2, 0}) || !reflect.DeepEqual(f.Kinds, []uint32{5, 1, 2, 0}) {
		t.Errorf("%+v", f)
	}
	var p plan.FactPlanner
	if n := testing.AllocsPerRun(10, func() { p.Plan(in, &f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBytesAndDegreesOfFacts(t *testing.T) {
	chain := ofArcs(3, [2]uint64{0, 1}, [2]uint64{1, 2})
	chain.Payload = 24
	f := layout(t, chain)
	if f.NodeBytes != 96 || f.EdgeBytes != 32 || f.ResidentBytes != 152 || f.Degrees.Max != 1 {
		t.Errorf("%+v", f)
	}
	for _, c := range []struct {
		name string
		in   plan.FactRequest
		want []uint64 // first sums
		last uint64
	}{
		{"a chain", chain, []uint64{1, 2, 2}, 2},
		{"degrees of 3 and 1", hubs(4, 0, 3, 1), []uint64{3, 4, 4}, 4},
		{"two hubs among many", hubs(32770, 1, 50, 40), []uint64{50, 90, 92}, 32856},
		{"no nodes", ofArcs(0), []uint64{0}, 0},
	} {
		got := layout(t, c.in).Degrees.Largest
		if !reflect.DeepEqual(got[:len(c.want)], c.want) || got[15] != c.last {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestFactsRefuse(t *testing.T) {
	var f plan.Facts
	in := plan.FactRequest{Nodes: []plan.FactNode{{ID: 3}, {ID: 3, Offset: 5, Bytes: 5}, {ID: 5, Offset: math.MaxUint64, Bytes: 1}},
		Edges: []plan.FactEdge{{3, 4, 0}}, NodeBytes: 1, Payload: 9}
	refused(t, new(plan.FactPlanner).Plan(in, &f), driver.InvalidArgument, "record_width(1, 0)", "duplicate(1)", "payload_bounds(1, 10, 9)", "payload_overflow(2, 18446744073709551615, 1)", "unknown(0, 4)")
	in = ofArcs(2)
	in.NodeBytes = math.MaxUint64
	refused(t, new(plan.FactPlanner).Plan(in, &f), driver.InvalidArgument, `overflow("resident bytes")`)
	in = ofArcs(3, [2]uint64{0, 1}, [2]uint64{1, 2})
	in.Payload, in.Budget = 24, 152
	if err := new(plan.FactPlanner).Plan(in, &f); err != nil {
		t.Error(err)
	}
	in.Budget = 151
	refused(t, new(plan.FactPlanner).Plan(in, &f), driver.OutOfMemory, `over_budget("resident graph", 152, 151)`)
	in.Budget = 23
	refused(t, new(plan.FactPlanner).Plan(in, &f), driver.OutOfMemory, "payload_over_budget(24, 23)")
	if len(f.Order)+len(f.Rows)+len(f.To) != 0 {
		t.Errorf("a plan that was refused left %+v", f)
	}
}
