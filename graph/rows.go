package graph

// Nodes returns how many nodes there are. Their ids count from 0.
func (g *arrays) Nodes() int { return max(g.rows.len(), 1) - 1 }

// Arcs returns how many arcs there are.
func (g *arrays) Arcs() int { return len(g.targets) }

// Offsets returns where each row starts among the targets, and at the end the number of arcs. It must not be written. It is nil
// where 32 bits do not count the arcs, of a graph with 2³² of them or more: see WideOffsets.
func (g *arrays) Offsets() []uint32 { return g.starts().narrow }

// WideOffsets returns what Offsets does, with 64 bits each, where 32 do not count the arcs; else nil.
func (g *arrays) WideOffsets() []uint64 { return g.rows.wide }

// starts are the offsets, also of the zero value.
func (g *arrays) starts() offsets {
	if g.rows.len() == 0 {
		return offsets{narrow: []uint32{0}}
	}
	return g.rows
}

// First returns the number of the first arc of a node's row, and of as many nodes as there are, the number of arcs: where the
// row's weights and call sites begin.
func (g *CSR) First(node uint32) (first int) {
	if g.rows.len() == 0 {
		return 0
	}
	g.glance(func() { first = int(g.rows.at(int(node))) })
	return first
}

// Targets returns the targets of all arcs, row by row. It must not be written.
func (g *arrays) Targets() []uint32 { return g.targets }

// Masks returns the kinds of all arcs in the order of Targets, or nil if all have mask 1. It must not be written.
func (g *CSR) Masks() (masks []uint32) {
	if g.masks != nil || g.file == nil || g.file.head.kinds != 1 {
		return g.masks
	}
	if done := g.file.masks.Load(); done != nil {
		return *done
	}
	g.glance(func() { masks = g.file.unpacked() })
	return masks
}

// kinds is Masks for who looks after faults.
func (g *arrays) kinds() []uint32 {
	if g.file != nil && g.masks == nil {
		return g.file.unpacked()
	}
	return g.masks
}

// Row returns the arcs of a node, which must be one: their targets, and their masks, which are nil if all are 1. Neither
// must be written. Of a graph of a file that is not as Verify wants it, a row may be empty that is not; and what the arrays hold
// is to be looked at by a function that Read calls.
func (g *CSR) Row(node uint32) (targets, masks []uint32) {
	if g.file == nil || g.file.unmap == nil {
		return g.row(node)
	}
	g.glance(func() { targets, masks = g.row(node) })
	return targets, masks
}

// row is Row for who looks after faults.
func (g *arrays) row(node uint32) (targets, masks []uint32) {
	from, to := g.rows.row(node)
	masks = g.kinds()
	if from > to || to > uint64(len(g.targets)) || masks != nil && to > uint64(len(masks)) {
		return nil, nil // of a file that was not verified
	}
	if masks != nil {
		masks = masks[from:to:to]
	}
	return g.targets[from:to:to], masks
}

// Bytes returns how much memory the arrays take.
func (g *CSR) Bytes() int64 {
	return int64(g.rows.width()*g.rows.len()) + 4*int64(len(g.targets)+len(g.Masks()))
}

// unpacked returns the masks of kinds that are an index, made when they are first asked for; nil if there are no kinds.
// Indices outside of the table, which Verify finds, give 0.
func (f *file) unpacked() []uint32 {
	if f.head.kinds != 1 {
		return nil
	}
	if masks := f.masks.Load(); masks != nil {
		return *masks
	}
	masks, _ := f.unpacking(unending())
	return masks
}

// unpacking is unpacked until the context ends, with its error then.
func (f *file) unpacking(p *polls) ([]uint32, error) {
	return f.unpack.get(p.ctx, func() ([]uint32, error) {
		var table [256]uint32
		copy(table[:], wordsOf[uint32](f.section(kindTableSection)))
		index := f.section(kindsSection)
		masks := make([]uint32, len(index))
		for from, to := range p.pieces(0, uint64(len(index))) {
			for i, k := range index[from:to] {
				masks[int(from)+i] = table[k]
			}
		}
		if p.end {
			return nil, p.err()
		}
		f.masks.Store(&masks)
		return masks, nil
	})
}

// dropEqualMasks leaves out masks that are all 1, so that a graph has one form.
func (g *arrays) dropEqualMasks() {
	for _, m := range g.masks {
		if m != 1 {
			return
		}
	}
	g.masks = nil
}
