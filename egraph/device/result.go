package device

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/closure"
)

// Status says how a call ended.
type Status uint32

// The ways to end.
const (
	Converged Status = closure.Converged // a round united nothing: the graph is closed
	Stopped   Status = closure.Stopped   // MaxRounds were done; what is united is right, and perhaps not all
)

func (s Status) String() string {
	switch s {
	case Converged:
		return "converged"
	case Stopped:
		return "stopped"
	}
	return fmt.Sprintf("status %d", uint32(s))
}

// Result is what a call came to. What its methods return is the session's until its next call.
type Result struct {
	driver.Timing
	Status         Status
	Rounds         int // the last, empty one among them
	Unions         int // by congruence, in those rounds
	Pending        int // by the unions that were given; of these
	Self           int // so many unite a class with itself
	Classes        int // that are left
	Live           int // rows that are no copies of smaller ones
	Refills        int // how often the table was cleared and filled again
	Lookups        uint64
	Uploaded, Read uint64 // bytes

	of     *reading
	rows   bool
	groups int
}

// reading is where what is read of an image goes.
type reading struct {
	im   *Image
	read []uint32 // from class or groupClass to parent
}

// readWords is how many words are read.
func (r *reading) readWords(all bool) int {
	l, from := r.im.l, groupClass
	if all {
		from = class
	}
	return int(l.at[parent] + l.len[parent] - l.at[from])
}

// column returns a column that was read.
func (r *Result) column(c column) []uint32 {
	l, first := r.of.im.l, groupClass
	words := r.of.read[len(r.of.read)-r.of.readWords(false):]
	if r.rows {
		words, first = r.of.read, class
	}
	from := l.at[c] - l.at[first]
	return words[from : from+l.len[c]]
}

// fill takes what the header says.
func (r *Result) fill(of *reading, rows bool) {
	r.of, r.rows = of, rows
	h := r.column(header)
	r.Status = Status(h[closure.Status])
	r.Rounds, r.Unions = int(h[closure.Rounds]), int(h[closure.Unions])
	r.Pending, r.Self = int(h[closure.Pending]), int(h[closure.Self])
	r.Classes, r.Live = int(h[closure.Classes]), int(h[closure.Live])
	r.Refills, r.groups = int(h[closure.Refills]), int(h[closure.Groups])
	r.Lookups = uint64(h[closure.Lookups+1])<<32 | uint64(h[closure.Lookups])
}

// PerRound returns the unions of each round, of the first 32 rounds at most.
func (r *Result) PerRound() []uint32 {
	return r.column(header)[closure.Log:][:min(r.Rounds, closure.LogRounds)]
}

// Roots returns the root of each class.
func (r *Result) Roots() []uint32 { return r.column(parent)[:r.of.im.l.classes] }

// IsLive reports whether a row is the smallest of its key.
func (r *Result) IsLive(row int) bool { return r.column(live)[row/32]>>(row%32)&1 != 0 }

// Groups returns the rows by class: those of classes[k] are rows[first[k]:first[k+1]]. Classes, which are roots, and
// rows in a class ascend.
func (r *Result) Groups() (classes, first, rows []uint32) {
	return r.column(groupClass)[:r.groups], r.column(groupFirst)[:r.groups+1], r.column(groupRow)[:r.of.im.l.n]
}

// Digest is of the root of every class, as egraph's of a graph whose classes were all roots when the image was built.
func (r *Result) Digest() (d uint64) {
	for _, root := range r.Roots() {
		d = d*1099511628211 + uint64(root) + 1
	}
	return d
}

// Graph makes a graph of the rows as the device has them, closed on the host: classes and rows have the image's
// numbers.
//
// Errors: InvalidArgument if Options.Rows did not ask for the rows; those of egraph's Rebuild, such as two constants
// in one class.
func (r *Result) Graph() (*egraph.Graph, error) {
	if !r.rows {
		return nil, refused("graph", "the rows were not read: set Options.Rows")
	}
	im, g := r.of.im, egraph.New()
	g.Grow(im.Rows(), 3*im.Rows())
	for _, h := range im.heads {
		g.Head(h)
	}
	for _, t := range im.types {
		g.Class(t)
	}
	classes, all, long := r.column(class), r.column(rows), r.column(more)
	var kids []egraph.Class
	for i := range im.Rows() {
		row := all[4*i:][:4]
		given := row[1:]
		if row[1] == none && row[2] != none {
			given = long[row[2]:][:row[3]]
		}
		kids = kids[:0]
		for _, k := range given {
			if k != none {
				kids = append(kids, egraph.Class(k))
			}
		}
		g.Insert(egraph.Class(classes[i]), egraph.Head(row[0]&^closure.Commutative), kids...)
	}
	for c, root := range r.Roots() {
		if uint32(c) != root {
			if err := g.Union(egraph.Class(c), egraph.Class(root), "closed on a device"); err != nil {
				return nil, err
			}
		}
	}
	return g, g.Rebuild()
}
