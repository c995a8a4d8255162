package files

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/govyre/vyre/graph"
)

// build makes the graph of the arcs of a file.
func (r *reader) build(format Format, p parsed) (*graph.CSR, Report, error) {
	report := Report{Format: format, Bytes: r.in.n, Kinds: p.kinds}
	r.told = r.told.Add(-progressEvery)
	r.tell("building", p.count)
	if p.rows != nil {
		g, err := p.rows()
		return g, report, err
	}
	names, nodes := p.names, p.nodes
	if p.list {
		var err error
		if nodes, report.Renumbered, names, err = r.number(&p); err != nil {
			return nil, report, err
		}
	}
	o := r.o.Build
	o.Symmetric = o.Symmetric || p.mirror
	if err := r.warranted(nodes, &p, o.Symmetric); err != nil {
		return nil, report, err
	}
	var blocks []graph.Block
	for _, a := range p.arcs {
		if len(a.from) > 0 {
			blocks = append(blocks, graph.Block{From: a.from, To: a.to, Masks: a.masks, Weights: a.weights})
		}
	}
	g, built, err := graph.FromBlocks(r.ctx, nodes, blocks, o)
	if err != nil {
		return nil, report, fmt.Errorf("%s: %w", r.name, err)
	}
	if p.mirror && !r.o.Build.Symmetric {
		built.Back = 0
	}
	report.Built = built
	d := g.Data()
	d.Names, d.KindNames = names, p.kindNames
	d.Weights = settledWeights(d.Weights, max(r.o.Scale, 1))
	g, err = g.With(d)
	return g, report, err
}

// settledWeights leaves out weights that are all 1, times the scale, which say what no weights do: formats that must have some
// write these.
func settledWeights(weights []uint32, scale uint32) []uint32 {
	for _, w := range weights {
		if w != scale {
			return weights
		}
	}
	return nil
}

// sparseNodes is how many nodes a file may have whatever its length: 64 MiB of offsets.
const sparseNodes = 16 << 20

// mostNodes is how many nodes the length of the file warrants.
func (r *reader) mostNodes() int64 { return sparseNodes + 4*r.in.n }

// warranted refuses numbers of nodes that the length of the file does not warrant, and graphs over the limit of memory.
func (r *reader) warranted(nodes int64, p *parsed, symmetric bool) error {
	if most := r.mostNodes(); nodes > most {
		return &graph.ParseError{File: r.name, Got: fmt.Sprintf("%s nodes in %s bytes", grouped(nodes), grouped(r.in.n)),
			Want: fmt.Sprintf("at most %s in a file of that length; --ids sparse numbers nodes anew where ids are names", grouped(most))}
	}
	perArc := int64(4)
	for _, a := range p.arcs {
		if a.masks != nil || a.weights != nil {
			perArc = 12
		}
	}
	if symmetric {
		perArc *= 2
	}
	need := 4*(nodes+1) + perArc*p.count
	if perArc > 8 { // rows are sorted with their columns
		need += sortedArc * min(p.count, r.longestRow(nodes, p, symmetric, need+sortedArc*p.count))
	}
	return r.hold(need, "%d nodes and %d arcs", nodes, p.count)
}

// sortedArc is how many bytes an arc takes while its row is sorted.
const sortedArc = 16

// longestRow is how many arcs the row with most of them has; it is not counted if there is room for rows of any length.
func (r *reader) longestRow(nodes int64, p *parsed, symmetric bool, most int64) (longest int64) {
	if r.held.Load()+most <= r.o.MaxMemory || nodes > graph.MaxNodes {
		return p.count
	}
	degrees := make([]uint32, nodes)
	for _, a := range p.arcs {
		for i, u := range a.from {
			degrees[u]++
			if symmetric {
				degrees[a.to[i]]++
			}
		}
	}
	for _, d := range degrees {
		longest = max(longest, int64(d))
	}
	return longest
}

