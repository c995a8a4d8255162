package graph

import (
	"context"
	"encoding/json"
	"io"
	"slices"
)

// Encode writes the graph with all its data as a .vyg file, and returns how many bytes that were. Kinds are one byte each
// where there are at most 256 different masks.
//
// Errors: those of the writer; those of Verify. What a changed file or a context that ends has left in w is to be thrown away.
func (g *CSR) Encode(ctx context.Context, w io.Writer) (n int64, err error) {
	shape, err := g.Shape(ctx)
	if err != nil {
		return 0, err
	}
	digest, err := g.Digest(ctx)
	if err != nil {
		return 0, err
	}
	p := &polls{ctx: ctx}
	err = g.Read(func() (err error) {
		n, err = encode(p, w, g, shape, digest)
		return err
	})
	if p.end {
		err = errOf(ctx, "encoding")
	}
	return n, err
}

func encode(p *polls, w io.Writer, g *CSR, shape Shape, digest [32]byte) (int64, error) {
	contents, kinds, err := contentsOf(p, g)
	if err != nil {
		return 0, err
	}
	h := head{nodes: uint64(g.Nodes()), arcs: uint64(g.Arcs()), width: uint8(g.rows.width()), kinds: kinds, digest: digest, flags: shape.flags()}
	mapped, at := g.mapped() != nil, uint64(headBytes+entryBytes*len(contents))
	var table []section
	for _, c := range contents {
		at = (at + sectionLine - 1) / sectionLine * sectionLine
		table = append(table, section{c.kind, c.width, at, uint64(len(c.bytes)), sectionSum(p, c.bytes, mapped)})
		at += uint64(len(c.bytes))
	}
	out := &counted{polls: p, w: w, mapped: mapped}
	out.write(h.header(table))
	for i, c := range contents {
		out.write(make([]byte, table[i].offset-uint64(out.n)))
		out.write(c.bytes)
	}
	return out.n, out.failed
}

// counted counts what it writes, and nothing after an error.
type counted struct {
	*polls
	w      io.Writer
	mapped bool // bytes may be of a file, which the writer is not to look at
	n      int64
	failed error
}

func (c *counted) write(b []byte) {
	if c.failed != nil {
		return
	}
	n, err := writeBytes(c.polls, c.w, b, c.mapped)
	c.n, c.failed = c.n+int64(n), err
}

// content is a section that is to be written.
type content struct {
	kind, width uint32
	bytes       []byte
}

// contents are the sections that are not empty, and the width of kinds.
func contentsOf(p *polls, g *CSR) (list []content, kinds uint8, err error) {
	add := func(kind, width uint32, b []byte) {
		if len(b) > 0 {
			list = append(list, content{kind, width, b})
		}
	}
	text := func(kind uint32, empty bool, v any) {
		if empty {
			return
		}
		b, failed := json.Marshal(v)
		if failed != nil {
			err = failed
		}
		add(kind, 1, b)
	}
	d := g.data
	starts := g.starts()
	add(offsetsSection, uint32(starts.width()), starts.bytes())
	add(targetsSection, 4, bytesOf(g.targets))
	if masks := g.kinds(); masks != nil {
		kinds = 4
		table, index := packed(p, masks)
		if p.end {
			return nil, 0, p.err()
		}
		if table != nil {
			kinds = 1
			add(kindsSection, 1, index)
			add(kindTableSection, 4, bytesOf(table))
		} else {
			add(kindsSection, 4, bytesOf(masks))
		}
	}
	add(nodeKindsSection, 4, bytesOf(d.NodeKinds))
	add(tagsSection, 4, bytesOf(d.Tags))
	add(weightsSection, 4, bytesOf(d.Weights))
	add(proceduresSection, 4, bytesOf(d.Procedures))
	add(sitesSection, 4, bytesOf(d.Sites))
	add(nameEndsSection, 8, bytesOf(d.Names.ends))
	add(nameBytesSection, 1, d.Names.bytes)
	add(positionEndsSection, 8, bytesOf(d.Positions.ends))
	add(positionBytesSection, 1, d.Positions.bytes)
	text(attributesSection, len(d.Attributes) == 0, d.Attributes)
	text(provenanceSection, d.Provenance == Provenance{}, d.Provenance)
	text(kindNamesSection, d.KindNames == [32]string{}, d.KindNames)
	return list, kinds, err
}

// packed is masks as a table, ascending, and an index into it for each; nothing if there are more than 256.
func packed(p *polls, masks []uint32) (table []uint32, index []byte) {
	last := uint32(0)
	for _, m := range masks {
		if p.Ended() {
			return nil, nil
		}
		if m == last {
			continue
		}
		last = m
		if i, known := slices.BinarySearch(table, m); !known {
			if len(table) == 256 {
				return nil, nil
			}
			table = slices.Insert(table, i, m)
		}
	}
	index = make([]byte, len(masks))
	for i, m := range masks {
		if p.Ended() {
			return nil, nil
		}
		k, _ := slices.BinarySearch(table, m)
		index[i] = byte(k)
	}
	return table, index
}

// Shape looks at all arcs.
//
// Errors: those of Verify.
func (g *CSR) Shape(ctx context.Context) (Shape, error) {
	both, err := g.Symmetric(ctx)
	if err != nil {
		return Shape{}, err
	}
	s := Shape{Symmetric: both, Simple: true, NoSelf: true}
	p := &polls{ctx: ctx}
	err = g.Read(func() error {
		for u := uint64(0); u < uint64(g.Nodes()) && !p.end; u++ {
			row, _ := g.row(uint32(u))
			for from, to := range p.pieces(0, uint64(len(row))) {
				for i := from; i < to; i++ {
					s.NoSelf = s.NoSelf && row[i] != uint32(u)
					s.Simple = s.Simple && (i == 0 || row[i-1] != row[i])
				}
			}
		}
		return p.err()
	})
	if p.end {
		err = errOf(ctx, "shape")
	}
	if err != nil {
		return Shape{}, err
	}
	return s, nil
}
