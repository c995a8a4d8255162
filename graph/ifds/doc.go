// Package ifds follows facts through a program along realisable paths: those on which every return goes to the call that was
// made. A graph that is only searched lets a fact enter a procedure by one call and leave it to another.
//
//	graph with procedures and call sites ──NewSession──▶ Session ──Solve(seeds)──▶ Solution: which nodes hold, for which
//	                                     │                                         entries of their procedure
//	                                     └─Taint(query)──▶ sinks that values of sources come to, with realisable paths
//
// # What goes in
//
// The graph is exploded (Reps, Horwitz and Sagiv, "Precise interprocedural dataflow analysis via graph reachability", POPL
// 1995): a node is a place of a procedure together with a fact, and an arc says that the fact at its end follows from the one
// at its start. A graph of values, in which arguments lead to parameters and results to calls, has the same form. Every node
// belongs to a procedure (graph.Data.Procedures). An arc of kind call or argument leads into another procedure, one of kind
// call return or return back to its callers, and both have the number of their call site (graph.Data.Sites). All other arcs
// stay inside a procedure, and make the call-to-return way as well. With Options.Unbalanced they may also lead to another
// procedure: through a variable that all can reach, from where a fact goes on whoever called.
//
// # How
//
// Tabulation. An entry of a procedure is a node that a call leads to. Each node has a row of bits, one for each entry of its
// procedure from which it follows; what is new in a row goes along the arcs. A row at an exit is a summary: from this entry to
// this exit, whatever the caller. It is applied at every call of the entry, known or still to come. Rows only grow, and there
// is one least solution, which is found in any order.
//
// Who does it is the session's engine. One core of the host takes nodes from a stack: time O(arcs × entries of a procedure),
// memory two bits for each node and entry of its procedure. A device does all that grew in one round in the next one, in one
// launch where it has barriers of the grid (package tabulation); it keeps the program, so that another question uploads its
// seeds only. Solutions are the same bit by bit.
//
// # Seeds
//
// A seed holds without a call. With Options.Unbalanced, what follows from one may also return to callers that were never
// entered: that is what is wanted of a source of tainted values in the midst of a program. Without, seeds are where a program
// begins.
//
// # Concurrency
//
// A Session may be used from any goroutine and answers one question after another. A Solution does not change, and stays when its
// session is closed.
//
// Start reading at index.go, then solve.go for the host, image.go and waves.go for a device; contexts.go makes a graph of a
// solution that any search can go through.
package ifds
