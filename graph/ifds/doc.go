// Package ifds finds the facts of a program that hold along realisable paths, on which every return goes to the call
// that was made. A plain search lets a fact enter a procedure by one call and leave it to another.
//
//	graph with procedures and call sites ──NewSession──▶ Session ──Solve(seeds)──▶ Solution: the nodes that hold, and for
//	                                     │                                         which entries of their procedure
//	                                     └─Taint(query)──▶ sinks that values from sources reach, with realisable paths
//
// # Input
//
// The graph is exploded (Reps, Horwitz and Sagiv, "Precise interprocedural dataflow analysis via graph reachability",
// POPL 1995). A node is a place of a procedure together with a fact. An arc says that the fact at its end follows from
// the one at its start. A graph of values, in which arguments lead to parameters and results to calls, has the same
// form.
//
// Every node belongs to a procedure (graph.Data.Procedures). Arcs of kind call or argument lead into another
// procedure. Arcs of kind call return or return lead back to its callers. Both have the number of their call site
// (graph.Data.Sites). All other arcs stay inside a procedure, and are the call-to-return flow as well. With
// Options.Unbalanced they may also lead to another procedure, through a variable that all procedures can reach. The
// fact then goes on for every caller.
//
// # Tabulation
//
// An entry of a procedure is a node that a call leads to. Each node has a row of bits, one for each entry of its
// procedure from which it follows; new bits follow the arcs. A row at an exit is a summary: from this entry to this
// exit, for every caller. It applies to every call of the entry, also to calls that are found later. Rows only grow,
// and the least solution is the same in any order.
//
// The session's engine is one core of the host or the device. The host takes nodes from a stack. It needs time O(arcs
// × entries of a procedure), and two bits of memory for each node and entry of its procedure. The device propagates in
// each round all bits of the previous one, in one launch if it has barriers of the grid (package tabulation). It keeps
// the program, so that another question uploads only its seeds. Solutions are the same bit by bit.
//
// # Device memory
//
// Session.Bytes returns the sum, which NewSession compares with Options.Budget before it allocates anything:
//
//	an arc, a call, a return, a node                            8, 20, 8, 4 bytes
//	a word of rows: a node has one for 64 entries of its
//	procedure, and the first bit is for seeds                   20
//	a word of a node with returns                               28 more
//	a word, and a node, if a procedure has over 63 entries      4 more
//	512 arcs of a node with more, for each word; 512 calls of
//	an entry with more, for each exit                           40
//
// # Seeds
//
// A seed holds without a call. With Options.Unbalanced, facts that follow from a seed may also return to callers that
// were never entered. A source of tainted values in the midst of a program needs that. Without it, seeds are the
// beginning of a program.
//
// # Concurrency
//
// A Session may be used from any goroutine and answers one question after another. A Solution does not change, and
// remains valid when its session is closed.
//
// Start reading at index.go, then solve.go for the host, image.go and waves.go for a device. contexts.go makes a graph
// of a solution that any search can use.
package ifds