// number says how many nodes a list of arcs has, and numbers them anew where ids are names.
func (r *reader) number(p *parsed) (nodes int64, renumbered bool, names graph.Strings, err error) {
	var most uint64
	for i := range p.arcs {
		a := &p.arcs[i]
		for k := range a.from {
			most = max(most, uint64(max(a.from[k], a.to[k])))
		}
		for k := range a.wideFrom {
			most = max(most, a.wideFrom[k], a.wideTo[k])
		}
	}
	dense := most < 4*max(uint64(p.count), 1) || most < uint64(p.atLeast) && p.atLeast <= r.mostNodes()
	switch {
	case p.count == 0:
		return p.atLeast, false, names, nil
	case r.o.IDs == Dense && most >= graph.MaxNodes:
		return 0, false, names, &graph.ParseError{File: r.name, Got: fmt.Sprintf("id %d", most), Want: fmt.Sprintf("below %d; --ids sparse numbers nodes anew", uint64(graph.MaxNodes))}
	case r.o.IDs == Dense || r.o.IDs == AutoIDs && dense:
		return max(int64(most)+1, p.atLeast), false, names, nil
	}
	ids, err := r.renumber(p)
	if err != nil {
		return 0, false, names, err
	}
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = strconv.FormatUint(id, 10)
	}
	return int64(len(ids)), true, graph.NewStrings(text), nil
}

// perName is how many bytes the name of a node that is numbered anew takes, with the text on the way to it.
const perName = 40

// renumber gives nodes new ids, by ascending old ones, and returns these.
func (r *reader) renumber(p *parsed) ([]uint64, error) {
	need := (2*8 + 2*perName) * p.count
	if err := r.hold(need, "%d arcs between nodes that are numbered anew", p.count); err != nil {
		return nil, err
	}
	ids := make([]uint64, 0, 2*p.count)
	for _, a := range p.arcs {
		for k := range a.from {
			ids = append(ids, uint64(a.from[k]), uint64(a.to[k]))
		}
		ids = append(append(ids, a.wideFrom...), a.wideTo...)
	}
	slices.Sort(ids)
	ids = slices.Clip(slices.Compact(ids))
	r.release(need - perName*int64(len(ids)) - 2*8*p.count)
	if len(ids) > graph.MaxNodes {
		return nil, fmt.Errorf("%s: %d nodes, at most %d have ids", r.name, len(ids), uint64(math.MaxUint32-1))
	}
	place := func(id uint64) uint32 {
		i, _ := slices.BinarySearch(ids, id)
		return uint32(i)
	}
	for i := range p.arcs {
		a := &p.arcs[i]
		if a.wideFrom != nil {
			a.from, a.to = make([]uint32, len(a.wideFrom)), make([]uint32, len(a.wideFrom))
			for k := range a.wideFrom {
				a.from[k], a.to[k] = place(a.wideFrom[k]), place(a.wideTo[k])
			}
			a.wideFrom, a.wideTo = nil, nil
			continue
		}
		for k := range a.from {
			a.from[k], a.to[k] = place(uint64(a.from[k])), place(uint64(a.to[k]))
		}
	}
	return ids, nil
}

// vyg reads a .vyg file that cannot be mapped, since it is compressed or comes from a pipe, or whose arcs are to be changed.
func (r *reader) vyg() (*graph.CSR, Report, error) {
	report := Report{Format: Vyre}
	g, err := graph.DecodeFrom(r.name, portions{r}, func(bytes int64) error { return r.hold(bytes, "the bytes of the file") })
	report.Bytes = r.in.n
	if err == nil {
		err = g.Verify(r.ctx)
	}
	if err == nil && r.o.Build != (graph.BuildOptions{}) {
		err = r.rebuildable(g)
	}
	if err != nil {
		return nil, report, err
	}
	g, report.Built, err = g.Rebuild(r.ctx, r.o.Build)
	return g, report, err
}

// rebuildable counts what making a graph again takes: the source of each arc, and the arcs with all their columns.
func (r *reader) rebuildable(g *graph.CSR) error {
	columns, d := int64(1), g.Data()
	for _, there := range []bool{g.Masks() != nil, d.Weights != nil, d.Sites != nil} {
		if there {
			columns++
		}
	}
	if r.o.Build.Symmetric {
		columns *= 2
	}
	return r.hold(4*(int64(g.Nodes())+1)+4*(columns+1)*int64(g.Arcs()), "%d nodes and %d arcs, made again,", g.Nodes(), g.Arcs())
}

// portions is the text in reads that are not too long to be cancelled and told of.
type portions struct{ r *reader }

func (p portions) Read(b []byte) (int, error) {
	n, err := p.r.in.Read(b[:min(len(b), chunkBytes)])
	p.r.tell("reading", 0)
	return n, err
}
