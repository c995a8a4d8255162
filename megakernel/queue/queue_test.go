package queue_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel/queue"
)

// deviceFlag is where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

// source has the work of the tests: counting how often each node of a graph without cycles is come to,
// once a path.
const source = `package paths

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/queue"
)

type paths struct {
	spare                  uint32 // beyond what an item creates
	offsets, targets, seen []uint32
}

func (p paths) Check(item queue.Item) (most, reason uint32) {
	v := item.Args[0]
	switch {
	case item.Op != 7:
		return 0, 1
	case v+1 >= uint32(len(p.offsets)):
		return 0, 2
	case item.Args[1] != ^v || item.Args[2] != v*3:
		return 0, 3
	}
	return p.offsets[v+1] - p.offsets[v] + p.spare, 0
}

func (p paths) Do(t gpu.Thread, item queue.Item) uint32 {
	v := item.Args[0]
	gpu.AtomicAdd(&p.seen[v], 1)
	return p.offsets[v+1] - p.offsets[v]
}

func (p paths) Child(t gpu.Thread, item queue.Item, k uint32) queue.Item {
	v := p.targets[p.offsets[item.Args[0]]+k]
	return queue.Item{Op: 7, Args: [3]uint32{v, ^v, v * 3}}
}

//vyre:kernel workgroup=32
func Narrow(t gpu.Thread, spare uint32, offsets, targets, seen []uint32, sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
	queue.Run(t, paths{spare, offsets, targets, seen}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
}

//vyre:kernel workgroup=128
func Wide(t gpu.Thread, spare uint32, offsets, targets, seen []uint32, sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
	queue.Run(t, paths{spare, offsets, targets, seen}, queue.Ring{Sequence: sequence, Items: items, Control: control, Deferred: deferred})
}

//vyre:kernel workgroup=48
func Odd(t gpu.Thread, sequence []uint64, items []queue.Item, control []uint64, deferred []queue.Item) {
	t.GridBarrier()
	sequence[0], items[0], control[0], deferred[0] = 1, queue.Item{}, 1, queue.Item{}
}

//vyre:kernel workgroup=32
func Alone(t gpu.Thread, sequence []uint64) {
	sequence[0] = 1
}
`

var programs = sync.OnceValue(func() map[string]*ir.Program {
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "paths.go", Src: []byte(source)}}, front.Options{})
	if err != nil {
		panic(err)
	}
	m := map[string]*ir.Program{}
	for _, k := range pkg.Kernels() {
		m[k.Name] = k.Program
	}
	return m
})

// dag is a graph without cycles, by rows.
type dag struct {
	offsets, targets []uint32
	most             int // arcs of a row
}

// draw makes n nodes with 1 to most arcs each, to nodes with greater numbers: few to each, so that
// there are not too many paths.
func draw(seed uint64, n, most int) dag {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	g := dag{offsets: []uint32{0}}
	next := 1
	for v := range n {
		arcs := 0
		for range 1 + rng.IntN(most) {
			to := next
			if rng.IntN(10) == 0 && v+1 < n {
				to = v + 1 + rng.IntN(n-v-1) // one more way to it
			} else {
				next++
			}
			if to > v && to < n {
				g.targets = append(g.targets, uint32(to))
				arcs++
			}
		}
		g.most = max(g.most, arcs)
		g.offsets = append(g.offsets, uint32(len(g.targets)))
	}
	if len(g.targets) == 0 {
		g.targets = []uint32{0}
	}
	return g
}

func item(v uint32) queue.Item { return queue.Item{Op: 7, Args: [3]uint32{v, ^v, v * 3}} }

// paths is what a sequential queue comes to.
func (g dag) paths(starts []uint32) (seen []uint32, items uint64) {
	seen = make([]uint32, len(g.offsets)-1)
	for list := slices.Clone(starts); len(list) > 0; items++ {
		v := list[0]
		list = append(list[1:], g.targets[g.offsets[v]:g.offsets[v+1]]...)
		seen[v]++
	}
	return seen, items
}

