package megakernel_test

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	graphs "github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
)

var timed = flag.String("timed", "", "print times of every topology over these generated graphs, with semicolons between, on the last of the devices")

// TestTimes prints how long a search takes in every topology.
func TestTimes(t *testing.T) {
	if *timed == "" {
		t.Skip("asked for by -timed")
	}
	all := devices()
	dev := open(t, all[len(all)-1])
	for _, name := range strings.Split(*timed, ";") {
		csr, err := graphs.Generate(name, graphs.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		g := &graph{name: name, offsets: csr.Offsets(), arcs: csr.Targets()}
		m := g.upload(t, dev)
		want, _, _ := g.reached(0)
		_, levels := g.depths(0)
		for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
			for _, o := range []megakernel.Options{{PollRounds: 64}, {Tail: megakernel.TailNever}, {Threads: 512}, {Threads: 1024}, {Blocks: uint32(dev.Caps().Units) / 4}, {Blocks: uint32(dev.Caps().Units) / 2}, {Blocks: 2 * uint32(dev.Caps().Units)}} {
				switch o.Topology = topology; topology {
				case megakernel.Cooperative:
					if o.Blocks > 0 {
						continue
					}
				case megakernel.Drained:
					if o.Tail != megakernel.TailAuto || o.Threads != 0 {
						continue
					}
				default:
					if o.PollRounds == 0 {
						continue
					}
				}
				p, err := megakernel.New(context.Background(), dev, reach(g, m, 0), nil, o)
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
				t.Logf("%s, %v, %d threads, %d blocks, tail %d: wall %v, device %v, %.3f us a level; %v", name, topology, o.Threads, o.Blocks, o.Tail, slices.Min(wall), slices.Min(device),
					float64(slices.Min(wall).Nanoseconds())/1e3/float64(levels+1), rec)
				p.Close()
			}
		}
	}
}
