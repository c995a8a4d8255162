package megakernel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// A random set of waves: kernels with random bodies over a few buffers, some with a commutative update, in groups of their
// own or not, with domains that are given and such that an earlier wave counts, before, in and after the rounds. It can be
// made for any size of group, and what it leaves, computed by the host, does not depend on that.

// span is how many elements a buffer has.
const span = 97

// term is an expression over what an item loads, which is written as Go and computed.
type term struct {
	op   string
	a, b *term
	leaf int // of those without op: a place in item's values, or, from leaves on, a constant
}

const leaves = 5 // i, round, k, x, y

func randomTerm(r *rand.Rand, depth int) *term {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 {
			return &term{leaf: leaves + r.IntN(1000)}
		}
		return &term{leaf: r.IntN(leaves)}
	}
	e := &term{op: []string{"+", "-", "*", "&", "|", "^", ">>"}[r.IntN(7)], a: randomTerm(r, depth-1), b: randomTerm(r, depth-1)}
	if e.a.leaf >= leaves && e.b.leaf >= leaves { // Go would compute it, and refuse what overflows
		e.b = &term{leaf: r.IntN(leaves)}
	}
	return e
}

func (e *term) text() string {
	switch {
	case e.op == ">>":
		return fmt.Sprintf("(%s >> (%s & 31))", e.a.text(), e.b.text())
	case e.op != "":
		return fmt.Sprintf("(%s %s %s)", e.a.text(), e.op, e.b.text())
	case e.leaf < leaves:
		return []string{"i", "round", "k", "x[(i*k+round)%n]", "y[(i+k)%n]"}[e.leaf]
	}
	return fmt.Sprintf("uint32(%d)", e.leaf-leaves)
}

func (e *term) of(v *[leaves]uint32) uint32 {
	if e.op == "" {
		if e.leaf < leaves {
			return v[e.leaf]
		}
		return uint32(e.leaf - leaves)
	}
	a, b := e.a.of(v), e.b.of(v)
	switch e.op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	}
	return a >> (b & 31)
}

// update is a commutative update of an element.
var updates = map[string]func(old, v uint32) uint32{
	"Add": func(old, v uint32) uint32 { return old + v },
	"Min": func(old, v uint32) uint32 { return min(old, v) },
	"Max": func(old, v uint32) uint32 { return max(old, v) },
	"And": func(old, v uint32) uint32 { return old & v },
	"Or":  func(old, v uint32) uint32 { return old | v },
	"Xor": func(old, v uint32) uint32 { return old ^ v },
}

// body is a random kernel. One in groups sums x by groups, and updates one element with each sum.
type body struct {
	value  *term
	update string
	groups bool
}

func (b *body) text(name string, size uint32) string {
	if b.groups {
		return fmt.Sprintf(`
//vyre:kernel workgroup=%[2]d
func %[1]s(t gpu.Thread, k uint32, x, to []uint32) {
	s := gpu.Shared[uint32](t, %[2]d)
	i := t.Local().X
	s[i] = 0
	if at := t.Group().X*%[2]d + i; at < uint32(len(x)) {
		s[i] = x[at] * k
	}
	t.Barrier()
	for half := uint32(%[2]d / 2); half > 0; half /= 2 {
		if i < half {
			s[i] += s[i+half]
		}
		t.Barrier()
	}
	if i == 0 {
		gpu.AtomicAdd(&to[k%%uint32(len(to))], s[0])
	}
}
`, name, size)
	}
	return fmt.Sprintf(`
//vyre:kernel workgroup=%d
func %s(t gpu.Thread, round, k, limit uint32, x, y, own, to, weight []uint32) {
	i, n := t.Global().X, uint32(len(x))
	v := %s
	own[i] = v
	gpu.Atomic%s(&to[(v^k)%%n], v)
	if round < limit {
		gpu.AtomicAdd(&weight[0], v>>3&1)
	}
}
`, size, name, b.value.text(), b.update)
}

// counting stores how many items a later wave has.
const counting = `
//vyre:kernel workgroup=%d
func Count(t gpu.Thread, round, k uint32, word []uint32) {
	word[0] = (round*k + 7) %% 61
}
`

// node is one wave: a body (-1 is Count) over buffers, of which the first half are updated and the rest each wave's own.
type node struct {
	body            int
	k, limit        uint32
	x, y, own, to   int
	size            uint32 // of its domain
	counted, counts int    // the words of its domain, and which it stores; -1
	phase           megakernel.Phase
}

