package device

import (
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/egraph/internal/groups"
	"github.com/govyre/vyre/ir"
)

// none is no class.
const none = 1<<32 - 1

// Image is an e-graph as a device has it. Its classes are the roots of the graph, numbered from 0 in their order: Class
// returns the number. Rows have the numbers that they have in the graph.
type Image struct {
	l       *layout
	words   []uint32  // up to the header: what is uploaded
	dense   []uint32  // by class id of the graph
	types   []ir.Type // by class
	heads   []egraph.HeadInfo
	pending uint32
}

// source is what an image is made of: columns of a graph, with what is known about heads and classes.
type source struct {
	egraph.Columns
	heads   []egraph.HeadInfo
	types   []ir.Type // by class id
	pending [][2]egraph.Class
}

// Build makes an image of a graph with its pending unions. The graph need not be closed, and does not change. O(rows
// + classes).
//
// Errors: InvalidArgument, with the column, the row and the value, for what an image cannot hold.
func Build(g *egraph.Graph) (*Image, error) {
	s := sourceOf(g)
	return s.image(0)
}

func sourceOf(g *egraph.Graph) *source {
	s := &source{Columns: g.Columns(), pending: g.Pending()}
	s.types = make([]ir.Type, len(s.Parent))
	for c := range s.types {
		s.types[c] = g.Type(egraph.Class(c))
	}
	for _, h := range s.Head {
		for uint32(len(s.heads)) <= uint32(h) {
			s.heads = append(s.heads, g.Info(egraph.Head(len(s.heads))))
		}
	}
	return s
}

// image checks the columns and lays them out, with a table of so many slots, or the default for 0.
func (s *source) image(table uint64) (*Image, error) {
	if err := s.lengths(); err != nil {
		return nil, err
	}
	im, err := s.classes()
	if err != nil {
		return nil, err
	}
	long, err := s.rows()
	if err != nil {
		return nil, err
	}
	in := s.groups()
	im.l = lay(uint64(len(s.Class)), long, uint64(len(im.types)), uint64(len(in.class)), uint64(len(s.pending)), table)
	im.words = make([]uint32, im.l.at[live])
	im.heads, im.pending = s.heads, uint32(len(s.pending))
	s.fill(im, im.dense, &in)
	if err := s.pairs(im, im.dense); err != nil {
		return nil, err
	}
	return im, nil
}

// lengths checks what the columns say about each other's lengths.
func (s *source) lengths() error {
	n := len(s.Class)
	switch {
	case n > maxRows:
		return refused("build", "column class has %d rows, at most %d are possible", n, maxRows)
	case len(s.Head) != n || len(s.First) != n || len(s.Len) != n:
		return refused("build", "columns class, head, first and len have %d, %d, %d and %d rows", n, len(s.Head),
			len(s.First), len(s.Len))
	case uint64(len(s.Kids)) >= none || uint64(len(s.Parent)) >= none || len(s.types) != len(s.Parent):
		return refused("build", "%d children and %d classes, fewer than 1<<32 are possible", len(s.Kids), len(s.Parent))
	case len(s.pending) > maxRows:
		return refused("build", "%d pending unions, at most %d are possible", len(s.pending), maxRows)
	}
	return nil
}

// classes numbers the roots.
func (s *source) classes() (im *Image, err error) {
	im = &Image{dense: make([]uint32, len(s.Parent))}
	for c, p := range s.Parent {
		switch {
		case uint64(p) > uint64(c) || s.Parent[p] != p:
			return nil, refused("build", "column parent: class %d leads to %d, which is no root before it", c, p)
		case s.types[p] != s.types[c]:
			return nil, refused("build", "column parent: class %d is %v, its root %d is %v", c, s.types[c], p, s.types[p])
		case int(p) == c:
			im.dense[c] = uint32(len(im.types))
			im.types = append(im.types, s.types[c])
		default:
			im.dense[c] = im.dense[p]
		}
	}
	return im, nil
}

