package egraph

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
	edges  []edge
	labels []string
	rules  []*Rules
	binds  []uint32 // of the matches of ruled edges: classes of the variables, rows of the left ops, rows of the right ops
}

// label returns the number of a caller's text.
func (r *reasons) label(text string) uint32 {
	if n := len(r.labels); n > 0 && r.labels[n-1] == text {
		return uint32(n - 1)
	}
	r.labels = append(r.labels, text)
	return uint32(len(r.labels) - 1)
}
