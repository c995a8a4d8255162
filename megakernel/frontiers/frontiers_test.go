package frontiers_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/frontiers"
)

// deviceFlag is where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

// source has a program for each kind. An item looks whether all that its frontier waits for is done, and
// counts itself, by kind, by frontier and by number.
const source = `package work

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/frontiers"
)

func item(t gpu.Thread, kind uint32, starts, places, active, first, before, waits, hits, done, counts, wrong []uint32) {
	place, k := frontiers.Work{Starts: starts, Places: places}.Find(t.Global().X)
	for w := waits[place]; w < waits[place+1]; w++ {
		if gpu.AtomicLoad(&done[before[w]]) != active[before[w]] {
			gpu.AtomicAdd(&wrong[0], 1)
		}
	}
	gpu.AtomicAdd(&hits[first[place]+k], 1)
	gpu.AtomicAdd(&counts[kind], 1)
	gpu.AtomicAdd(&done[place], 1)
}
KERNELS`

var programs = sync.OnceValue(func() map[string]*ir.Program {
	kernels := ""
	for kind, name := range []string{"Parse", "Resolve", "Flow", "Report"} {
		kernels += fmt.Sprintf(`
//vyre:kernel workgroup=64
func %s(t gpu.Thread, starts, places, active, first, before, waits, hits, done, counts, wrong []uint32) {
	item(t, %d, starts, places, active, first, before, waits, hits, done, counts, wrong)
}
`, name, kind)
	}
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "work.go", Src: []byte(strings.Replace(source, "KERNELS", kernels, 1))}}, front.Options{})
	if err != nil {
		panic(err)
	}
	m := map[string]*ir.Program{}
	for _, k := range pkg.Kernels() {
		m[k.Name] = k.Program
	}
	return m
})

// each runs a test on every device; on cpu under all detectors, in several orders of groups and warps.
func each(t *testing.T, test func(t *testing.T, dev driver.Device)) {
	run := func(name string, dev driver.Device, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { test(t, dev) })
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range strings.Split(*deviceFlag, ",") {
		if name != "cpu" {
			dev, err := driver.Open(long.Device(name), driver.OpenOptions{})
			run(name, dev, err)
			continue
		}
		schedules := []cpu.Schedule{cpu.Seeded(3), cpu.Reversed, cpu.Forward, cpu.Seeded(4)}
		for i, s := range schedules[:long.Count(2, 4, 4)] {
			dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: s, Detect: cpu.Everything}})
			run(fmt.Sprintf("cpu %d", i), dev, err)
		}
	}
}

// memory is the buffers of a test.
type memory struct {
	t *testing.T
	b driver.Buffer
}

