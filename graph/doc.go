// Package graph holds directed graphs in compressed rows (CSR), and searches them on a device.
//
//	g, err := generate.Graph(ctx, "road:1024x1024", generate.Options{Seed: 1})
//	levels, err := graph.Levels(ctx, g, []uint32{0}, graph.AllKinds)
//
// The arcs of a node are its row: targets[offsets[u]:offsets[u+1]]. Every arc has a mask of kinds, 32 bits. A filter
// is a mask, too. It allows an arc if the two masks have a bit in common. A graph whose masks are all 1 stores none.
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
//	CSR, device ──NewSession──▶ Session ──Batch──▶ the reached nodes, for up to 64 queries in one search
//	                                 ──Start──▶ Pending ──Wait──▶ an answer; the caller may work meanwhile
//	                                 ──Levels──▶ levels, by rounds in either direction
//	                                 ──Path, Tree──▶ a shortest path, the same on every device; one to every node
//	                                 ──Components──▶ weak components, without rounds
//	                                 ──StrongComponents, TopologicalLevels──▶ strong components, levels of an order
//	                                 ──BitFlow──▶ gen-kill analyses: sets of bits along the arcs
//	                                 ──Dominators──▶ dominators, of many procedures at once
//	                                 ──NewFixpoint──▶ an analysis of the caller, as a method
//	CSR, device ──Between──▶ the nodes on paths from some nodes to others
//	CSRs, device ──Ask──▶ the same, one graph after the other
//	CSR, device ──Taint──▶ the sinks that values from sources reach; package ifds has exact contexts
//
// # Invariants
//
// New checks these rules, and its error names the row or the arc that breaks one:
//
//   - Offsets start at 0, never fall, and end at the number of arcs.
//   - Every target is a node.
//   - Rows ascend by target, then by mask, and masks are not 0.
//
// Graphs of FromFunc and of generators keep the rules by construction. For a graph of a file, all code that walks its
// arcs first calls Verify. A graph never changes, so any number of goroutines may read it. Its file may change: calls
// that read it then return *ChangedError (mapped.go). Close answers Busy during reads.
//
// # Limits
//
// Kernels read offsets of 32 bits. A graph of 2³² arcs or more has offsets of 64 bits, so it is searched in parts or
// by the cores of the host. Dominators, flows of bits, fixpoints, and strong components of graphs that are not
// symmetric do not work in parts. Masks in memory and on a device have 32 bits each, or are absent; only files have a
// table of kinds with an index of 8 bits. Dominators of procedures of more than 4,096 nodes are found on one core of
// the host, whatever the device.
//
// # Engines
//
// On device cpu a session answers with package graph/cpu, on all cores of the host. Strong components, topological
// levels and dominators use one core. On other devices, or with a chosen topology, a session answers with kernels. If
// times were measured, the host's cores answer short searches of a session on a GPU (see session.Options.Costs).
// Session.Explain reports the engine, and so does Run in every answer. The interface answers in native.go has the
// questions for both engines; beside.go chooses between them.
//
// For searches side by side, a session has sets of memory and prepared runs over one graph (sets.go).
//
// A graph that does not fit its device, or has more arcs than kernels count, is in parts. partlayout.go cuts it.
// parts.go has its memory, partslot.go the transfers to the device, and partvisit.go the work there. partsearch.go and
// partlanes.go have the questions.
//
// # Where to start
//
// Start reading at csr.go, then build.go, and package generate for graphs with names. For files read vyg.go and
// open.go. For devices begin at session.go, with turn.go (the order of calls), options.go and query.go. Then read
// footprint.go (memory), search.go (the waves of a search), batch.go, level.go and several.go. Analyses are in
// components.go, tree.go, bitflow.go and dominance.go, and their answers in labels.go. Analyses of your own are in
// fixpoint.go.
package graph
