package egraph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// plain is an e-graph for the eye: it compares every row with every row until nothing changes.
type plain struct {
	root []egraph.Class
	rows []plainRow
}

type plainRow struct {
	class   egraph.Class
	head    int
	ordered bool // its children are in the order of their roots
	kids    []egraph.Class
}

func (p *plain) union(a, b egraph.Class) bool {
	lo, hi := min(p.root[a], p.root[b]), max(p.root[a], p.root[b])
	for c := range p.root {
		if p.root[c] == hi {
			p.root[c] = lo
		}
	}
	return lo != hi
}

func (p *plain) key(r plainRow) string {
	var kids []egraph.Class
	for _, k := range r.kids {
		kids = append(kids, p.root[k])
	}
	if r.ordered {
		slices.Sort(kids)
	}
	return fmt.Sprint(r.head, kids)
}

func (p *plain) close() {
	for again := true; again; {
		again = false
		for i, a := range p.rows {
			for _, b := range p.rows[:i] {
				if p.key(a) == p.key(b) && p.union(a.class, b.class) {
					again = true
				}
			}
		}
	}
}

func (p *plain) live() int {
	keys := make(map[string]bool)
	for _, r := range p.rows {
		keys[p.key(r)] = true
	}
	return len(keys)
}

// twin is a graph beside its plain one.
type twin struct {
	g       *egraph.Graph
	p       plain
	pending [][2]egraph.Class
	log     []string
}

func newTwin(setup func(*egraph.Graph)) *twin {
	w := &twin{g: egraph.New()}
	setup(w.g)
	return w
}

func (w *twin) draw(r *rand.Rand) (head int, ordered bool, kids []egraph.Class) {
	head = r.IntN(4)
	n := [4]int{0, 1, 2, 2}[head]
	if ordered = head == 3; head < 3 && r.IntN(20) == 0 {
		head, n = 4, r.IntN(17)
	}
	if n > 0 && len(w.p.root) == 0 {
		head, ordered, n = 0, false, 0
	}
	for range n {
		kids = append(kids, egraph.Class(r.IntN(len(w.p.root))))
	}
	if n == 0 {
		head += 8 * r.IntN(4)
	}
	return head, ordered, kids
}

func (w *twin) head(n int, ordered bool) egraph.Head {
	return w.g.Head(egraph.HeadInfo{Name: fmt.Sprint("f", n), Type: ir.U32, Commutative: ordered})
}

func (w *twin) class() egraph.Class {
	c := w.g.Class(ir.U32)
	w.p.root = append(w.p.root, c)
	return c
}

// step does one thing to both graphs.
func (w *twin) step(r *rand.Rand) {
	switch k := r.IntN(10); {
	case k < 1:
		w.log = append(w.log, fmt.Sprint("class ", w.class()))
	case k < 4:
		head, ordered, kids := w.draw(r)
		c := w.g.Add(w.head(head, ordered), kids...)
		if int(c) == len(w.p.root) {
			w.p.root = append(w.p.root, c)
			w.p.rows = append(w.p.rows, plainRow{c, head, ordered, kids})
		}
		w.log = append(w.log, fmt.Sprint("add ", head, kids, c))
	case len(w.p.root) == 0:
	case k < 6:
		head, ordered, kids := w.draw(r)
		if r.IntN(4) == 0 && len(kids) > 0 {
			kids[0] = egraph.Class(r.IntN(len(w.p.root)))
		}
		c := egraph.Class(r.IntN(len(w.p.root)))
		w.g.Insert(c, w.head(head, ordered), kids...)
		w.p.rows = append(w.p.rows, plainRow{c, head, ordered, kids})
		w.log = append(w.log, fmt.Sprint("insert ", c, head, kids))
	case k < 8:
		a, b := egraph.Class(r.IntN(len(w.p.root))), egraph.Class(r.IntN(len(w.p.root)))
		if err := w.g.Union(a, b, "given"); err != nil {
			panic(err)
		}
		w.pending = append(w.pending, [2]egraph.Class{a, b})
		w.log = append(w.log, fmt.Sprint("union ", a, b))
	}
}

