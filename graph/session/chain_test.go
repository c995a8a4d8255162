package session_test

import (
	"testing"

	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/megakernel"
)

// TestLevelsOfAChainAreRoundsOfOneWarp: where a level has a node, one warp goes on alone, as it does with a set. A level more costs as
// many instructions of warps in one as in the other, but for a tenth. With rounds of a whole group it was eleven times as many.
func TestLevelsOfAChainAreRoundsOfOneWarp(t *testing.T) {
	perLevel := func(ask func(s *session.Session) error) uint64 {
		steps := func(name string) uint64 {
			sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
			dev, err := cuda.Open(cuda.Options{Driver: sim})
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			s, err := session.New(t.Context(), dev, graphtest.Generated(t, name), session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Levels: true, Topology: megakernel.Cooperative})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			before := sim.Report().Steps
			if err := ask(s); err != nil {
				t.Fatal(err)
			}
			return sim.Report().Steps - before
		}
		return (steps("chain:800") - steps("chain:400")) / 400
	}
	q := session.Query{Seeds: []uint32{0}, Kinds: 1}
	set := perLevel(func(s *session.Session) error { _, err := s.Reach(t.Context(), q); return err })
	levels := perLevel(func(s *session.Session) error { _, err := s.Levels(t.Context(), q); return err })
	if t.Logf("a level more takes %d instructions of warps, in a set %d", levels, set); levels > set+set/10 {
		t.Errorf("a level more takes %d instructions of warps, in a set %d", levels, set)
	}
}