// web is a random set of waves.
type web struct {
	seed    uint64
	bodies  []*body
	nodes   []node
	updated int // buffers that waves update
	buffers int // and those with each wave's own
	words   int // that count
	deps    []megakernel.Dependency
}

func randomWeb(seed uint64) *web {
	r := rand.New(rand.NewPCG(seed, 12))
	w := &web{seed: seed, updated: 3}
	ops := []string{"Add", "And", "Max", "Min", "Or", "Xor"}
	for range 1 + r.IntN(3) {
		w.bodies = append(w.bodies, &body{value: randomTerm(r, 3), update: ops[r.IntN(len(ops))], groups: r.IntN(4) == 0})
	}
	for k := range 2 + r.IntN(7) {
		n := node{body: r.IntN(len(w.bodies)), k: r.Uint32() | 1, limit: r.Uint32N(6), own: w.updated + k, size: r.Uint32N(span + 1), counted: -1, counts: -1}
		n.x, n.y, n.to = r.IntN(w.updated+k), r.IntN(w.updated+k), r.IntN(w.updated)
		for n.x == n.to {
			n.x = r.IntN(w.updated + k)
		}
		for n.y == n.to {
			n.y = r.IntN(w.updated + k)
		}
		switch r.IntN(6) {
		case 0:
			n.phase = megakernel.Before
		case 1:
			n.phase = megakernel.After
		case 2, 3:
			n.body, n.counts, n.size = -1, w.words, 1
			w.words++
		default:
			if w.words > 0 && !w.bodies[n.body].groups {
				n.counted = r.IntN(w.words)
			}
		}
		w.nodes = append(w.nodes, n)
	}
	w.buffers = w.updated + len(w.nodes)
	w.nodes[0].phase, w.nodes[0].counted = megakernel.EveryRound, -1
	w.order(r)
	return w
}

// uses are what a wave does to buffers: 'r', 'w', or the first letters of an update.
func (w *web) uses(n *node) map[int]string {
	word := func(k int) int { return 1000 + k }
	all := map[int]string{}
	switch {
	case n.counts >= 0:
		all[word(n.counts)] = "w"
		return all
	case w.bodies[n.body].groups:
		all[n.x], all[n.to] = "r", "Add"
	default:
		all[n.x], all[n.y] = "r", "r"
		all[n.own], all[n.to] = "w", w.bodies[n.body].update
	}
	if n.counted >= 0 {
		all[word(n.counted)] = "r"
	}
	return all
}

// order adds the dependencies that the waves' accesses ask for, and some more.
func (w *web) order(r *rand.Rand) {
	for j := range w.nodes {
		for i := range j {
			if w.nodes[i].phase != w.nodes[j].phase {
				continue
			}
			a, b := w.uses(&w.nodes[i]), w.uses(&w.nodes[j])
			needs := r.IntN(8) == 0
			for buffer, how := range a {
				other, ok := b[buffer]
				needs = needs || ok && (how != other || how == "w")
			}
			if needs {
				w.deps = append(w.deps, megakernel.Dependency{Before: i, After: j})
			}
		}
	}
}

// start is what buffers and words hold before a run.
func (w *web) start() [][]uint32 {
	r := rand.New(rand.NewPCG(w.seed, 13))
	all := make([][]uint32, w.buffers+w.words)
	for k := range all {
		all[k] = make([]uint32, span)
		if k >= w.buffers {
			all[k] = all[k][:1]
		}
		for i := range all[k] {
			all[k][i] = r.Uint32()
		}
	}
	return all
}

// word is the buffer of a word that counts.
func (w *web) word(k int) int { return w.buffers + k }

