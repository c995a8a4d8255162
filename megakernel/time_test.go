package megakernel_test

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/megakernel"
)

var timed = flag.Bool("timed", false, "print times of every topology, on the last of the devices")

// TestTimes prints how long a search takes in every topology.
func TestTimes(t *testing.T) {
	if !*timed {
		t.Skip("asked for by -timed")
	}
	all := devices()
	dev := open(t, all[len(all)-1])
	for _, g := range []*graph{chain(20000), ladder(20000, 16), grid(1024, 1024)} {
		m := g.upload(t, dev)
		want, levels := g.depths(0)
		for _, f := range forms[:1] {
			for _, topology := range topologies {
				for _, o := range []megakernel.Options{{PollRounds: 64}, {Tail: megakernel.TailNever}, {Threads: 512}, {Threads: 1024}} {
					if o.Topology = topology; topology != megakernel.Cooperative && (o.Tail != megakernel.TailAuto || o.Threads != 0) {
						continue
					}
					waves, deps := f.waves(g, m, 0)
					p, err := megakernel.New(context.Background(), dev, waves, deps, o)
					if err != nil {
						t.Fatal(err)
					}
					var wall, device []time.Duration
					var rec megakernel.Record
					for range 5 {
						if rec, err = p.Run(context.Background()); err != nil {
							t.Fatal(err)
						}
						wall, device = append(wall, p.Result().Wall), append(device, p.Result().Device)
					}
					if !slices.Equal(m.read(m.depth), want) {
						t.Errorf("%s, %v: wrong depths", g.name, topology)
					}
					t.Logf("%s, %s, %v, %d threads, tail %d: wall %v, device %v, %.3f us a level; %v", g.name, f.name, topology, o.Threads, o.Tail, slices.Min(wall), slices.Min(device),
						float64(slices.Min(wall).Nanoseconds())/1e3/float64(levels+1), rec)
					p.Close()
				}
			}
		}
	}
}
