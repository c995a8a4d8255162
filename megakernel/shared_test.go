package megakernel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// mixSource makes eight programs that differ in k: one in two runs in workgroups with shared memory.
func mixSource() string {
	var s strings.Builder
	s.WriteString("package mix\n\nimport \"github.com/govyre/vyre/gpu\"\n")
	for k := range 4 {
		fmt.Fprintf(&s, `
//vyre:kernel workgroup=64
func Mix%[1]d(t gpu.Thread, k uint32, a, b, to []uint32) {
	i := t.Global().X
	to[i] = a[i]*%[2]d + b[i]>>1 + k + uint32(len(a))
	gpu.Put(to, i+uint32(len(to)), 7)
}

//vyre:kernel workgroup=64
func Turn%[1]d(t gpu.Thread, k uint32, a, b, to []uint32) {
	s := gpu.Shared[uint32](t, 64)
	i := t.Local().X
	s[63-i] = a[t.Group().X*64+i]
	t.Barrier()
	to[t.Group().X*64+i] = s[i] + k*%[2]d ^ b[t.Group().X*64+i]
}
`, k, 2*k+3)
	}
	return s.String()
}

var mixes = sync.OnceValue(func() []*ir.Program {
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "mix.go", Src: []byte(mixSource())}}, front.Options{})
	if err != nil {
		panic(err)
	}
	var ps []*ir.Program
	for _, k := range pkg.Kernels() {
		ps = append(ps, k.Program)
	}
	return ps
})

// tangle is many waves of eight programs, each of which reads what two earlier ones wrote.
type tangle struct {
	from  [][2]int
	k     []uint32
	size  uint32 // elements of each wave
	waves int
	deps  []megakernel.Dependency
}

func newTangle(seed uint64, waves, deps int) *tangle {
	rng := rand.New(rand.NewPCG(seed, 2))
	g := &tangle{size: 128, waves: waves}
	for w := range waves {
		var from [2]int
		for i := range from {
			if from[i] = -1; w > 8 {
				from[i] = w - 1 - rng.IntN(min(w, 200))
				g.deps = append(g.deps, megakernel.Dependency{Before: from[i], After: w})
			}
		}
		g.from, g.k = append(g.from, from), append(g.k, rng.Uint32())
	}
	for len(g.deps) < deps {
		w := 9 + rng.IntN(waves-9)
		g.deps = append(g.deps, megakernel.Dependency{Before: max(0, w-200-rng.IntN(200)), After: w})
	}
	return g
}

// results is what the waves leave, computed one after another; start is what those read that have nobody before them.
func (g *tangle) results(start []uint32) [][]uint32 {
	var all [][]uint32
	for w := range g.waves {
		in := [2][]uint32{start, start}
		for i, v := range g.from[w] {
			if v >= 0 {
				in[i] = all[v]
			}
		}
		out, m := make([]uint32, g.size), uint32(2*(w%8/2)+3)
		for i := range out {
			if w%8%2 == 0 {
				out[i] = in[0][i]*m + in[1][i]>>1 + g.k[w] + g.size
			} else {
				out[i] = in[0][i/64*64+63-i%64] + g.k[w]*m ^ in[1][i]
			}
		}
		all = append(all, out)
	}
	return all
}

// of makes the waves, with their memory where place says.
func (g *tangle) of(start driver.Range, place func(w int) driver.Arg) []megakernel.Wave {
	waves := make([]megakernel.Wave, g.waves)
	for w := range waves {
		in := [2]driver.Arg{start, start}
		for i, v := range g.from[w] {
			if v >= 0 {
				in[i] = place(v)
			}
		}
		n := g.size
		if w%8%2 == 1 {
			n /= 64
		}
		waves[w] = megakernel.Wave{Program: mixes()[w%8], Args: []driver.Arg{driver.U32(g.k[w]), in[0], in[1], place(w)}, Domain: megakernel.Fixed(n)}
	}
	return waves
}

func startOf(t *testing.T, dev driver.Device, size uint32) (driver.Range, []uint32) {
	host := make([]uint32, size)
	for i := range host {
		host[i] = uint32(i) * 2654435761
	}
	return words(t, dev, host), host
}

// words is a buffer of some words.
func words(t *testing.T, dev driver.Device, host []uint32) driver.Range {
	t.Helper()
	b, err := dev.Alloc(4*int64(len(host)), driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	bytes := make([]byte, 0, 4*len(host))
	for _, v := range host {
		bytes = append(bytes, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	if err := driver.Write(t.Context(), driver.All(b), bytes); err != nil {
		t.Fatal(err)
	}
	return driver.All(b)
}

// TestWavesOfOneProgramShareABody runs a thousand waves of eight programs, in one buffer, in every
// topology with rounds, with shared bodies and with bodies of their own.
func TestWavesOfOneProgramShareABody(t *testing.T) {
	for _, name := range devices() {
		for _, c := range []struct {
			waves, deps, rows int
			topologies        []megakernel.Topology
		}{
			{60, 200, 0, topologies},
			{60, 200, 900, topologies},
			{1024, 10000, 0, []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop}},
		} {
			g := newTangle(7, c.waves, c.deps)
			for _, top := range c.topologies {
				if c.waves > 100 && name == "cuda-sim" && top != megakernel.Cooperative {
					continue // hundreds of launches, each simulated
				}
				t.Run(fmt.Sprintf("%s/%d of %d rows/%v", name, c.waves, c.rows, top), func(t *testing.T) {
					dev := open(t, name)
					start, host := startOf(t, dev, g.size)
					data := words(t, dev, make([]uint32, c.waves*int(g.size)))
					waves := g.of(start, func(w int) driver.Arg { return driver.Part(data.Buffer, 4*int64(w)*int64(g.size), 4*int64(g.size)) })
					begin := time.Now()
					p, err := megakernel.New(t.Context(), dev, waves, g.deps, megakernel.Options{Topology: top, MaxRows: c.rows})
					if err != nil {
						t.Fatal(err)
					}
					defer p.Close()
					t.Logf("planned, fused and compiled in %v", time.Since(begin))
					rec, err := p.Run(t.Context())
					if err != nil || rec.Status != megakernel.Converged || rec.Rounds != 1 {
						t.Fatalf("%+v, %v", rec, err)
					}
					got := (&memory{t: t}).read(data)
					for w, want := range g.results(host) {
						if at := w * int(g.size); !slices.Equal(got[at:at+int(g.size)], want) {
							t.Fatalf("wave %d: got %v, want %v", w, got[at:at+4], want[:4])
						}
					}
				})
			}
		}
	}
}

// BenchmarkThousandWaves plans 1,000 waves of eight programs with 10,000 dependencies and writes their program; compiling
// it is the device's. Planned again, with a cache, there is no program to write.
func BenchmarkThousandWaves(b *testing.B) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	g := newTangle(7, 1000, 10000)
	mem, err := dev.Alloc(4*int64(g.waves+1)*int64(g.size), driver.AllocOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer mem.Close()
	at := func(w int) driver.Arg { return driver.Part(mem, 4*int64(w)*int64(g.size), 4*int64(g.size)) }
	waves := g.of(at(g.waves).(driver.Range), at)
	c := megakernel.NewCache(dev, 0)
	defer c.Close()
	planned := func() *megakernel.Plan {
		p, err := megakernel.New(b.Context(), dev, waves, g.deps, megakernel.Options{Topology: megakernel.Cooperative, Cache: c})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	p := planned()
	defer p.Close()
	b.Run("plan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			planned().Close()
		}
	})
	b.Run("fuse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Fuse(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
