package session_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/megakernel"
)

// TestAWarmQuestionIsFourCalls of the driver, whichever way it is answered, and whether a set is read or a count: the question goes
// to the device in one copy, all that is done with it is one graph, the answer comes in one copy, and a word says that it is there.
// Beside them the host looks whether it is over, as often as it takes.
func TestAWarmQuestionIsFourCalls(t *testing.T) {
	want := []string{"cuMemcpyHtoDAsync_v2", "cuGraphLaunch", "cuMemcpyDtoHAsync_v2", "cuStreamWriteValue32_v2"}
	for _, c := range []struct {
		graph    string
		topology megakernel.Topology
		how      session.Algorithm
	}{{"skew:512", megakernel.Drained, session.Search}, {"skew:512", megakernel.Cooperative, session.Search}, {"road:9x7", megakernel.Auto, session.Labels}} {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}, Record: true})
		dev, err := cuda.Open(cuda.Options{Driver: sim})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		s, err := session.New(t.Context(), dev, graphtest.Generated(t, c.graph), session.Options{Engine: session.WavesEngine, Topology: c.topology})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, count := range []bool{true, false} {
			var r session.Reached
			var calls []string
			for range 4 { // until what is asked has become a graph
				before := len(sim.Calls())
				if err := s.ReachInto(t.Context(), session.Query{Seeds: []uint32{0}, Count: count}, &r); err != nil {
					t.Fatal(err)
				}
				calls = slices.DeleteFunc(sim.Calls()[before:], func(call string) bool { return call == "cuCtxSetCurrent" || call == "cuStreamQuery" })
			}
			if how, _ := r.Algorithm(); !slices.Equal(calls, want) || how != c.how {
				t.Errorf("%s, %v, count %v, by %v: %v, want %v", c.graph, c.topology, count, how, calls, want)
			}
		}
	}
}
