package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Block is arcs in any order: the ends of each, its mask, its weight, and its call site. Masks and Weights may be nil: then all
// are 1; and so may Sites: then no arc has one.
type Block struct{ From, To, Masks, Weights, Sites []uint32 }

// BuildOptions adjust FromBlocks. The zero value keeps every arc as it is.
type BuildOptions struct {
	Symmetric bool // an arc back for each arc that is no loop; procedures and call sites are left out, since no return is a call
	Dedup     bool // arcs between the same two nodes become one, with the masks of all of them and the least weight; where there are call sites, only arcs of the same site and mask do
	NoSelf    bool // no arc from a node to itself
}

// Built says what FromBlocks did to the arcs.
type Built struct {
	Back       int64 // arcs that Symmetric added
	Self       int64 // arcs that NoSelf left out
	Duplicates int64 // arcs that Dedup merged into others
	Sites      int64 // arcs that had call sites until Symmetric
}

// FromBlocks makes a graph of so many nodes. It holds the graph and one row beside the blocks.
//
// Errors: that of the context; an end that is no node, a mask of 0, more arcs than MaxArcs, or 2³² and more from one node.
func FromBlocks(ctx context.Context, nodes int64, blocks []Block, o BuildOptions) (*CSR, Built, error) {
	const work = "building"
	if err := errOf(ctx, work); err != nil {
		return nil, Built{}, err
	}
	if nodes < 0 || nodes > MaxNodes {
		return nil, Built{}, fmt.Errorf("graph: %d nodes, at most %d have ids", nodes, uint64(MaxNodes))
	}
	b := building{polls: &polls{ctx: ctx}, o: o, g: &CSR{}, degrees: make([]uint32, nodes+1)}
	err := b.count(blocks)
	if err == nil {
		err = b.place(blocks)
	}
	if err == nil && o.Dedup {
		err = b.dedup()
	}
	switch {
	case b.end:
		return nil, Built{}, errOf(ctx, work)
	case err != nil:
		return nil, Built{}, err
	}
	b.g.dropEqualMasks()
	return b.g, b.done, nil
}

type building struct {
	*polls
	o       BuildOptions
	g       *CSR
	degrees []uint32 // and one entry more
	done    Built
}

// count checks arcs and turns their numbers into the starts of rows.
func (b *building) count(blocks []Block) error {
	degrees := b.degrees
	var total, at uint64
	masked, weighted, sited := false, false, false
	for _, k := range blocks {
		if len(k.To) != len(k.From) || k.Masks != nil && len(k.Masks) != len(k.From) || k.Weights != nil && len(k.Weights) != len(k.From) || k.Sites != nil && len(k.Sites) != len(k.From) {
			return fmt.Errorf("graph: a block has %d sources, %d targets, %d masks, %d weights and %d call sites", len(k.From), len(k.To), len(k.Masks), len(k.Weights), len(k.Sites))
		}
		if bound := total + 2*uint64(len(k.From)); bound > 2*MaxArcs {
			return tooMany(bound / 2)
		}
		masked, weighted, sited = masked || k.Masks != nil, weighted || k.Weights != nil, sited || k.Sites != nil
		for from, to := range b.pieces(0, uint64(len(k.Masks))) {
			if i := slices.Index(k.Masks[from:to], 0); i >= 0 {
				i += int(from)
				return fmt.Errorf("graph: arc %d, from %d to %d: mask 0 can never be allowed", at+uint64(i), k.From[i], k.To[i])
			}
		}
		for i, u := range k.From {
			if b.Ended() {
				return b.err()
			}
			v := k.To[i]
			if b.o.Symmetric && siteOf(k.Sites, i) != NoSite {
				b.done.Sites++
			}
			if int(max(u, v)) >= len(degrees)-1 {
				return fmt.Errorf("graph: arc %d, from %d to %d: n = %d", at+uint64(i), u, v, len(degrees)-1)
			}
			if u == v && b.o.NoSelf {
				b.done.Self++
				continue
			}
			degrees[u]++
			total++
			if b.o.Symmetric && u != v {
				degrees[v]++
				total++
				b.done.Back++
			}
		}
		at += uint64(len(k.From))
	}
	if total > MaxArcs {
		return tooMany(total)
	}
	b.g.rows = newOffsets(degrees)
	if sum := b.g.rows.at(len(degrees) - 1); sum != total { // a degree has wrapped
		return fmt.Errorf("graph: of %d arcs more than %d are from one node", total, uint64(mostInRow))
	}
	b.g.targets = make([]uint32, total)
	if masked {
		b.g.masks = make([]uint32, total)
	}
	if weighted {
		b.g.data.Weights = make([]uint32, total)
	}
	if sited && !b.o.Symmetric {
		b.g.data.Sites = make([]uint32, total)
	}
	return nil
}

