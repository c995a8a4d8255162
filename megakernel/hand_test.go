package megakernel_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/megakernel"
)

var (
	hand = flag.String("hand", "", "compare a search made of waves with one by hand over these generated graphs, with semicolons between, on the last of the devices")
	twin = flag.String("twin", "", "program made of testdata/search.cu, to compare with, too")
)

// byHand is the search of arcs.Round and arcs.Stay in one kernel, for graphs without long rows.
const byHand = `package hand

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	alone = 64   // nodes with which one group goes on
	many  = 256  // nodes with which all come back
	room  = 1024 // nodes in shared memory
)

//vyre:kernel workgroup=256
func Begin(t gpu.Thread, seed uint32, seen, list, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = 0
		if i == seed/32 {
			seen[i] = 1 << (seed & 31)
			list[0] = seed
		}
	}
	if i < 3 {
		lengths[i] = 0
	}
}

//vyre:kernel workgroup=256
func Search(t gpu.Thread, offsets, targets, seen, list, lengths, out []uint32) {
	nodes := gpu.Shared[uint32](t, 2*room)
	rows := gpu.Shared[uint64](t, 2*room)
	count := gpu.Shared[uint32](t, 2)
	half := uint32(len(list)) / 2
	threads := t.Groups().X * 256
	round, n, reached := uint32(0), uint32(1), uint32(0)
	for n != 0 {
		if round > 0 && n <= alone {
			if t.Group().X == 0 {
				if t.Local().X < 2 {
					count[t.Local().X] = 0
				}
				t.Barrier()
				held := uint32(0)
				for {
					reached += n
					into := (round + 1) & 1
					lanes := share(n, 256)
					found := uint32(0)
					for base := t.Warp() * (32 >> lanes); base < n; base += 256 >> lanes {
						k, last := uint32(0), uint32(0)
						if i := base + t.Lane()>>lanes; i < held {
							row := rows[(round&1)*room+i]
							k, last = uint32(row>>32), uint32(row)
						} else if i < n {
							v := list[(round&1)*half+i]
							k, last = offsets[v], offsets[v+1]
						}
						for k += t.Lane() & (1<<lanes - 1); t.Any(k < last); k += 1 << lanes {
							to := targets[min(k, uint32(len(targets))-1)]
							row := uint64(offsets[to])<<32 | uint64(offsets[to+1])
							new := k < last && claim(seen, to)
							all := t.Ballot(new)
							at := uint32(0)
							if t.Lane() == 0 && all != 0 {
								at = gpu.AtomicAdd(&count[into], ones(all))
								found += ones(all)
							}
							at = gpu.Shuffle(t, at, 0) + ones(all&(1<<t.Lane()-1))
							if new && at < room {
								nodes[into*room+at], rows[into*room+at] = to, row
							} else if new {
								list[into*half+at] = to
							}
						}
					}
					if t.Local().X == 0 {
						count[round&1] = 0
					}
					n = t.BarrierAdd(found)
					held = min(n, room)
					round++
					if n == 0 || n > many {
						break
					}
				}
				for i := t.Local().X; i < held; i += 256 {
					list[(round&1)*half+i] = nodes[(round&1)*room+i]
				}
				if i := t.Local().X; i < 3 {
					gpu.AtomicStore(&lengths[i], 0)
				}
			}
			both := gpu.GridBarrierBroadcast(t, uint64(round)<<32|uint64(n))
			round, n = uint32(both>>32), uint32(both)
			continue
		}
		reached += n
		lanes := share(n, threads)
		found := uint32(0)
		for base := (t.Warp()*t.Groups().X + t.Group().X) * (32 >> lanes); base < n; base += threads >> lanes {
			k, last := uint32(0), uint32(0)
			if i := base + t.Lane()>>lanes; i < n {
				v := list[(round&1)*half+i]
				k, last = offsets[v], offsets[v+1]
			}
			for k += t.Lane() & (1<<lanes - 1); t.Any(k < last); k += 1 << lanes {
				to := targets[min(k, uint32(len(targets))-1)]
				new := k < last && claim(seen, to)
				all := t.Ballot(new)
				at := uint32(0)
				if t.Lane() == 0 && all != 0 {
					at = gpu.AtomicAdd(&lengths[(round+1)%3], ones(all))
					found += ones(all)
				}
				at = gpu.Shuffle(t, at, 0) + ones(all&(1<<t.Lane()-1))
				if new {
					list[((round+1)&1)*half+at] = to
				}
			}
		}
		if t.Global().X == 0 {
			gpu.AtomicStore(&lengths[(round+2)%3], 0)
		}
		n = t.GridBarrierAdd(found)
		round++
	}
	if t.Global().X == 0 {
		out[0], out[1] = round, reached
	}
}

func claim(seen []uint32, v uint32) bool {
	bit := uint32(1) << (v & 31)
	return gpu.AtomicOr(&seen[v/32], bit)&bit == 0
}

func share(n, threads uint32) uint32 {
	switch {
	case n <= threads/4:
		return 2
	case n <= threads/2:
		return 1
	}
	return 0
}

func ones(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }
`

// handSearch is the search on a device.
type handSearch struct {
	seq *driver.Sequence
	out [8]byte
}

