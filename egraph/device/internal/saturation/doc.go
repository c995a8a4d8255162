// Package saturation has the waves that saturate an e-graph on a device, all but those of the rules, which package
// device builds.
//
// A row is a key of 64 bits: a head and two children, or a head and a payload. Its slot in the table is its number and
// that of the class that it begins, so inserting is one compare-and-exchange. A child is a class, and the root of a
// class is one of its slots, or an anchor: a slot that is taken for a class when the table is made anew. Nothing here
// depends on which slot a row got, except the slots.
//
// A round of the loop closes the graph (Close). If nothing changed, live rows are listed by class (Group, Reserve,
// Scatter), and Judge decides: rules search the lists, or the table is made anew (Empty, Anchor, Adopt), or terms are
// extracted (Extract). What a search reads, no rule writes: so all rules see one state.
//
// Start reading at row.go, then close.go and judge.go.
package saturation

//go:generate go run ../../../../internal/gen/generate --programs .
