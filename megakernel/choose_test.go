package megakernel_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// TestAutoTakesWhatIsPredictedToBeFastest for runs of one round and of many, with costs in round numbers.
func TestAutoTakesWhatIsPredictedToBeFastest(t *testing.T) {
	costs := plan.Costs{Launch: 2000, LaunchRead: 8000, GraphNode: 1000, GraphRead: 9000, LoopStart: 10000, LoopRound: 2000,
		CoopRead: 12000, GridBarrier: [4]plan.BarrierCost{{Blocks: 132, NS: 1000}}}
	dev := open(t, "cpu")
	g := chain(12)
	m := g.upload(t, dev)
	want, _ := g.depths(0)
	for _, c := range []struct {
		name   string
		costs  *plan.Costs
		rounds float64
		poll   uint32
		want   megakernel.Topology
		line   string // of the explanation
	}{
		{"one round", &costs, 1, 0, megakernel.HostLoop, "|topology=host loop|k=1|"},
		{"two rounds", &costs, 2, 0, megakernel.BackToBack, "|topology=back-to-back|k=4|"},
		{"rounds between two looks that are asked for", &costs, 2, 7, megakernel.BackToBack, "|topology=back-to-back|k=4|"},
		{"many rounds", &costs, 100, 0, megakernel.Cooperative, "|topology=cooperative|k=0|blocks=2|"},
		{"nothing measured", nil, 1, 0, megakernel.Cooperative, "topology cooperative: 2 blocks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			waves, deps := forms[0].waves(g, m, 0)
			p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Blocks: 2, PollRounds: c.poll, Costs: c.costs,
				Expected: &plan.History{Workload: plan.Workload{Rounds: c.rounds, GroupNS: 1000, Runs: 1}}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if p.Topology() != c.want || !strings.Contains(p.Explain(), c.line) {
				t.Errorf("took %v, want %v with %q in\n%s", p.Topology(), c.want, c.line, p.Explain())
			}
			begin := dev.Stats()
			rec, err := p.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			end := dev.Stats()
			if got := m.read(m.depth); !slices.Equal(got, want) {
				t.Errorf("depths %v, want %v", got, want)
			}
			predicted := p.Predicted(rec)
			predicted.Unknown |= plan.DeviceBytes // the buffers of the graph are there, too
			for _, d := range predicted.Check(megakernel.Tally(begin, begin, end, rec)) {
				t.Error(d)
			}
		})
	}
}

// TestWavesOfTooManyRowsForOneProgramAreLaunched, where the launched forms have room, since bodies are written once there.
// One block alone takes them once more.
func TestWavesOfTooManyRowsForOneProgramAreLaunched(t *testing.T) {
	dev := open(t, "cpu")
	g := chain(12)
	m := g.upload(t, dev)
	want, _ := g.depths(0)
	waves, deps := forms[0].waves(g, m, 0)
	rows := 0
	for _, w := range waves {
		rows += w.Program.Rows()
	}
	for _, c := range []struct {
		name string
		o    megakernel.Options
		want megakernel.Topology
	}{
		{"once", megakernel.Options{MaxRows: rows}, megakernel.HostLoop},
		{"twice", megakernel.Options{MaxRows: 2 * rows}, megakernel.Cooperative},
	} {
		c.o.Blocks = 2
		p, err := megakernel.New(t.Context(), dev, waves, deps, c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if p.Topology() != c.want || strings.Contains(p.Explain(), "code_size") != (c.want == megakernel.HostLoop) {
			t.Errorf("room for bodies %s: %v, want %v\n%s", c.name, p.Topology(), c.want, p.Explain())
		}
		if _, err := p.Run(t.Context()); err != nil || !slices.Equal(m.read(m.depth), want) {
			t.Errorf("%s: %v", c.name, err)
		}
		p.Close()
	}
}
