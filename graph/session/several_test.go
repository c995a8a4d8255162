package session_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// questions ask about graphs in turn, some of a kind and some not.
func questions(seed uint64, n int, graphs ...*graph.CSR) (list []session.Question) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for range n {
		g := graphs[rng.IntN(len(graphs))]
		list = append(list, session.Question{Graph: g, Query: alike(rng.Uint64(), 1, g.Nodes())[0]})
	}
	return list
}

// TestGraphsAreAskedOneAfterAnother, each uploaded once, in as many launches as there are groups, within what was planned.
func TestGraphsAreAskedOneAfterAnother(t *testing.T) {
	for _, device := range devices() {
		dev := graphtest.OpenDevice(t, device)
		one := graphtest.RandomGraph(t, 1, 40, true)
		graphs := []*graph.CSR{one, graphtest.RandomGraph(t, 2, 50, false), graphtest.Generated(t, "road:6x6"), graphtest.RandomGraph(t, 1, 40, true)} // the first and the last are equal
		list := questions(3, 40, graphs...)
		o := session.Options{Engine: session.WavesEngine, Queries: 9, Topology: megakernel.Cooperative}
		before := dev.Stats()
		answers, p, err := session.Ask(t.Context(), dev, list, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range answers {
			matches(t, list[i].Graph, list[i].Query, r)
		}
		run := dev.Stats().Sub(before)
		if n := run.Get(metric.LaunchesPlain) + run.Get(metric.LaunchesGraph); n != uint64(len(p.Groups)) || p.Launches != 40-n || n >= 40 {
			t.Errorf("%s: %d launches for %d groups, %d avoided", device, n, len(p.Groups), p.Launches)
		}
		var seeds uint64 // what is uploaded beside graphs: as many words as the graph's query with most seeds has
		for _, q := range list {
			most := 1
			for _, other := range list {
				if graphtest.Must(other.Graph.Digest(t.Context())) == graphtest.Must(q.Graph.Digest(t.Context())) {
					most = max(most, len(other.Seeds))
				}
			}
			seeds += 4 * uint64(4+most)
		}
		turns := run.Get(metric.UploadBytes) - p.UploadBytes - seeds // of one submission or more a graph, and no more than groups
		if n := turns / session.TurnBytes; p.Uploads != 3 || turns%session.TurnBytes != 0 || n < 3 || n > uint64(len(p.Groups)) {
			t.Errorf("%s: %d graphs, %d bytes uploaded, want %d and %d for seeds", device, p.Uploads, run.Get(metric.UploadBytes), p.UploadBytes, seeds)
		}
		if live := dev.Stats().Get(metric.LiveBytes); live != before.Get(metric.LiveBytes) {
			t.Errorf("%s: %d bytes live", device, live)
		}
		if none, _, err := session.Ask(t.Context(), dev, nil, o); err != nil || len(none) != 0 {
			t.Errorf("%s: no questions: %v, %v", device, none, err)
		}
	}
}

// TestABudgetMakesGroups: what does not fit together is asked one after another, down to one query at a time.
func TestABudgetMakesGroups(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.RandomGraph(t, 5, 60, true)
	list := questions(1, 12, g)
	for i := range list {
		list[i].Kinds = 0
	}
	ask := func(budget uint64) (*plan.Queries, error) {
		answers, p, err := session.Ask(t.Context(), dev, list, session.Options{Engine: session.WavesEngine, Budget: budget, Topology: megakernel.Cooperative})
		for i, r := range answers {
			matches(t, g, list[i].Query, r)
		}
		return p, err
	}
	whole, err := ask(0)
	if err != nil || len(whole.Groups) != 1 {
		t.Fatalf("%+v, %v", whole, err)
	}
	low, high := uint64(0), whole.PeakBytes
	groups := 1
	for high-low > 1 { // the least budget there is
		mid := (low + high) / 2
		p, err := ask(mid)
		var why *plan.Reason
		switch {
		case err == nil && p.PeakBytes <= mid && len(p.Groups) >= groups:
			high, groups = mid, len(p.Groups)
		case errors.Is(err, driver.OutOfMemory) && errors.As(err, &why) && why.Code == "over_budget":
			low = mid
		default:
			t.Fatalf("%d bytes: %+v, %v", mid, p, err)
		}
	}
	if groups != 12 {
		t.Errorf("with the least budget there are %d groups, want one a query", groups)
	}
}

func TestQuestionsAreRefused(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.RandomGraph(t, 5, 6, true)
	for _, c := range []struct {
		q    session.Question
		want string
	}{
		{session.Question{}, "question 1 is about no graph"},
		{session.Question{Graph: &graph.CSR{}}, "a graph of 0 nodes"},
		{session.Question{Graph: g, Query: session.Query{Seeds: []uint32{6}}}, "query 1: seed 0 is node 6, the graph has 6"},
	} {
		before := dev.Stats().Get(metric.AllocRequests)
		_, _, err := session.Ask(t.Context(), dev, []session.Question{{Graph: g}, c.q}, session.Options{Engine: session.WavesEngine})
		if err == nil || !strings.Contains(err.Error(), c.want) || dev.Stats().Get(metric.AllocRequests) != before {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
