// Package cpu searches graphs in compressed rows on the cores of the host. Package graph uses it without a GPU, and
// for short searches. Its answers are those of the kernels, bit for bit.
//
//	arrays ──New──▶ Engine ──Levels──▶ a level a node
//	                       ──Lanes───▶ a word a node: which of 64 queries reach it
//	                       ──Components──▶ a label a node
//	                       ──StrongComponents, TopologicalLevels, Dominators──▶ the same, on one core
//	                       ──Bits, Fixpoint──▶ a set or a fact a node
//
// # Searches
//
// A search goes level by level. The caller alone walks a short list, without atomics. Workers divide a longer one. The
// caller begins at once, the others take a share when they arrive, and the caller does not wait for late ones. The
// search measures which of the two is faster for lists of middle length. A worker claims a node by a compare-and-swap.
//
// If the engine has the graph's reverse, a level goes backward when that costs less, by the arcs of its list and
// of the unreached nodes. Each node without a level then looks for an arc from the list, and stops at the first one. It begins
// with its neighbour with the most arcs (known after a few searches, or from Index). Every worker owns the words that
// it writes, so this needs no atomics. (Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First Search, 2012.)
//
// # Components
//
// Components are found without a search. Every node is linked to the first entry of its row if that is smaller. Then
// it is linked to the second, or to its neighbour with the most arcs if that is known. Paths are compressed. Most
// nodes are then in one component, and only the others visit the rest of their arcs. (Sutton, Ben-Nun, Barak:
// Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling, 2018.)
//
// # Invariants
//
// Answers depend neither on the number of workers nor on chance. An Engine keeps its input arrays, which must not
// change. Its calls take turns: a call waits while another runs. After a call its workers look for the next one for
// 200 µs, and end. Calls fail with an error of package driver, and write nothing, if the context is nil or has ended.
// So do calls on an engine that New did not make.
//
// Start reading at graph.go and engine.go, then levels.go, rows.go, forward.go, backward.go and team.go.
package cpu
