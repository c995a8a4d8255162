package megakernel_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// source holds the waves of the tests: steps of a breadth-first search.
const source = `package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Reach marks what can be reached.
type Reach struct{ seen []uint32 }

func (r Reach) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to & 31)
	return gpu.AtomicOr(&r.seen[to/32], bit)&bit == 0
}

//vyre:kernel workgroup=256
func ReachRound(t gpu.Thread, round, n uint32, offsets, targets, seen, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

//vyre:kernel workgroup=256
func ReachStay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Stay(t, Reach{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

//vyre:kernel workgroup=256
func ReachDrain(t gpu.Thread, offsets, targets, seen, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Drain(t, Reach{seen}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}

// Level gives nodes their level, in either direction.
type Level struct {
	level        []uint32
	round, kinds uint32
}

func (l Level) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return mask&l.kinds != 0 && gpu.AtomicLoad(&l.level[to]) == ^uint32(0) && gpu.AtomicCompareExchange(&l.level[to], ^uint32(0), l.round+1) == ^uint32(0)
}

func (l Level) Open(node uint32) bool { return gpu.AtomicLoad(&l.level[node]) == ^uint32(0) }

func (l Level) Leads(from, mask uint32) bool { return mask&l.kinds != 0 && gpu.AtomicLoad(&l.level[from]) == l.round }

func (l Level) Take(node uint32) { gpu.AtomicStore(&l.level[node], l.round+1) }

//vyre:kernel workgroup=64
func LevelRound(t gpu.Thread, round, n, kinds, closed, forward, scan uint32, offsets, targets, masks, reverse, sources, reverseMasks, level []uint32, sums []uint64, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources, Masks: reverseMasks}, Sums: sums, Closed: closed, Forward: forward, Scan: scan}
	arcs.RoundBoth(t, Level{level, round, kinds}, g, turn, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

func (l Level) At(round uint32) Level {
	l.round = round
	return l
}

//vyre:kernel workgroup=64
func LevelStay(t gpu.Thread, round, n, limit, many, kinds, forward, scan uint32, offsets, targets, masks, level []uint32, sums []uint64, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.StayBoth(t, Level{level, round, kinds}, g, arcs.Turn{Sums: sums, Forward: forward, Scan: scan}, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

//vyre:kernel workgroup=64
func LevelClear(t gpu.Thread, level []uint32, sums []uint64, lengths []uint32) {
	v := t.Global().X
	if v < uint32(len(level)) {
		level[v] = ^uint32(0)
	}
	if v < uint32(len(sums)) {
		sums[v] = 0
	}
	if v < 3 {
		lengths[v] = 0
	}
}

//vyre:kernel workgroup=64
func LevelSeed(t gpu.Thread, seed uint32, offsets, reverse, level []uint32, sums []uint64, list, lengths []uint32) {
	if t.Global().X != 0 {
		return
	}
	level[seed], list[0], lengths[0] = 0, seed, 1
	arcs.Turn{Reverse: arcs.Graph{Offsets: reverse}, Sums: sums}.Seed(arcs.Graph{Offsets: offsets}, seed)
}

//vyre:kernel workgroup=256
func AddResult(t gpu.Thread, result []uint64) {
	gpu.AtomicAdd(&result[0], 1)
}

// ReachClear makes a search from seed begin.
//
//vyre:kernel workgroup=64
func ReachClear(t gpu.Thread, seed uint32, seen, list, lengths []uint32) {
	i := t.Global().X
	seen[i] = 0
	if i == seed/32 {
		seen[i] = 1 << (seed & 31)
		list[0] = seed
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[i] = 1
		}
	}
}

// Expand appends the neighbours of the nodes in the list of the round that were not reached before.
//
//vyre:kernel workgroup=128
func Expand(t gpu.Thread, round uint32, offsets, arcs, depth, queue, lengths, weight []uint32) {
	half := uint32(len(depth))
	v := queue[(round&1)*half+t.Global().X]
	for k := offsets[v]; k < offsets[v+1]; k++ {
		if gpu.AtomicCompareExchange(&depth[arcs[k]], ^uint32(0), round+1) == ^uint32(0) {
			at := gpu.AtomicAdd(&lengths[(round+1)%3], 1)
			queue[((round+1)&1)*half+at] = arcs[k]
			gpu.AtomicAdd(&weight[0], 1)
		}
	}
}

// Clear makes a search of seed begin.
//
//vyre:kernel workgroup=64
func Clear(t gpu.Thread, seed uint32, depth, queue, lengths []uint32) {
	v := t.Global().X
	depth[v] = ^uint32(0)
	if v == seed {
		depth[v] = 0
		queue[0] = v
	}
	if v < 3 {
		lengths[v] = 0
		if v == 0 {
			lengths[v] = 1
		}
	}
}

// Sweep is a search without lists: it looks at all nodes in every round.
//
//vyre:kernel workgroup=128
func Sweep(t gpu.Thread, round uint32, offsets, arcs, depth, weight []uint32) {
	v := t.Global().X
	if gpu.AtomicLoad(&depth[v]) != round {
		return
	}
	for k := offsets[v]; k < offsets[v+1]; k++ {
		if gpu.AtomicCompareExchange(&depth[arcs[k]], ^uint32(0), round+1) == ^uint32(0) {
			gpu.AtomicAdd(&weight[0], 1)
		}
	}
}

// Gather is Sweep the other way round, in workgroups with shared memory: a node looks at those
// that its arcs lead to.
//
//vyre:kernel workgroup=64
func Gather(t gpu.Thread, round uint32, offsets, arcs, depth, next, weight []uint32) {
	found := gpu.Shared[uint32](t, 1)
	if t.Local().X == 0 {
		found[0] = 0
	}
	t.Barrier()
	v := t.Group().X*64 + t.Local().X
	if v < uint32(len(depth)) {
		next[v] = depth[v]
		if depth[v] == ^uint32(0) {
			for k := offsets[v]; k < offsets[v+1]; k++ {
				if depth[arcs[k]] == round {
					next[v] = round + 1
					gpu.AtomicAdd(&found[0], 1)
					break
				}
			}
		}
	}
	t.Barrier()
	if t.Local().X == 0 && found[0] != 0 {
		gpu.AtomicAdd(&weight[0], found[0])
	}
}

// Keep makes what Gather found the depths.
//
//vyre:kernel workgroup=128
func Keep(t gpu.Thread, depth, next []uint32) {
	depth[t.Global().X] = next[t.Global().X]
}
`

