package megakernel_test

import (
	"context"
	"testing"

	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// TestRunsCountWhatTheirPlansPredict in every topology, in one slice and in several, the second run too.
func TestRunsCountWhatTheirPlansPredict(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device)
		m := chain(9).upload(t, dev)
		for _, f := range forms {
			for _, topology := range topologies {
				for _, o := range []megakernel.Options{{}, {Tail: megakernel.TailNever}, {Tail: megakernel.TailAlways}, {SliceRounds: 3}, {SliceRounds: 5, PollRounds: 2}, {Tail: megakernel.TailNever, SliceRounds: 4}} {
					if o.Topology, o.Blocks = topology, 2; o.PollRounds == 0 {
						o.PollRounds = 4
					}
					waves, deps := f.waves(chain(9), m, 0)
					before := dev.Stats()
					p, err := megakernel.New(context.Background(), dev, waves, deps, o)
					if err != nil {
						t.Fatal(err)
					}
					if unknown := p.Predicted(megakernel.Record{}).Unknown; unknown&plan.Rounds == 0 || unknown&plan.DeviceBytes != 0 {
						t.Errorf("%s, %s, %+v: before the run unknown are %b", device, f.name, o, unknown)
					}
					for range 2 {
						begin := dev.Stats()
						rec, err := p.Run(context.Background())
						if err != nil {
							t.Fatal(err)
						}
						counted := megakernel.Tally(before, begin, dev.Stats(), rec)
						for _, predicted := range []plan.Predicted{p.Predicted(megakernel.Record{}), p.Predicted(rec)} {
							for _, d := range predicted.Check(counted) {
								t.Errorf("%s, %s, %+v, %d rounds: %v", device, f.name, o, rec.Rounds, d)
							}
						}
					}
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