func (w *twin) rebuild(workers int) error {
	w.log = append(w.log, fmt.Sprint("rebuild ", workers))
	for _, u := range w.pending {
		w.p.union(u[0], u[1])
	}
	w.pending = w.pending[:0]
	w.p.close()
	if workers == 0 {
		return w.g.Rebuild()
	}
	_, err := w.g.RebuildParallel(workers)
	return err
}

// check compares both graphs, and replays every union.
func (w *twin) check(t *testing.T) {
	t.Helper()
	if err := w.g.Check(); err != nil {
		t.Fatalf("%v\nafter %q", err, w.log)
	}
	for c, root := range w.p.root {
		if w.g.Find(egraph.Class(c)) != root {
			t.Fatalf("class %d has the root %d, want %d, after %q", c, w.g.Find(egraph.Class(c)), root, w.log)
		}
	}
	if w.g.Rows() != w.p.live() {
		t.Fatalf("%d live rows, want %d, after %q", w.g.Rows(), w.p.live(), w.log)
	}
	replay(t, w.g)
}

// replay proves every union of a graph anew.
func replay(t *testing.T, g *egraph.Graph) {
	t.Helper()
	for _, u := range g.Unions() {
		proof, err := g.ExplainClasses(u[0], u[1])
		if err != nil {
			t.Fatal(err)
		}
		if proof == nil {
			t.Fatalf("the proof of a small graph is too long")
		}
		if err := proof.Check(); err != nil {
			t.Fatalf("%v in\n%s", err, proof)
		}
	}
}

var setups = map[string]func(*egraph.Graph){
	"plain":       func(*egraph.Graph) {},
	"four bits":   func(g *egraph.Graph) { g.Weaken(^uint32(0xF)) },
	"no bits":     func(g *egraph.Graph) { g.Weaken(^uint32(0)) },
	"nearly full": func(g *egraph.Graph) { g.Crowd(4) },
	"passes":      func(g *egraph.Graph) { g.Walk() },
	"full pages":  func(g *egraph.Graph) { g.Walk(); g.Crowd(4); g.Weaken(^uint32(0xFF)) },
}

func TestStateMachine(t *testing.T) {
	for name, setup := range setups {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 0))
				w := newTwin(setup)
				for range 1 + r.IntN(4) {
					for range r.IntN(30) {
						w.step(r)
					}
					if err := w.rebuild(r.IntN(4)); err != nil {
						t.Fatalf("%v after %q", err, w.log)
					}
					w.check(t)
				}
			}
		})
	}
}

func TestNearlyFullTable(t *testing.T) {
	g := egraph.New()
	g.Crowd(4)
	f := g.Head(egraph.HeadInfo{Name: "f", Type: ir.U32})
	var all []egraph.Class
	for i := 0; g.Fill() < 0.9 || len(all) < 1000; i++ {
		all = append(all, g.Add(g.Head(egraph.HeadInfo{Name: fmt.Sprint(i), Type: ir.U32})))
	}
	before := g.Rows()
	for i, c := range all {
		if again := g.Add(g.Head(egraph.HeadInfo{Name: fmt.Sprint(i), Type: ir.U32})); again != c {
			t.Fatalf("leaf %d is class %d and class %d", i, c, again)
		}
	}
	if g.Rows() != before || g.Fill() < 0.9 {
		t.Errorf("%d rows, want %d; fill %.2f", g.Rows(), before, g.Fill())
	}
	a, b := g.Add(f, all[0]), g.Add(f, all[1])
	if err := g.Union(all[0], all[1], "given"); err != nil {
		t.Fatal(err)
	}
	if err := g.Rebuild(); err != nil || g.Find(a) != g.Find(b) {
		t.Error(err, g.Find(a), g.Find(b))
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}
