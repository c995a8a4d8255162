package megakernel_test

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/megakernel"
)

var timed = flag.String("timed", "", "print times of every topology over these generated graphs, with semicolons between, on the last of the devices")

var ways = flag.String("ways", "host loop,back-to-back,captured graph,device loop,cooperative,drained", "topologies of which times are printed")

// timedOptions lists what is timed of a topology.
func timedOptions(t megakernel.Topology, units uint32) []megakernel.Options {
	switch t {
	case megakernel.Cooperative:
		all := []megakernel.Options{{}, {Tail: megakernel.TailNever}, {Tail: megakernel.TailAlways}}
		return append(all, megakernel.Options{Threads: 512}, megakernel.Options{TailEnter: 32}, megakernel.Options{TailEnter: 128})
	case megakernel.Drained:
		return []megakernel.Options{{}, {Blocks: units / 2}}
	}
	return []megakernel.Options{{PollRounds: 64}}
}

// TestTimes prints how long a search takes in every topology.
func TestTimes(t *testing.T) {
	if *timed == "" {
		t.Skip("asked for by -timed")
	}
	all := devices()
	dev := open(t, all[len(all)-1])
	for _, name := range strings.Split(*timed, ";") {
		csr, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		g := &graph{name: name, offsets: csr.Offsets(), arcs: csr.Targets()}
		m := g.upload(t, dev)
		want, _, _ := g.reached(0)
		_, levels := g.depths(0)
		for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
			if !strings.Contains(*ways, topology.String()) {
				continue
			}
			for _, o := range timedOptions(topology, uint32(dev.Caps().Units)) {
				o.Topology = topology
				p, err := megakernel.New(context.Background(), dev, reachBy(g, m, 0, programsOf(max(o.Threads, 256))), nil, o)
				if err != nil {
					t.Log(err)
					continue
				}
				var wall, device []time.Duration
				var rec megakernel.Record
				for range 5 {
					if rec, err = p.Run(context.Background()); err != nil {
						t.Fatal(err)
					}
					wall, device = append(wall, p.Result().Wall), append(device, p.Result().Device)
				}
				if !slices.Equal(m.read(m.seen), want) {
					t.Errorf("%s, %v: wrong nodes", name, topology)
				}
				t.Logf("%s, %v, %d threads, %d blocks, tail %d, enter %d: wall %v, device %v, %.3f us a level; %v", name, topology, o.Threads, o.Blocks, o.Tail, o.TailEnter, slices.Min(wall), slices.Min(device),
					float64(slices.Min(wall).Nanoseconds())/1e3/float64(levels+1), rec)
				p.Close()
			}
		}
	}
}
