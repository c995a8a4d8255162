package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/govyre/vyre/graph"
)

// parse reads all: whether the graph is directed (a byte), arcs and nodes (8 bytes each), offsets (8 bytes
// each, one more than nodes), targets (4 bytes each, or pairs with a weight), and for directed graphs both again for the arcs
// the other way round.
func (r gapReader) parse(weighted bool) (parsed, error) {
	p := parsed{nodes: -1}
	var head [17]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return p, r.short(err, "a header of 17 bytes")
	}
	m, n := int64(binary.LittleEndian.Uint64(head[1:])), int64(binary.LittleEndian.Uint64(head[9:]))
	switch {
	case head[0] > 1:
		return p, r.badGAP(0, fmt.Sprintf("byte %d", head[0]), "0 or 1, for directed")
	case m < 0 || m > graph.MaxArcs:
		return p, r.badGAP(1, fmt.Sprintf("%d arcs", m), fmt.Sprintf("from 0 to %d", uint64(graph.MaxArcs)))
	case n < 0 || n > graph.MaxNodes:
		return p, r.badGAP(9, fmt.Sprintf("%d nodes", n), fmt.Sprintf("from 0 to %d", uint64(graph.MaxNodes)))
	}
	p.nodes, p.count = n, m
	ahead, err := r.rows(n, m, weighted, head[0] == 1)
	if err != nil {
		return p, err
	}
	if head[0] == 1 {
		back, err := r.rows(n, m, weighted, true)
		if err != nil {
			return p, err
		}
		if ahead.sums != [2][2]uint64{back.sums[1], back.sums[0]} {
			return p, r.badGAP(r.in.n, "the arcs of the second half", "those of the first the other way round")
		}
		r.release(back.bytes())
	}
	if err := r.ended(); err != nil {
		return p, err
	}
	if r.o.Build == (graph.BuildOptions{}) && ahead.settle() {
		p.rows = ahead.graph
		return p, nil
	}
	defer r.release(ahead.bytes())
	return p, r.expand(&p, ahead)
}

// ended refuses what is after the arrays.
func (r gapReader) ended() error {
	var more [1]byte
	if k, err := io.ReadFull(r.in, more[:]); k > 0 {
		return r.badGAP(r.in.n-1, "more bytes", "the end of the file")
	} else if err != io.EOF { // that of a checksum, or of the file
		return err
	}
	return nil
}

// pieceOfArcs is how many arcs are held in one piece: what was read is never copied to make room for more.
const pieceOfArcs = 64 << 10

// expand makes a list of arcs of rows, which are to become others.
func (r gapReader) expand(p *parsed, rows *gapRows) error {
	for u := range rows.starts[1:] {
		for k := rows.starts[u]; k < rows.starts[u+1]; k++ {
			last := len(p.arcs) - 1
			if last < 0 || len(p.arcs[last].from) == pieceOfArcs {
				a := arcs{from: make([]uint32, 0, pieceOfArcs), to: make([]uint32, 0, pieceOfArcs)}
				if rows.weights != nil {
					a.weights = make([]uint32, 0, pieceOfArcs)
				}
				if err := r.hold(a.bytes(), "targets"); err != nil {
					return err
				}
				p.arcs = append(p.arcs, a)
				last++
			}
			a := &p.arcs[last]
			a.from, a.to = append(a.from, uint32(u)), append(a.to, rows.targets[k])
			if rows.weights != nil {
				a.weights = append(a.weights, rows.weights[k])
			}
		}
	}
	return nil
}

const mostGAP = math.MaxInt32 // nodes and weights that GAP can have
