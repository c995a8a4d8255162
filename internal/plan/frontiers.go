package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
)

// FrontierKind says what kind of work a frontier is.
type FrontierKind uint32

// The kinds.
const (
	ParserFrontier FrontierKind = iota
	SemanticFrontier
	DataflowFrontier
	DiagnosticFrontier
)

func (k FrontierKind) String() string {
	if k > DiagnosticFrontier {
		return fmt.Sprintf("kind %d", uint32(k))
	}
	return [...]string{"parser", "semantic", "dataflow", "diagnostic"}[k]
}

// FrontierNode is a frontier with so many active items.
type FrontierNode struct {
	ID     uint64
	Kind   FrontierKind
	Active uint64
}

// FrontierOrder says that After has to see what Before did.
type FrontierOrder struct{ Before, After uint64 } // ids

// FrontierRequest is what waves are made from.
type FrontierRequest struct {
	Nodes []FrontierNode
	Order []FrontierOrder
	Each  Envelope // frontier and scratch of an active item, output of a wave
}

// FrontierWave is all nodes of a kind that can run at one time.
type FrontierWave struct {
	Layer  int
	Kind   FrontierKind
	Nodes  []int  // places in the request, by id
	Active uint64 // items of all
	Bytes  Envelope
}

// Frontiers is the waves of nodes, by layer and kind.
type Frontiers struct {
	Waves        []FrontierWave
	Dependencies []Dependency // between waves, those that their nodes have, each once
	Barriers     int          // one less than layers
	places       []int        // what Nodes are parts of
}

// FrontierPlanner makes waves of frontiers. It keeps its working storage between calls; the zero value is ready. One
// goroutine uses it at a time.
type FrontierPlanner struct {
	order  []int // places, by id
	ids    []uint64
	deps   []Dependency // between nodes in the order of ids
	waveOf []int        // of each node in that order
	layers BarrierPlanner
	layout Barriers
}

const frontiersOp = "plan frontiers"

// Plan makes a wave of the nodes of each layer and kind. The layer of a node is the length of the longest path to it, so
// there are as few layers as can be, and no two nodes of a wave wait for each other.
//
// Errors: empty, duplicate, unknown, all that there are, as driver.Problems; then cycle, then overflow.
func (p *FrontierPlanner) Plan(in FrontierRequest, into *Frontiers) error {
	into.reset()
	if ps := p.nodes(in); len(ps) > 0 {
		return ps
	}
	if ps := p.layers.plan(len(in.Nodes), p.deps, &p.layout); len(ps) > 0 {
		return p.cycle(in, ps)
	}
	if err := p.waves(in, into); err != nil {
		into.reset()
		return err
	}
	for _, d := range p.deps {
		into.Dependencies = append(into.Dependencies, Dependency{p.waveOf[d.Before], p.waveOf[d.After]})
	}
	slices.SortFunc(into.Dependencies, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	into.Dependencies = slices.Compact(into.Dependencies)
	into.Barriers = p.layout.Count
	return nil
}

// nodes sorts by id, and turns the ids of the order into places there.
func (p *FrontierPlanner) nodes(in FrontierRequest) (ps driver.Problems) {
	refuse := func(path, msg, fix string, r Reason) {
		ps = append(ps, Refusal(frontiersOp, driver.InvalidArgument, path, msg, fix, r))
	}
	if len(in.Nodes) == 0 {
		refuse("frontiers", "there are none", "give at least one", Reason{Code: "empty", Index: -1})
	}
	p.order = resize(p.order, len(in.Nodes))
	for i := range p.order {
		p.order[i] = i
	}
	slices.SortFunc(p.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(in.Nodes[i].ID, in.Nodes[j].ID), cmp.Compare(i, j))
	})
	p.ids = resize(p.ids, len(in.Nodes))
	for at, i := range p.order {
		p.ids[at] = in.Nodes[i].ID
		if at > 0 && p.ids[at] == p.ids[at-1] {
			refuse(fmt.Sprintf("frontier %d", p.ids[at]), "it is given twice", "give each frontier once", Reason{Code: "duplicate", Index: i})
		}
	}
	p.deps = p.deps[:0]
	for i, d := range in.Order {
		place := func(id uint64) int {
			at, ok := slices.BinarySearch(p.ids, id)
			if !ok {
				refuse(fmt.Sprintf("dependency %d", i), fmt.Sprintf("it is %d→%d, and there is no frontier %d", d.Before, d.After, id), "give all frontiers",
					Reason{Code: "unknown", Index: i, Numbers: []uint64{id}})
			}
			return at
		}
		p.deps = append(p.deps, Dependency{place(d.Before), place(d.After)})
	}
	return ps
}

