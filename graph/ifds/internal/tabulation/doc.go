// Package tabulation has the kernels of package ifds: rows of bits that grow along the arcs of a program, in rounds.
//
// An item is a word of a row: 64 entries of a procedure, from which a node follows. The words of a node stand one after
// another, and the first one stands for the node. Nodes with returns come before all others, so that the first words are
// those of exits. A list has the items that grew in the round before.
//
//	arc inside      the item's word joins that of the node it leads to
//	call            the entry gets its own bit; the word joins what follows the call, where an exit is known for that entry
//	exit            a bit that is new is known from now on: the rows of all callers of its entry join what follows their calls
//
// A word may grow while it is read: then its item is in the next list, and whether the read saw it does not matter. What is
// new at an exit is different. It is taken one round after it came, from a word that nobody else touches in that round.
// So a summary is known strictly later than those that it was made of, and the list of summaries is in an order in which
// each can be explained by those before it.
//
// A warp takes as many items as lets all warps have some, up to 32, and shares their arcs out among its lanes; so it does
// with what calls and exits lead to.
//
// Start reading at round.go, then leave.go for exits and portions.go for what one warp would take too long for.
package tabulation

//go:generate go run ../../../../internal/gen/generate --programs .
