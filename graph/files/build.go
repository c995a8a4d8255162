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
	report := Report{Format: format, Bytes: r.in.n}
	r.told = r.told.Add(-progressEvery)
	r.tell("building", p.count)
	var names graph.Strings
	nodes := p.nodes
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
	g, built, err := graph.FromBlocks(nodes, blocks, o)
	if err != nil {
		return nil, report, fmt.Errorf("%s: %w", r.name, err)
	}
	if p.mirror && !r.o.Build.Symmetric {
		built.Back = 0
	}
	report.Built = built
	d := g.Data()
	d.Names = names
	d.Weights = settledWeights(d.Weights)
	g, err = g.With(d)
	return g, report, err
}

// settledWeights leaves out weights that are all 1, which say what no weights do: formats that must have some write these.
func settledWeights(weights []uint32) []uint32 {
	for _, w := range weights {
		if w != 1 {
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
	if need := p.held + 4*(nodes+1) + perArc*p.count; need > r.o.MaxMemory {
		return r.tooLarge(need, fmt.Sprintf("%d nodes and %d arcs", nodes, p.count))
	}
	return nil
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

// renumber gives nodes new ids, by ascending old ones, and returns these.
func (r *reader) renumber(p *parsed) ([]uint64, error) {
	if need := p.held + 16*p.count + 40*2*p.count; need > r.o.MaxMemory {
		return nil, r.tooLarge(need, fmt.Sprintf("%d arcs between nodes that are numbered anew", p.count))
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
	b, err := r.all()
	if err != nil {
		return nil, report, err
	}
	report.Bytes = r.in.n
	g, err := graph.Decode(r.name, b)
	if err == nil {
		err = g.Verify()
	}
	if err != nil {
		return nil, report, err
	}
	g, report.Built, err = g.Rebuild(r.o.Build)
	return g, report, err
}

// all reads the rest of the text.
func (r *reader) all() ([]byte, error) {
	// Grown as it comes: nobody knows how much that is.
	b := make([]byte, 0, chunkBytes)
	for {
		if len(b) == cap(b) {
			b = slices.Grow(b, cap(b))
		}
		n, err := r.in.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if int64(len(b)) > r.o.MaxMemory {
			return nil, r.tooLarge(int64(len(b)), "the bytes of the file")
		}
		r.tell("reading", 0)
		if err != nil {
			return b, eofIsFine(err)
		}
	}
}