// cycle says in ids what is wrong with the order.
func (p *FrontierPlanner) cycle(in FrontierRequest, ps driver.Problems) error {
	for i, e := range ps {
		r := *e.Err.(*Reason)
		switch r.Code {
		case "self":
			r = Reason{Code: "cycle", Index: -1, Numbers: []uint64{1}, Path: []int{r.Index, r.Index}}
		case "cycle":
			r.Path = slices.Clone(r.Path)
		default:
			continue
		}
		path := ""
		for k, at := range r.Path {
			if k > 0 {
				path += "→"
			}
			path += fmt.Sprint(p.ids[at])
			r.Path[k] = p.order[at]
		}
		ps[i] = Refusal(frontiersOp, driver.InvalidArgument, fmt.Sprintf("frontier %d", in.Nodes[r.Path[0]].ID), "frontiers wait for each other: "+path,
			"drop one of these dependencies", r)
	}
	return ps
}

// waves sorts the nodes by layer and kind, and adds up what they have.
func (p *FrontierPlanner) waves(in FrontierRequest, into *Frontiers) error {
	into.places = resize(into.places, len(p.order))
	for at := range into.places {
		into.places[at] = at
	}
	slices.SortFunc(into.places, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.layout.GroupOf[a], p.layout.GroupOf[b]), cmp.Compare(in.Nodes[p.order[a]].Kind, in.Nodes[p.order[b]].Kind), cmp.Compare(a, b))
	})
	p.waveOf = resize(p.waveOf, len(p.order))
	for k, at := range into.places {
		n, layer := in.Nodes[p.order[at]], p.layout.GroupOf[at]
		if last := len(into.Waves) - 1; last < 0 || into.Waves[last].Layer != layer || into.Waves[last].Kind != n.Kind {
			into.Waves = append(into.Waves, FrontierWave{Layer: layer, Kind: n.Kind, Nodes: into.places[k:k:len(into.places)]})
		}
		wave := len(into.Waves) - 1
		w := &into.Waves[wave]
		var ok bool
		if w.Active, ok = add(w.Active, n.Active); !ok {
			return Overflow(frontiersOp, fmt.Sprintf("wave %d", wave), "active items", wave)
		}
		p.waveOf[at] = wave
		w.Nodes = append(w.Nodes, p.order[at]) // in the place of at itself
	}
	for i := range into.Waves {
		w := &into.Waves[i]
		w.Nodes = slices.Clip(w.Nodes)
		var ok, fits bool
		w.Bytes.Frontier, ok = mul(w.Active, in.Each.Frontier)
		w.Bytes.Scratch, fits = mul(w.Active, in.Each.Scratch)
		w.Bytes.Output = in.Each.Output
		if _, sum := w.Bytes.Bytes(1); !ok || !fits || !sum {
			return Overflow(frontiersOp, fmt.Sprintf("wave %d", i), "wave bytes", i)
		}
	}
	return nil
}

func (f *Frontiers) reset() {
	*f = Frontiers{Waves: f.Waves[:0], Dependencies: f.Dependencies[:0], places: f.places[:0]}
}