// perform runs a wave on the host, and returns how many items it had, and votes.
func (w *web) perform(n *node, mem [][]uint32, round, groupSize uint32) (items uint64, votes uint32) {
	if n.counts >= 0 {
		mem[w.word(n.counts)][0] = (round*n.k + 7) % 61
		return 1, 0
	}
	b, size := w.bodies[n.body], n.size
	if n.counted >= 0 {
		size = min(mem[w.word(n.counted)][0], size)
	}
	if b.groups {
		for _, v := range mem[n.x] {
			mem[n.to][n.k%span] += v * n.k
		}
		return uint64((span + groupSize - 1) / groupSize), 0
	}
	out := make([]uint32, size)
	for i := range size {
		v := [leaves]uint32{i, round, n.k, mem[n.x][(i*n.k+round)%span], mem[n.y][(i+n.k)%span]}
		out[i] = b.value.of(&v)
	}
	for _, v := range out {
		at := &mem[n.to][(v^n.k)%span]
		*at = updates[b.update](*at, v)
		if round < n.limit {
			votes += v >> 3 & 1
		}
	}
	copy(mem[n.own], out)
	return uint64(size), votes
}

// run is what all waves leave, with the record.
func (w *web) run(groupSize uint32) (mem [][]uint32, rec megakernel.Record) {
	mem = w.start()
	phase := func(p megakernel.Phase, round uint32) (items uint64, votes uint32) {
		for k := range w.nodes {
			if n := &w.nodes[k]; n.phase == p {
				i, v := w.perform(n, mem, round, groupSize)
				items, votes = items+i, votes+v
			}
		}
		return items, votes
	}
	phase(megakernel.Before, 0)
	for votes := uint32(1); votes != 0; rec.Rounds++ {
		var items uint64
		items, votes = phase(megakernel.EveryRound, rec.Rounds)
		rec.Items, rec.Greatest, rec.Changed = rec.Items+items, max(rec.Greatest, uint32(items)), rec.Changed || votes != 0
	}
	phase(megakernel.After, rec.Rounds)
	if rec.Status = megakernel.Converged; rec.Items == 0 {
		rec.Rounds = 0
	}
	return mem, rec
}

// programs compiles the bodies for a size of group; Count is the last.
func (w *web) programs(t *testing.T, size uint32) (all []*ir.Program) {
	t.Helper()
	var s strings.Builder
	s.WriteString("package web\n\nimport \"github.com/govyre/vyre/gpu\"\n")
	for k, b := range w.bodies {
		s.WriteString(b.text(fmt.Sprintf("Body%d", k), size))
	}
	fmt.Fprintf(&s, counting, size)
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "web.go", Src: []byte(s.String())}}, front.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", w.seed, err, s.String())
	}
	for k := range w.bodies {
		all = append(all, pkg.Lookup(fmt.Sprintf("Body%d", k)).Program)
	}
	return append(all, pkg.Lookup("Count").Program)
}

// waves are the waves over memory, for a size of group.
func (w *web) waves(t *testing.T, mem []driver.Range, size uint32) (waves []megakernel.Wave) {
	programs := w.programs(t, size)
	for k := range w.nodes {
		n := &w.nodes[k]
		v := megakernel.Wave{Phase: n.phase, Domain: megakernel.Fixed(n.size)}
		switch {
		case n.counts >= 0:
			v.Program, v.Args = programs[len(w.bodies)], []driver.Arg{megakernel.Round{}, driver.U32(n.k), mem[w.word(n.counts)]}
		case w.bodies[n.body].groups:
			v.Program, v.Args = programs[n.body], []driver.Arg{driver.U32(n.k), mem[n.x], mem[n.to]}
			v.Domain = megakernel.Fixed((span + size - 1) / size)
		default:
			v.Program = programs[n.body]
			v.Args = []driver.Arg{megakernel.Round{}, driver.U32(n.k), driver.U32(n.limit), mem[n.x], mem[n.y], mem[n.own], mem[n.to], megakernel.Vote{}}
			if n.counted >= 0 {
				v.Domain = megakernel.Counted(mem[w.word(n.counted)], n.size)
			}
		}
		waves = append(waves, v)
	}
	return waves
}

// without is the web without a wave, for whoever looks for the least that goes wrong.
func (w *web) without(k int) *web {
	c := *w
	c.nodes = slices.Delete(slices.Clone(w.nodes), k, k+1)
	c.deps = nil
	for i := range c.nodes {
		if c.nodes[i].counted >= 0 && !slices.ContainsFunc(c.nodes, func(n node) bool { return n.counts == c.nodes[i].counted }) {
			return nil
		}
	}
	if !slices.ContainsFunc(c.nodes, func(n node) bool { return n.phase == megakernel.EveryRound }) {
		return nil
	}
	c.order(rand.New(rand.NewPCG(w.seed, 14)))
	return &c
}