// memory is a graph on a device, with a kernel.
type memory struct {
	t      *testing.T
	dev    vyre.Device
	kernel vyre.Kernel
	seen   *vyre.Buffer[uint32]
	args   []vyre.Arg
}

func (g dag) upload(t *testing.T, dev vyre.Device, kernel string) *memory {
	t.Helper()
	m := &memory{t: t, dev: dev}
	up := func(s []uint32) *vyre.Buffer[uint32] {
		b, err := vyre.Upload(t.Context(), dev, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	m.seen = up(make([]uint32, len(g.offsets)-1))
	m.args = []vyre.Arg{vyre.Value(uint32(0)), up(g.offsets).All(), up(g.targets).All(), m.seen.All()}
	var err error
	if m.kernel, err = dev.Compile(context.Background(), programs()[kernel], vyre.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.kernel.Close() })
	return m
}

func (m *memory) queue(o queue.Options) *queue.Queue {
	m.t.Helper()
	q, err := queue.New(context.Background(), m.dev, m.kernel, m.args, o)
	if err != nil {
		m.t.Fatal(err)
	}
	return q
}

// counts returns what was seen, and forgets it.
func (m *memory) counts() []uint32 {
	m.t.Helper()
	seen, err := m.seen.Read(context.Background())
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.seen.Write(context.Background(), make([]uint32, len(seen))); err != nil {
		m.t.Fatal(err)
	}
	return seen
}

// balanced checks what always holds of a run that came to its end.
func balanced(t *testing.T, what string, r queue.Record, items uint64) {
	t.Helper()
	if r.Pushed != items || r.Popped != items || r.Done+r.Faults != items || r.Live != 0 || r.Peak > r.Capacity {
		t.Errorf("%s: %+v, want %d items", what, r, items)
	}
}

// quiet checks that no detector found anything.
func quiet(t *testing.T, what string, q *queue.Queue) {
	t.Helper()
	for _, r := range q.Result().Reports {
		t.Errorf("%s: %s: %s", what, r.Kernel, r.Text)
	}
}

// open opens a device; cpu with all detectors, in an order of groups and warps that the seed gives.
func open(t *testing.T, name string, seed uint64) vyre.Device {
	t.Helper()
	var dev driver.Device
	var err error
	if name == "cpu" {
		dev, err = cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(seed), Detect: cpu.Everything}})
	} else {
		dev, err = driver.Open(long.Device(name), driver.OpenOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func devices() []string { return strings.Split(*deviceFlag, ",") }

// TestQueueDoesWhatASequentialOneDoes compares how often each item was done.
func TestQueueDoesWhatASequentialOneDoes(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 1)
		for _, n := range []int{1, 40, 600} {
			for _, kernel := range []string{"Narrow", "Wide"} {
				g := draw(uint64(n), n, 4)
				m := g.upload(t, dev, kernel)
				starts := []uint32{0, uint32(n / 3), uint32(n / 2), 0}
				want, items := g.paths(starts)
				q := m.queue(queue.Options{Most: g.most, Capacity: 1024, Blocks: 3})
				for range 2 {
					what := fmt.Sprintf("%s, %s, %d nodes", device, kernel, n)
					rec, err := q.Run(context.Background(), []queue.Item{item(starts[0]), item(starts[1]), item(starts[2]), item(starts[3])})
					if err != nil {
						t.Fatal(err)
					}
					balanced(t, what, rec, items)
					quiet(t, what, q)
					if got := m.counts(); !slices.Equal(got, want) {
						t.Errorf("%s: items were done %v times, want %v", what, got, want)
					}
					if rec.Launches != 1 || rec.Deferred != 0 || rec.Capacity != 1024 {
						t.Errorf("%s: %+v, want one launch", what, rec)
					}
				}
				if err := q.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