func newHandSearch(t *testing.T, dev driver.Device, g *graph, m *memory, seed, blocks uint32) *handSearch {
	t.Helper()
	ctx := context.Background()
	s := &handSearch{seq: dev.NewSequence("by hand")}
	programs := compile(byHand)
	kernelOf := func(name string) driver.Kernel {
		k, err := dev.Compile(ctx, programs[name], driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { k.Close() })
		return k
	}
	begin, search := kernelOf("Begin"), kernelOf("Search")
	out, err := dev.Alloc(8, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	s.seq.Launch(begin, driver.Groups((g.nodes()/32)/256+1), driver.U32(seed), m.seen, m.queue, m.lengths)
	s.seq.Launch(search, driver.Groups(blocks), m.offsets, m.arcs, m.seen, m.queue, m.lengths, driver.All(out))
	s.seq.Read(driver.All(out), s.out[:])
	if err := s.seq.Prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.seq.Close() })
	return s
}

// run searches, and returns how many rounds that took and how many nodes were reached.
func (s *handSearch) run(t *testing.T) (rounds, reached uint32, r driver.Result) {
	t.Helper()
	r, err := s.seq.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(s.out[:]), binary.LittleEndian.Uint32(s.out[4:]), r
}

// TestByHandIsRight holds the search by hand to the same answers, so that comparing times means something.
func TestByHandIsRight(t *testing.T) {
	checked, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(3), Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	devs := []driver.Device{checked}
	for _, name := range devices() {
		devs = append(devs, open(t, name))
	}
	for _, dev := range devs {
		for _, g := range []*graph{random(1, 150, 3), chain(70), star(400)} {
			m := g.upload(t, dev)
			want, nodes, _ := g.reached(3)
			_, levels := g.depths(3)
			rounds, reached, r := newHandSearch(t, dev, g, m, 3, 2).run(t)
			if rounds != levels+1 || uint64(reached) != nodes || !slices.Equal(m.read(m.seen), want) {
				t.Errorf("%s, %s: %d nodes in %d rounds, want %d in %d", dev.Name(), g.name, reached, rounds, nodes, levels+1)
			}
			for _, f := range r.Reports {
				t.Errorf("%s: %s", g.name, f.Text)
			}
		}
	}
}

// TestWavesAgainstByHand prints how long a search made of waves takes, and the same search by hand in
// Go and, given -twin, in C++.
func TestWavesAgainstByHand(t *testing.T) {
	if *hand == "" {
		t.Skip("asked for by -hand")
	}
	all := devices()
	dev := open(t, all[len(all)-1])
	for _, name := range strings.Split(*hand, ";") {
		csr, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		g := &graph{name: name, offsets: csr.Offsets(), arcs: csr.Targets()}
		m := g.upload(t, dev)
		seed := uint32(0) // the first node that leads anywhere
		for seed+1 < g.nodes() && g.offsets[seed] == g.offsets[seed+1] {
			seed++
		}
		want, nodes, _ := g.reached(seed)
		p, err := megakernel.New(context.Background(), dev, reach(g, m, seed), nil, megakernel.Options{Topology: megakernel.Cooperative})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		s := newHandSearch(t, dev, g, m, seed, uint32(dev.Caps().Units))
		var waves, ours []time.Duration
		var rounds uint32
		for range 7 {
			rec, err := p.Run(context.Background())
			if err != nil || rec.Items != nodes {
				t.Fatalf("%s: %v, %v", name, rec, err)
			}
			waves, rounds = append(waves, p.Result().Wall), rec.Rounds
			n, reached, r := s.run(t)
			if n != rounds || uint64(reached) != nodes || !slices.Equal(m.read(m.seen), want) {
				t.Errorf("%s by hand: %d nodes in %d rounds, want %d in %d", name, reached, n, nodes, rounds)
			}
			ours = append(ours, r.Wall)
		}
		a, b := slices.Min(waves), slices.Min(ours)
		line := fmt.Sprintf("%s: %d rounds, waves %v, %.2f us a round; by hand in Go %v, that by waves %.2f", name, rounds, a, per(a, rounds), b, float64(b)/float64(a))
		if *twin != "" {
			c := runTwin(t, g, seed, rounds, nodes)
			line += fmt.Sprintf("; in C++ %v, that by waves %.2f", c, float64(c)/float64(a))
		}
		t.Log(line)
	}
}

func per(d time.Duration, rounds uint32) float64 {
	return float64(d.Nanoseconds()) / 1e3 / float64(rounds)
}

// runTwin gives the program the graph in a file: nodes, arcs, offsets, targets. It says rounds, nodes and nanoseconds.
func runTwin(t *testing.T, g *graph, seed, rounds uint32, nodes uint64) time.Duration {
	t.Helper()
	file := filepath.Join(t.TempDir(), "graph")
	words := append([]uint32{g.nodes(), uint32(len(g.arcs))}, g.offsets...)
	words = append(words, g.arcs...)
	b := make([]byte, 4*len(words))
	for k, v := range words {
		binary.LittleEndian.PutUint32(b[4*k:], v)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(*twin, file, "7", fmt.Sprint(seed)).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", *twin, err, text)
	}
	var gotRounds uint32
	var gotNodes uint64
	var ns int64
	if _, err := fmt.Sscan(string(text), &gotRounds, &gotNodes, &ns); err != nil || gotRounds != rounds || gotNodes != nodes {
		t.Fatalf("%s says %q (%v), want %d rounds and %d nodes", *twin, text, err, rounds, nodes)
	}
	return time.Duration(ns)
}