// place puts each arc into its row, and sorts the rows.
func (b *building) place(blocks []Block) error {
	rows, targets, masks, weights, sites := &b.g.rows, b.g.targets, b.g.masks, b.g.data.Weights, b.g.data.Sites
	put := func(u, v uint32, k *Block, i int) {
		at := rows.take(Portion{}, u)
		targets[at] = v
		if masks != nil {
			masks[at] = orOne(k.Masks, i)
		}
		if weights != nil {
			weights[at] = orOne(k.Weights, i)
		}
		if sites != nil {
			sites[at] = siteOf(k.Sites, i)
		}
	}
	for j := range blocks {
		k := &blocks[j]
		if masks == nil && weights == nil && sites == nil && !b.o.Symmetric && !b.o.NoSelf {
			for from, to := range b.pieces(0, uint64(len(k.From))) {
				if rows.wide != nil {
					fill(rows.wide, targets, k.From[from:to], k.To[from:to])
				} else {
					fill(rows.narrow, targets, k.From[from:to], k.To[from:to])
				}
			}
			continue
		}
		for i, u := range k.From {
			if b.Ended() {
				break
			}
			v := k.To[i]
			if u == v && b.o.NoSelf {
				continue
			}
			put(u, v, k, i)
			if b.o.Symmetric && u != v {
				put(v, u, k, i)
			}
		}
	}
	if b.end {
		return b.err()
	}
	rows.filled()
	if weights != nil || sites != nil {
		sortColumns(b.polls, b.g)
	} else if b.g.sortRows(b.ctx) != nil {
		b.end = true
	}
	return b.err()
}

// fill puts the targets of some arcs where the starts of rows have come to.
func fill[O offset](starts []O, targets []uint32, from, to []uint32) {
	for i, u := range from {
		targets[starts[u]] = to[i]
		starts[u]++
	}
}

func siteOf(sites []uint32, i int) uint32 {
	if sites == nil {
		return NoSite
	}
	return sites[i]
}

// sortColumns makes rows ascend by target, mask, call site and weight.
func sortColumns(p *polls, g *CSR) {
	type arc struct {
		key          uint64
		site, weight uint32
	}
	var row []arc
	weights, sites := g.data.Weights, g.data.Sites
	put := func(column []uint32, i int, v uint32) {
		if column != nil {
			column[i] = v
		}
	}
	for u := range g.Nodes() {
		from, to := g.rows.row(uint32(u))
		if p.passed(to - from + 1) {
			return
		}
		row = row[:0]
		for i := from; i < to; i++ {
			row = append(row, arc{uint64(g.targets[i])<<32 | uint64(orOne(g.masks, int(i))), siteOf(sites, int(i)), orOne(weights, int(i))})
		}
		less := func(a, b arc) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.site, b.site), cmp.Compare(a.weight, b.weight))
		}
		if slices.IsSortedFunc(row, less) {
			continue
		}
		slices.SortFunc(row, less)
		for k, a := range row {
			i := int(from) + k
			g.targets[i] = uint32(a.key >> 32)
			put(g.masks, i, uint32(a.key))
			put(weights, i, a.weight)
			put(sites, i, a.site)
		}
	}
}

// dedup keeps one of the arcs between the same two nodes, and closes the gaps.
func (b *building) dedup() error {
	g := b.g
	columns := []*[]uint32{&g.targets, &g.masks, &g.data.Weights, &g.data.Sites}
	var end, from uint64 // of what is kept, and of the row
	for u := range g.Nodes() {
		if b.Ended() {
			return b.err()
		}
		to, start := g.rows.at(u+1), end
		for i := from; i < to; i++ {
			if b.Ended() {
				return b.err()
			}
			if end > start && b.same(end-1, i) {
				b.done.Duplicates++
				if g.masks != nil {
					g.masks[end-1] |= g.masks[i]
				}
				if w := g.data.Weights; w != nil {
					w[end-1] = min(w[end-1], w[i])
				}
				continue
			}
			for _, c := range columns {
				if *c != nil {
					(*c)[end] = (*c)[i]
				}
			}
			end++
		}
		from = to
		g.rows.set(u+1, end)
	}
	g.rows = g.rows.settled()
	for _, c := range columns {
		if *c != nil {
			*c = (*c)[:end:end]
		}
	}
	return b.err()
}

