package session

import (
	"unsafe"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/little"
)

// rows are the arrays of a graph, for a function that CSR.Read calls: CSR.Row looks after faults in each row.
type rows struct {
	narrow         []uint32
	wide           []uint64
	targets, masks []uint32
}

func rowsOf(g *graph.CSR) rows { return rows{g.Offsets(), g.WideOffsets(), g.Targets(), g.Masks()} }

// at returns the number of the first arc of a node, which is one after the last of the node before it.
func (r *rows) at(u uint32) uint64 {
	if r.wide != nil {
		return r.wide[u]
	}
	return uint64(r.narrow[u])
}

// of returns the arcs of a node; no masks if all are 1.
func (r *rows) of(u uint32) (targets, masks []uint32) {
	from, to := r.at(u), r.at(u+1)
	if r.masks != nil {
		masks = r.masks[from:to]
	}
	return r.targets[from:to], masks
}

// Row is of, for package tiles.
func (r rows) Row(u uint32) (targets, masks []uint32) { return r.of(u) }

// wordArcs is how many arcs the nodes of a word of 32 have, up to the last of so many nodes.
func (r *rows) wordArcs(w uint32, nodes int) uint64 {
	return r.at(uint32(min(uint64(w)*32+32, uint64(nodes)))) - r.at(w*32)
}

// starts are the offsets as bytes, each of so many.
func (r *rows) starts() (b []byte, each int) {
	if r.wide != nil {
		return little.Bytes(r.wide), int(unsafe.Sizeof(r.wide[0]))
	}
	return little.Bytes(r.narrow), int(unsafe.Sizeof(uint32(0)))
}

// maskAt is the mask of an arc, in the masks of its row.
func maskAt(masks []uint32, k int) uint32 {
	if masks == nil {
		return 1
	}
	return masks[k]
}