func upload(t *testing.T, dev driver.Device, words []uint32) memory {
	t.Helper()
	words = append(words[:len(words):len(words)], 0) // never empty
	b, err := dev.Alloc(4*int64(len(words)), driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var host []byte
	for _, w := range words {
		host = binary.LittleEndian.AppendUint32(host, w)
	}
	if err := driver.Write(context.Background(), driver.All(b), host); err != nil {
		t.Fatal(err)
	}
	return memory{t, b}
}

func (m memory) read() (words []uint32) {
	b := make([]byte, m.b.Len())
	if err := driver.ReadInto(context.Background(), driver.All(m.b), b); err != nil {
		m.t.Fatal(err)
	}
	for ; len(b) > 4; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words
}

// draw makes frontiers in an order without circles, of which some have no items.
func draw(seed uint64, n, deps int) (list []frontiers.Frontier, order []frontiers.Order) {
	rng := rand.New(rand.NewPCG(seed, 5))
	for _, k := range rng.Perm(n) {
		list = append(list, frontiers.Frontier{ID: uint64(7 * k), Kind: frontiers.Kind(rng.IntN(4)), Active: uint64(rng.IntN(40) * rng.IntN(3))})
	}
	for range deps {
		if a, b := rng.IntN(n), rng.IntN(n); a != b {
			order = append(order, frontiers.Order{Before: uint64(7 * min(a, b)), After: uint64(7 * max(a, b))})
		}
	}
	return list, order
}

// trial is frontiers with the memory of their programs.
type trial struct {
	list                      []frontiers.Frontier
	order                     []frontiers.Order
	hits, done, counts, wrong memory
	programs                  map[frontiers.Kind]frontiers.Program
	buffers                   []driver.Buffer
}

func prepare(t *testing.T, dev driver.Device, list []frontiers.Frontier, order []frontiers.Order) *trial {
	t.Helper()
	place := map[uint64]uint32{}
	var active, first, before, waits []uint32
	items := uint32(0)
	for k, f := range list {
		place[f.ID] = uint32(k)
		active, first = append(active, uint32(f.Active)), append(first, items)
		items += uint32(f.Active)
	}
	for _, f := range list {
		waits = append(waits, uint32(len(before)))
		for _, d := range order {
			if d.After == f.ID {
				before = append(before, place[d.Before])
			}
		}
	}
	waits = append(waits, uint32(len(before)))
	r := &trial{list: list, order: order, programs: map[frontiers.Kind]frontiers.Program{}}
	args := []driver.Arg{frontiers.Starts{}, frontiers.Places{}}
	for _, words := range [][]uint32{active, first, before, waits} {
		m := upload(t, dev, words)
		r.buffers = append(r.buffers, m.b)
		args = append(args, driver.All(m.b))
	}
	for to, n := range map[*memory]uint32{&r.hits: items, &r.done: uint32(len(list)), &r.counts: 4, &r.wrong: 1} {
		*to = upload(t, dev, make([]uint32, n))
		r.buffers = append(r.buffers, to.b)
	}
	for _, m := range []memory{r.hits, r.done, r.counts, r.wrong} {
		args = append(args, driver.All(m.b))
	}
	for kind, name := range []string{"Parse", "Resolve", "Flow", "Report"} {
		r.programs[frontiers.Kind(kind)] = frontiers.Program{Program: programs()[name], Args: args}
	}
	return r
}

// check compares what was counted on the device with what there is.
func (r *trial) check(t *testing.T, name string, times uint32) (items uint64) {
	t.Helper()
	var counts [4]uint32
	done := r.done.read()
	for k, f := range r.list {
		items += f.Active
		counts[f.Kind] += times * uint32(f.Active)
		if done[k] != times*uint32(f.Active) {
			t.Errorf("%s: %d items of frontier %d ran, want %d", name, done[k], f.ID, times*uint32(f.Active))
		}
	}
	for i, n := range r.hits.read() {
		if n != times {
			t.Fatalf("%s: item %d ran %d times, want %d", name, i, n, times)
		}
	}
	for kind, n := range r.counts.read() {
		if n != counts[kind] {
			t.Errorf("%s: %d items of kind %d, want %d", name, n, kind, counts[kind])
		}
	}
	return items
}

// TestEveryItemRunsOnceAfterWhatItWaitsFor draws frontiers and counts on the device.
func TestEveryItemRunsOnceAfterWhatItWaitsFor(t *testing.T) {
	topologies := []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop, megakernel.BackToBack, megakernel.DeviceLoop, megakernel.Captured}
	each(t, func(t *testing.T, dev driver.Device) {
		for seed := range long.Seeds(t, 4, 6, 40) {
			n := 1 + int(seed*5%17)
			list, order := draw(seed, n, int(seed%3)*n)
			r := prepare(t, dev, list, order)
			o := frontiers.Options{Run: megakernel.Options{Topology: topologies[seed%5], Blocks: 1 + uint32(seed%3)}}
			name := fmt.Sprintf("%d frontiers, %v", n, o.Run.Topology)
			p, err := frontiers.New(context.Background(), dev, list, order, r.programs, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rec, err := p.Run(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if items := r.check(t, name, 1); rec.Items != items {
				t.Errorf("%s: the record has %d items, want %d", name, rec.Items, items)
			}
			if wrong := r.wrong.read()[0]; wrong != 0 {
				t.Errorf("%s: %d items did not see what they wait for", name, wrong)
			}
			// Between layers, and the one that ends the round.
			if want := uint32(p.Waves().Barriers) + 1; o.Run.Topology == megakernel.Cooperative && rec.Barriers != want && rec.Items > 0 {
				t.Errorf("%s: %d barriers, want %d", name, rec.Barriers, want)
			}
			for _, found := range p.Plan().Result().Reports {
				t.Errorf("%s: %s", name, found.Text)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			for _, b := range r.buffers {
				b.Close()
			}
			if live := dev.Stats().Get(metric.LiveBytes); live != 0 {
				t.Errorf("%s: %d bytes live after Close", name, live)
			}
		}
	})
}

// TestOrderIsWhatKeepsIt takes the order away, and sees items that did not wait: so the test above can fail.
func TestOrderIsWhatKeepsIt(t *testing.T) {
	dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Reversed}})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	list := []frontiers.Frontier{{ID: 1, Kind: frontiers.Parser, Active: 50}, {ID: 2, Kind: frontiers.Semantic, Active: 70}}
	order := []frontiers.Order{{Before: 1, After: 2}}
	for _, c := range []struct {
		name  string
		order []frontiers.Order
		wrong uint32
	}{{"in order", order, 0}, {"without", nil, 70}} {
		r := prepare(t, dev, list, order)
		p, err := frontiers.New(context.Background(), dev, list, c.order, r.programs, frontiers.Options{Run: megakernel.Options{Blocks: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := r.wrong.read()[0]; (got == 0) != (c.wrong == 0) {
			t.Errorf("%s: %d items were early, want %d", c.name, got, c.wrong)
		}
		p.Close()
	}
}

// TestARunCanBeRepeated: each Run runs every frontier once more. Plans of the same kinds in the same order share kernels,
// whatever the numbers of their items.
func TestARunCanBeRepeated(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		cache := megakernel.NewCache(dev, 0)
		defer cache.Close()
		var made uint64
		for _, factor := range []uint64{1, 3} {
			list, order := draw(11, 9, 12)
			for k := range list {
				list[k].Active *= factor
			}
			r := prepare(t, dev, list, order)
			p, err := frontiers.New(context.Background(), dev, list, order, r.programs, frontiers.Options{Run: megakernel.Options{Cache: cache}})
			if err != nil {
				t.Fatal(err)
			}
			for times := range uint32(3) {
				if _, err := p.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				r.check(t, "again", times+1)
			}
			p.Close()
			for _, b := range r.buffers {
				b.Close()
			}
			if n := cache.Stats().Misses; factor == 1 {
				made = n
			} else if n != made || made == 0 {
				t.Errorf("a plan of more items makes %d kernels, after %d", n-made, made)
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list := []frontiers.Frontier{{ID: 1, Kind: frontiers.Parser, Active: 5}, {ID: 2, Kind: frontiers.Diagnostic, Active: megakernel.MaxItems + 1}}
	r := prepare(t, dev, list[:1], nil)
	delete(r.programs, frontiers.Diagnostic)
	few := map[frontiers.Kind]frontiers.Program{frontiers.Parser: {Program: programs()["Parse"]}}
	for _, c := range []struct {
		list     []frontiers.Frontier
		order    []frontiers.Order
		programs map[frontiers.Kind]frontiers.Program
		want     string
	}{
		{nil, nil, r.programs, "empty"},
		{list[:1], []frontiers.Order{{Before: 1, After: 1}}, r.programs, "cycle(1, 0→0)"},
		{list, nil, r.programs, "no_program(1)"},
		{list[:1], nil, few, "F1(0)"},
	} {
		_, err := frontiers.New(context.Background(), dev, c.list, c.order, c.programs, frontiers.Options{})
		var why *plan.Reason
		if !errors.As(err, &why) || why.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, b := range r.buffers {
		b.Close()
	}
	if live := dev.Stats().Get(metric.LiveBytes); live != 0 {
		t.Errorf("what was refused left %d bytes", live)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
