// Package graph holds directed graphs in compressed rows (CSR), and builds, reads and checks them.
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
//	CSR, device ──session.New──▶ questions, on the device or the host's cores: package session
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
// # Where to start
//
// Start reading at csr.go and rows.go, then check.go and build.go, and package generate for graphs with names. For files read
// vyg.go, open.go and mapping.go.
package graph
