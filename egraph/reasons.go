package egraph

import "slices"

// kind says why two classes are equal.
type kind uint8

const (
	given     kind = iota // the caller says so, with a label
	congruent             // rows x and y have one head and equal children
	ruled                 // a rule: x is the match, y the rule
	folded                // row x is an op of constants, computed by the op table
	narrowed              // facts leave one number
	inserted              // in proofs: Insert has put row x into class a
	commuted              // in proofs: the children of a commutative head, in the other order
)

// edge is why the terms with which classes a and b began are equal. Edges are in the order of their unions, and each
// follows from earlier ones.
type edge struct {
	a, b Class
	kind kind
	rule uint32 // number of the rules, or of the label
	x, y uint32
}

// reasons keeps an edge for each union.
type reasons struct {
	edges  edges
	labels []string
	rules  []*Rules
	binds  []uint32 // of the matches of ruled edges: classes of the variables, rows of the left ops, rows of the right ops
}

// edges is a list in chunks, so that a long one grows without being copied.
type edges struct {
	chunks [][]edge // full ones, and the last
	len    int
}

const chunkBits = 9

func (l *edges) at(i int) *edge { return &l.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

func (l *edges) add(e edge) {
	l.extend(l.len + 1)
	*l.at(l.len - 1) = e
}

// extend makes the list n long. A short one grows as any other.
func (l *edges) extend(n int) {
	for n > l.len {
		last := len(l.chunks) - 1
		if last < 0 || len(l.chunks[last]) == 1<<chunkBits {
			var next []edge
			if last++; last > 0 || n >= 1<<chunkBits {
				next = make([]edge, 0, 1<<chunkBits)
			}
			l.chunks = append(l.chunks, next)
		}
		more := min(n-l.len, 1<<chunkBits-len(l.chunks[last]))
		l.chunks[last] = slices.Grow(l.chunks[last], more)[:len(l.chunks[last])+more]
		l.len += more
	}
}

// label returns the number of a caller's text.
func (r *reasons) label(text string) uint32 {
	if n := len(r.labels); n > 0 && r.labels[n-1] == text {
		return uint32(n - 1)
	}
	r.labels = append(r.labels, text)
	return uint32(len(r.labels) - 1)
}
