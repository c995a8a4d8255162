package megakernel_test

import (
	"context"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// TestCommandsAreARun records runs of every topology into sequences of the test's: twice in one of them where the
// device drives, and in a loop of the test's otherwise. Plans run before and after.
func TestCommandsAreARun(t *testing.T) {
	ctx := context.Background()
	g := chain(9)
	want, _, _ := g.reached(2)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
			p, err := megakernel.New(ctx, dev, reach(g, m, 2), nil, megakernel.Options{Topology: topology, Blocks: 2, PollRounds: 3})
			if err != nil {
				t.Fatal(err)
			}
			run := func(parts ...func(*driver.Sequence)) {
				t.Helper()
				s := dev.NewSequence("commands")
				for _, part := range parts {
					part(s)
				}
				if _, err := s.Run(ctx); err != nil {
					t.Fatalf("%s, %v: %v", device, topology, err)
				}
				s.Close()
			}
			c := p.Commands()
			check := func(rounds uint32) {
				t.Helper()
				if got := m.read(m.seen); !slices.Equal(got, want) {
					t.Errorf("%s, %v: reached %x, want %x", device, topology, got, want)
				}
				run(func(s *driver.Sequence) { s.Fill(m.seen, 0, 4) })
				if rec, err := p.Run(ctx); err != nil || rec.Items != 9 || !slices.Equal(m.read(m.seen), want) {
					t.Errorf("%s, %v: the plan's own run: %v, %v", device, topology, rec, err)
				} else if rounds != 0 && rec.Rounds != rounds {
					t.Errorf("%s, %v: %d rounds of commands, %d of a run", device, topology, rounds, rec.Rounds)
				}
				run(func(s *driver.Sequence) { s.Fill(m.seen, 0, 4) })
			}
			if c.Round == nil {
				run(c.Begin, c.Begin)
				check(0)
			} else {
				for range 2 {
					rounds := uint32(0)
					run(c.Begin)
					for m.read(c.Going)[0] != 0 {
						run(c.Round)
						rounds++
					}
					run(c.Round, c.End) // a round too many does nothing
					check(rounds)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