// rows checks every row, and returns how many children there are in rows with more than three.
func (s *source) rows() (long uint64, err error) {
	for i, c := range s.Class {
		h, first, n := s.Head[i], uint64(s.First[i]), uint64(s.Len[i])
		switch {
		case int64(c) >= int64(len(s.Parent)):
			return 0, refused("build", "column class: row %d is in class %d of %d", i, c, len(s.Parent))
		case int64(h) >= int64(len(s.heads)) || h >= closure.Commutative:
			return 0, refused("build", "column head: row %d has head %d of %d", i, h, len(s.heads))
		case first+n > uint64(len(s.Kids)):
			return 0, refused("build", "column first: row %d has children %d to %d of %d", i, first, first+n, len(s.Kids))
		}
		for k, kid := range s.Kids[first : first+n] {
			if int64(kid) >= int64(len(s.Parent)) {
				return 0, refused("build", "column kids: child %d of row %d is class %d of %d", k, i, kid, len(s.Parent))
			}
		}
		if n > 3 {
			long += n
		}
	}
	if long >= none {
		return 0, refused("build", "column more: %d children, fewer than 1<<32 are possible", long)
	}
	return long, nil
}

// grouped are the rows of each root that has some: classes, rows and the rows of each class rise.
type grouped struct {
	class []egraph.Class
	first []uint32
	rows  []uint32
}

func (s *source) groups() (in grouped) {
	class, first, rows := groups.Of(s.Class, s.Parent)
	for i, c := range class {
		if first[i] != first[i+1] {
			in.class, in.first = append(in.class, c), append(in.first, first[i])
		}
	}
	in.first, in.rows = append(in.first, uint32(len(rows))), rows
	return in
}

// fill writes the columns that are uploaded.
func (s *source) fill(im *Image, dense []uint32, in *grouped) {
	to := func(c column) []uint32 { return im.words[im.l.at[c]:][:im.l.len[c]] }
	class_, rows_, more_ := to(class), to(rows), to(more)
	next := uint32(0)
	for i, c := range s.Class {
		class_[i] = dense[c]
		row, kids := rows_[4*i:][:4], s.Kids[s.First[i]:][:s.Len[i]]
		row[0], row[1], row[2], row[3] = uint32(s.Head[i]), none, none, none
		if len(kids) > 3 {
			row[2], row[3] = next, uint32(len(kids))
			for k, kid := range kids {
				more_[int(next)+k] = dense[kid]
			}
			next += uint32(len(kids))
			continue
		}
		for k, kid := range kids {
			row[1+k] = dense[kid]
		}
		if len(kids) == 2 && s.heads[s.Head[i]].Commutative {
			row[0] |= closure.Commutative
			row[1], row[2] = min(row[1], row[2]), max(row[1], row[2])
		}
	}
	for i, c := range in.class {
		to(groupClass)[i] = dense[c]
	}
	copy(to(groupFirst), in.first)
	copy(to(groupRow), in.rows)
}

// pairs stages the pending unions.
func (s *source) pairs(im *Image, dense []uint32) error {
	to := im.words[im.l.at[staged]:]
	to[closure.StagedPairs] = im.pending
	for k, p := range s.pending {
		for side, c := range p {
			if int64(c) >= int64(len(dense)) {
				return refused("build", "pending union %d is of class %d of %d", k, c, len(dense))
			}
			to[closure.StagedHead+2*k+side] = dense[c]
		}
		if a, b := s.types[p[0]], s.types[p[1]]; a != b {
			return refused("build", "pending union %d is of class %d, which is %v, and class %d, which is %v", k, p[0], a,
				p[1], b)
		}
	}
	return nil
}

// Bytes is how much memory on a device the image takes: what Bytes says of its columns.
func (im *Image) Bytes() uint64 { return uint64(im.l.bytes()) }

// Rows is the number of rows, and Classes that of classes.
func (im *Image) Rows() int    { return int(im.l.n) }
func (im *Image) Classes() int { return len(im.types) }

// Class returns the number of a class of the graph, and false if the graph had none of that id.
func (im *Image) Class(c egraph.Class) (number uint32, ok bool) {
	if int64(c) >= int64(len(im.dense)) {
		return none, false
	}
	return im.dense[c], true
}
