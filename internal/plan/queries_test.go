package plan_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func digest(b byte) [32]byte { return [32]byte{0: b} }

func TestQueriesOfOneGraphRunTogether(t *testing.T) {
	in := plan.QueryRequest{Lanes: 32, Budget: 8192, Queries: []plan.Query{
		{3, digest(1), 4096, 7, 64, 128, 32}, {1, digest(1), 4096, 7, 32, 64, 16}, {2, digest(1), 4096, 7, 48, 96, 24},
	}}
	var q plan.Queries
	if err := plan.PlanQueries(in, &q); err != nil {
		t.Fatal(err)
	}
	if len(q.Groups) != 1 || !slices.Equal(q.Groups[0].Queries, []int{1, 2, 0}) || q.PeakBytes != 4440 || q.Uploads != 1 || q.UploadBytes != 4096 ||
		q.Launches != 2 || q.Waits != 2 || q.GraphBytes != 8192 || !q.Groups[0].Upload || !q.Groups[0].Release {
		t.Errorf("%+v", q)
	}
	if n := testing.AllocsPerRun(10, func() { plan.PlanQueries(in, &q) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, c := range []struct {
		name   string
		change func(in *plan.QueryRequest)
		groups int
	}{
		{"two lanes", func(in *plan.QueryRequest) { in.Lanes = 2 }, 2},
		{"no lanes", func(in *plan.QueryRequest) { in.Lanes = 0 }, 3},
		{"another traversal", func(in *plan.QueryRequest) { in.Queries[2].Traversal = 8 }, 2},
		{"room for one", func(in *plan.QueryRequest) { in.Budget = 4096 + 64 + 128 + 32 }, 2},
	} {
		in := in
		in.Queries = slices.Clone(in.Queries)
		c.change(&in)
		if err := plan.PlanQueries(in, &q); err != nil || len(q.Groups) != c.groups || q.Uploads != 1 || q.PeakBytes > in.Budget {
			t.Errorf("%s: %+v, %v; want %d groups", c.name, q, err, c.groups)
		}
	}
}

func TestQueriesReleaseOrKeepGraphs(t *testing.T) {
	in := plan.QueryRequest{Lanes: 32, Budget: 6000, Queries: []plan.Query{{1, digest(1), 4096, 7, 100, 100, 100}, {2, digest(2), 4096, 7, 100, 100, 100}}}
	var q plan.Queries
	if err := plan.PlanQueries(in, &q); err != nil || len(q.Groups) != 2 || q.PeakBytes != 4396 || q.UploadBytes != 8192 || q.Launches != 0 || q.GraphBytes != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	in.Keep = true
	refused(t, plan.PlanQueries(in, &q), driver.OutOfMemory, `over_budget("one query", 8492, 6000)`)
	in.Budget = 8492
	if err := plan.PlanQueries(in, &q); err != nil || q.PeakBytes != 8492 || q.Groups[0].Release || q.Groups[1].Release {
		t.Errorf("%+v, %v", q, err)
	}
	in.Kept = []plan.KeptGraph{{digest(2), 4096}}
	if err := plan.PlanQueries(in, &q); err != nil || q.PeakBytes != 8492 || q.Uploads != 1 || !q.Groups[0].Upload || q.Groups[1].Upload {
		t.Errorf("%+v, %v", q, err)
	}
}

func TestQueriesRefuse(t *testing.T) {
	var q plan.Queries
	in := plan.QueryRequest{Queries: []plan.Query{{}, {ID: 4, Graph: digest(1), GraphBytes: 5, Traversal: 1}, {ID: 4, Graph: digest(1), GraphBytes: 6, Traversal: 1}}}
	refused(t, plan.PlanQueries(in, &q), driver.InvalidArgument, "budget", "graph_digest(0)", "traversal(0)", "graph_bytes(0)", "duplicate(2)", `graph_bytes_differ("01000000", 5, 6)`)
	in = plan.QueryRequest{Budget: 5, Queries: []plan.Query{{1, digest(1), math.MaxUint64, 1, 0, 1, 0}}}
	refused(t, plan.PlanQueries(in, &q), driver.InvalidArgument, `overflow("query bytes")`)
	in.Queries[0].Scratch = 0
	in.Kept = []plan.KeptGraph{{digest(3), 9}}
	refused(t, plan.PlanQueries(in, &q), driver.InvalidArgument, `overflow("resident bytes")`)
	in.Kept = nil
	refused(t, plan.PlanQueries(in, &q), driver.OutOfMemory, `over_budget("one query", 18446744073709551615, 5)`)
}

// TestQueriesAreEachInOneGroup: and no group has more lanes, bytes or graphs than it may.
func TestQueriesAreEachInOneGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var q plan.Queries
	for range 300 {
		in := plan.QueryRequest{Lanes: 1 + rng.IntN(5), Keep: rng.IntN(2) == 0, Budget: 4000 + rng.Uint64N(4000)}
		for _, id := range rng.Perm(rng.IntN(20)) {
			g := byte(1 + rng.IntN(3))
			in.Queries = append(in.Queries, plan.Query{uint64(id), digest(g), 1000 * uint64(g), 1 + rng.Uint64N(2), rng.Uint64N(300), rng.Uint64N(300), rng.Uint64N(300)})
		}
		if err := plan.PlanQueries(in, &q); err != nil {
			continue
		}
		seen := map[int]bool{}
		resident := map[[32]byte]uint64{}
		peak := uint64(0)
		for _, g := range q.Groups {
			first := in.Queries[g.Queries[0]]
			if _, there := resident[first.Graph]; there == g.Upload {
				t.Fatalf("%+v: uploads what is there, or not what is missing", g)
			}
			resident[first.Graph] = first.GraphBytes
			var sum, scratch uint64
			for _, b := range resident {
				sum += b
			}
			for _, k := range g.Queries {
				v := in.Queries[k]
				if seen[k] || v.Graph != first.Graph || v.Traversal != first.Traversal {
					t.Fatalf("%+v: query %+v does not belong", g, v)
				}
				seen[k] = true
				sum += v.Frontier + v.Output
				scratch = max(scratch, v.Scratch)
			}
			if sum += scratch; sum != g.Bytes || sum > in.Budget || len(g.Queries) > in.Lanes {
				t.Fatalf("%+v has %d bytes", g, sum)
			}
			peak = max(peak, sum)
			if g.Release {
				delete(resident, first.Graph)
			}
		}
		if len(seen) != len(in.Queries) || peak != q.PeakBytes || !in.Keep && len(resident) != 0 {
			t.Fatalf("%d of %d queries, peak %d of %d, %d graphs left", len(seen), len(in.Queries), peak, q.PeakBytes, len(resident))
		}
	}
}