// programs holds the waves, compiled once.
var programs = sync.OnceValue(func() map[string]*ir.Program { return compile(source) })

// programsOf has the rounds of reach for groups of some other size.
func programsOf(threads uint32) map[string]*ir.Program {
	all := maps.Clone(programs())
	for _, name := range []string{"ReachRound", "ReachStay"} {
		all[name] = compile(strings.ReplaceAll(source, "workgroup=256", fmt.Sprintf("workgroup=%d", threads)))[name]
	}
	return all
}

func compile(source string) map[string]*ir.Program {
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "waves.go", Src: []byte(source)}}, front.Options{})
	if err != nil {
		panic(err)
	}
	m := map[string]*ir.Program{}
	for _, k := range pkg.Kernels() {
		m[k.Name] = k.Program
	}
	return m
}

// graph is a directed graph in CSR form.
type graph struct {
	name    string
	offsets []uint32
	arcs    []uint32
}

func (g *graph) nodes() uint32 { return uint32(len(g.offsets) - 1) }

// fromArcs makes a graph of arcs from node to node.
func fromArcs(name string, n int, arcs [][2]uint32) *graph {
	g := &graph{name: name, offsets: make([]uint32, n+1), arcs: make([]uint32, len(arcs))}
	for _, a := range arcs {
		g.offsets[a[0]+1]++
	}
	for v := range n {
		g.offsets[v+1] += g.offsets[v]
	}
	at := append([]uint32(nil), g.offsets...)
	for _, a := range arcs {
		g.arcs[at[a[0]]] = a[1]
		at[a[0]]++
	}
	return g
}

func chain(n int) *graph {
	var arcs [][2]uint32
	for v := range uint32(n) - 1 {
		arcs = append(arcs, [2]uint32{v, v + 1}, [2]uint32{v + 1, v})
	}
	return fromArcs(fmt.Sprintf("chain %d", n), n, arcs)
}

func star(n int) *graph {
	var arcs [][2]uint32
	for v := uint32(1); v < uint32(n); v++ {
		arcs = append(arcs, [2]uint32{0, v}, [2]uint32{v, 0})
	}
	return fromArcs(fmt.Sprintf("star %d", n), n, arcs)
}

// random is a symmetric graph with about degree arcs a node, and some nodes that nothing reaches.
func random(seed uint64, n, degree int) *graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	var arcs [][2]uint32
	for range n * degree / 2 {
		a, b := rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))
		arcs = append(arcs, [2]uint32{a, b}, [2]uint32{b, a})
	}
	return fromArcs(fmt.Sprintf("random %d of %d", seed, n), n, arcs)
}

// depths is the search as books have it, with the number of levels.
func (g *graph) depths(seed uint32) (depth []uint32, levels uint32) {
	depth = make([]uint32, g.nodes())
	for v := range depth {
		depth[v] = ^uint32(0)
	}
	depth[seed] = 0
	for queue := []uint32{seed}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		levels = depth[v]
		for _, w := range g.arcs[g.offsets[v]:g.offsets[v+1]] {
			if depth[w] == ^uint32(0) {
				depth[w] = depth[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return depth, levels
}

// memory is the buffers of a search on a device.
type memory struct {
	t                                 *testing.T
	dev                               driver.Device
	offsets, arcs, depth, next, queue driver.Range
	lengths, seen                     driver.Range
}

func (g *graph) upload(t *testing.T, dev driver.Device) *memory {
	t.Helper()
	m := &memory{t: t, dev: dev}
	n := int64(g.nodes())
	for _, r := range []struct {
		to    *driver.Range
		words int64
		host  []uint32
	}{{&m.offsets, n + 1, g.offsets}, {&m.arcs, int64(max(len(g.arcs), 1)), g.arcs}, {&m.depth, n, nil}, {&m.next, n, nil}, {&m.queue, 2 * n, nil}, {&m.lengths, 3, nil}, {&m.seen, (n + 31) / 32, nil}} {
		b, err := dev.Alloc(4*r.words, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		*r.to = driver.All(b)
		host := make([]byte, 4*r.words)
		for k, v := range r.host {
			binary.LittleEndian.PutUint32(host[4*k:], v)
		}
		if err := driver.Write(context.Background(), *r.to, host); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *memory) read(r driver.Range) []uint32 {
	m.t.Helper()
	b := make([]byte, r.Len)
	if err := driver.ReadInto(context.Background(), r, b); err != nil {
		m.t.Fatal(err)
	}
	words := make([]uint32, r.Len/4)
	for k := range words {
		words[k] = binary.LittleEndian.Uint32(b[4*k:])
	}
	return words
}

// devices are where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

func devices() []string { return strings.Split(*deviceFlag, ",") }

func open(t *testing.T, name string) driver.Device {
	t.Helper()
	dev, err := driver.Open(long.Device(name), driver.OpenOptions{})
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
