// Package cpu searches graphs in compressed rows on the cores of the host. Where there is no GPU, package graph asks it; its
// answers are those of the kernels, bit for bit.
//
//	arrays ──New──▶ Engine ──Levels──▶ a level a node
//	                       ──Lanes───▶ a word a node: which of 64 queries reach it
//	                       ──Components──▶ a label a node
//	                       ──StrongComponents, TopologicalLevels, Dominators──▶ the same, on one core
//	                       ──Bits, Fixpoint──▶ a set or a fact a node
//
// # How
//
// A search goes level by level. A list of few nodes is walked by the caller alone, without atomics. A longer one is shared
// out between workers: the caller begins at once, the others take of what is left when they come, and nobody is waited for who
// does not come. Which of the two is faster for lists of middle length is measured as the search goes. A node is claimed by a
// compare-and-swap. Where the list has more arcs than a share of what is not reached, and the reverse of the graph is there,
// the level goes backward: each node without a level looks for an arc from the list, first at its neighbour with the most arcs
// (known after a few searches, or from Index), and stops at the first. Then every worker owns the words that it writes, and
// there are no atomics at all. (Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First Search, 2012.)
//
// Components are found without searching: every node is linked to the first entry of its row if that is smaller, then to the
// second, or to its neighbour with the most arcs if that is known; paths are made short, most nodes are in one component by
// then, and only the others look at the rest of their arcs. (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph Connectivity
// Computation via Subgraph Sampling, 2018.)
//
// # Invariants
//
// Answers do not depend on the number of workers or on chance. An Engine keeps the arrays it is given, which must not
// change. Its calls take turns: one that comes while another runs waits. After a call its workers look for the next one for
// 200 µs, and end. A call with a context that is nil or has ended, and one of an engine that New did not make, is an
// error of package driver, and writes nothing.
//
// Start reading at engine.go, then levels.go, forward.go, backward.go and team.go.
package cpu