// same reports whether arc k becomes a part of arc i of the same row. Arcs of several call sites stay what they are.
func (b *building) same(i, k uint64) bool {
	g := b.g
	if sites := g.data.Sites; sites != nil && (sites[i] != sites[k] || orOne(g.masks, int(i)) != orOne(g.masks, int(k))) {
		return false
	}
	return g.targets[i] == g.targets[k]
}

// block is all arcs of a graph that was verified, unless the context ends. What it shares with the graph must not be written.
func blockOf(p *polls, g *CSR) Block {
	sources := make([]uint32, g.Arcs())
	for u := uint64(0); u < uint64(g.Nodes()) && !p.end; u++ {
		first, last := g.rows.row(uint32(u))
		for from, to := range p.pieces(first, last) {
			row := sources[from:to]
			for i := range row {
				row[i] = uint32(u)
			}
		}
	}
	return Block{sources, g.targets, g.kinds(), g.data.Weights, g.data.Sites}
}

// rebuilt is a graph of the same nodes, and all its data, with other arcs.
func rebuilt(ctx context.Context, g *CSR, arcs Block, o BuildOptions) (*CSR, Built, error) {
	r, built, err := FromBlocks(ctx, int64(g.Nodes()), []Block{arcs}, o)
	if err != nil {
		return nil, built, err
	}
	weights, sites := r.data.Weights, r.data.Sites
	r.data = g.data
	r.data.Weights, r.data.Sites = weights, sites
	r.lender = g.mapped()
	if sites == nil && g.data.Sites != nil {
		r.data.Procedures = nil
	}
	return r, built, nil
}

// changed is rebuilt for what a function makes of the arcs, which it need not finish once the context ends.
func changed(ctx context.Context, g *CSR, o BuildOptions, of func(*polls, Block) Block) (r *CSR, b Built, err error) {
	if err := g.Verify(ctx); err != nil {
		return nil, b, err
	}
	p := &polls{ctx: ctx}
	err = g.Read(func() (err error) {
		arcs := blockOf(p, g)
		if !p.end {
			arcs = of(p, arcs)
		}
		if p.end {
			return errOf(ctx, "building")
		}
		r, b, err = rebuilt(ctx, g, arcs, o)
		return err
	})
	if err != nil {
		return nil, Built{}, err
	}
	return r, b, nil
}

// Reverse returns the graph with every arc the other way round, and all its data but procedures and call sites.
//
// Errors: those of Verify.
func (g *CSR) Reverse(ctx context.Context) (*CSR, error) {
	r, _, err := changed(ctx, g, BuildOptions{}, func(_ *polls, b Block) Block {
		b.From, b.To, b.Sites = b.To, b.From, nil
		return b
	})
	return r, err
}

// Without returns the graph without the arcs from and to some nodes. The nodes stay, so that ids do.
//
// Errors: those of Verify.
func (g *CSR) Without(ctx context.Context, nodes []uint32) (*CSR, error) {
	out := make([]bool, g.Nodes())
	for _, v := range nodes {
		if int(v) < len(out) {
			out[v] = true
		}
	}
	r, _, err := changed(ctx, g, BuildOptions{}, func(p *polls, b Block) Block { return b.without(p, out) })
	return r, err
}

// without leaves out the arcs from and to some nodes.
func (b Block) without(p *polls, out []bool) (kept Block) {
	for i, u := range b.From {
		if p.Ended() {
			break
		}
		if out[u] || out[b.To[i]] {
			continue
		}
		kept.From, kept.To = append(kept.From, u), append(kept.To, b.To[i])
		if b.Masks != nil {
			kept.Masks = append(kept.Masks, b.Masks[i])
		}
		if b.Weights != nil {
			kept.Weights = append(kept.Weights, b.Weights[i])
		}
		if b.Sites != nil {
			kept.Sites = append(kept.Sites, b.Sites[i])
		}
	}
	return kept
}

// Rebuild returns the graph with what the options ask for done to its arcs, and all its data.
//
// Errors: those of Verify, and of FromBlocks.
func (g *CSR) Rebuild(ctx context.Context, o BuildOptions) (*CSR, Built, error) {
	if o == (BuildOptions{}) {
		return g, Built{}, g.Verify(ctx)
	}
	return changed(ctx, g, o, func(_ *polls, b Block) Block { return b })
}
