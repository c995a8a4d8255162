// Package graph holds directed graphs in compressed rows (CSR).
//
//	g, err := generate.Graph(ctx, "road:1024x1024", generate.Options{Seed: 1})
//	levels, err := graph.Levels(ctx, g, []uint32{0}, graph.AllKinds)
//
// The arcs of a node are its row: targets[offsets[u]:offsets[u+1]]. Every arc has a mask of kinds, 32 bits; a filter is
// a mask too, and an arc is allowed if the two have a bit in common. A graph whose masks are all 1 stores none.
//
//	node 0 → 1, 2      offsets  0  2  3  3
//	node 1 → 2         targets  1  2  2
//	node 2             masks    none
//
// # Flow
//
//	name ──Parse──▶ Generator ──Build──▶ CSR ──Levels──▶ levels ──Bitset──▶ bits ──Fold──▶ two words
//	arrays ────────────New─────────────▶ CSR ──Digest──▶ 32 bytes
//	file.vyg ──Open──▶ CSR ──Encode──▶ file.vyg; other formats are those of package files
//	arcs in any order ──FromBlocks──▶ CSR ──With──▶ the same with names, tags, weights
//	CSR, device ──NewSession──▶ Session ──Batch──▶ what is reached, by up to 64 queries in one search
//	                                 ──Start──▶ Pending ──Wait──▶ an answer, while the caller did something else
//	                                 ──Levels──▶ levels, by rounds in either direction
//	                                 ──Path, Tree──▶ a shortest path, the same one everywhere; to every node
//	                                 ──Components──▶ weak components, without rounds
//	                                 ──StrongComponents, TopologicalLevels──▶ those, by nodes that are taken away and colours
//	                                 ──BitFlow──▶ sets that nodes make and kill, moved along the arcs
//	                                 ──Dominators──▶ what every path to a node goes through, by procedures one beside the other
//	                                 ──NewFixpoint──▶ an analysis of the caller's, said by a method
//	CSR, device ──Between──▶ what is on the ways from some nodes to others
//	CSRs, device ──Ask──▶ the same, one graph after the other
//	CSR, device ──Taint──▶ which sinks values of sources come to; with exact contexts by package ifds
//
// # Invariants
//
// New checks them and names the row or the arc that breaks one; graphs of FromFunc and of generators have them by the way they are
// made, and those of files are looked at by Verify, which everything calls that goes over the arcs of one. Offsets start
// at 0, never fall, and end at the number of arcs; every target is a node; rows ascend by target, then by mask; no mask is
// 0. A graph never changes, so that any number of goroutines may read it. The file of one may: then calls that read it answer
// *ChangedError (mapped.go), and Close answers Busy while somebody reads.
//
// # Not here yet
//
// Kernels read offsets of 32 bits, so a graph of 2³² arcs and more, whose offsets have 64, is searched in parts, or by the cores
// of the host. Strong components of graphs that are not symmetric, dominators, flows of bits and fixpoints know no parts. Masks in
// memory and on a device are 32 bits each or none at all; only files have a table of kinds with an index of 8 bits. The dominators of
// procedures of more than 4,096 nodes are found on one core of the host, whatever the device.
//
// # Engines
//
// On device cpu a session answers with package graph/cpu, on all cores of the host, strong components, topological levels and
// dominators on one; on others, or if a topology is asked for, with kernels. Where times were measured, the host's cores answer short searches
// of a session on a GPU (see SessionOptions.Costs). Session.Explain says which, and Run in every answer. What both can be asked
// is the interface answers in native.go; who is asked is decided in beside.go.
//
// Searches that are to run side by side have sets of memory and prepared runs, over one graph (sets.go).
//
// A graph that does not fit its device, or has more arcs than kernels count, is in parts: partlayout.go cuts it,
// parts.go has its memory, partslot.go what comes to the device, partvisit.go what is done there, partsearch.go and
// partlanes.go the questions.
//
// Start reading at csr.go, then build.go, and package generate for graphs with names; for files at vyg.go and open.go. For devices begin at
// session.go, with turn.go (how calls follow each other), options.go, query.go, footprint.go (what it takes) and
// search.go (the waves of a search), then batch.go, level.go and several.go. Analyses are those of components.go,
// tree.go, bitflow.go and dominance.go, and what they answer labels.go; one's own are those of fixpoint.go.
package graph
