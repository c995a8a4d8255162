// Package session asks questions about a graph. Its arrays are uploaded once. Each question is a search on the device
// or on the host's cores, with the same answer bit by bit.
//
//	s, err := session.New(ctx, dev, g, session.Options{Levels: true})
//	r, err := s.Reach(ctx, session.Query{Seeds: []uint32{0}})
//
// # Flow
//
//	CSR, device ──New──▶ Session ──Batch──▶ the reached nodes, for up to 64 queries in one search
//	                             ──Start──▶ Pending ──Wait──▶ an answer; the caller may work meanwhile
//	                             ──Levels──▶ levels, by rounds in either direction
//	                             ──Near──▶ the nodes at most so many arcs away, by a search of these alone
//	                             ──Path, Tree──▶ a shortest path, the same on every device; one to every node
//	                             ──Components──▶ weak components, without rounds
//	                             ──StrongComponents, TopologicalLevels──▶ strong components, levels of an order
//	                             ──Closure──▶ all pairs: counts, rows of bits that stay, edits
//	                             ──BitFlow──▶ gen-kill analyses: sets of bits along the arcs
//	                             ──Dominators──▶ dominators, of many procedures at once
//	                             ──NewFixpoint──▶ an analysis of the caller, as a method
//	CSR, device ──Between──▶ the nodes on paths from some nodes to others
//	CSRs, device ──Ask──▶ the same, one graph after the other
//	CSR, device ──Taint──▶ the sinks that values from sources reach; package ifds has exact contexts
//
// A session holds its graph: CSR.Close answers Busy until the session is closed. It may be used from any goroutine.
//
// # Limits
//
// Kernels read offsets of 32 bits. A graph of 2³² arcs or more has offsets of 64 bits, so it is searched in parts or by
// the cores of the host. Dominators, flows of bits, fixpoints, and strong components of graphs that are not symmetric
// do not work in parts. Masks in memory and on a device have 32 bits each, or are absent. Only files have a table of
// kinds with an index of 8 bits. Dominators of procedures of more than 4,096 nodes are found on one core of the host,
// whatever the device.
//
// # Engines
//
// On device cpu a session answers with package graph/internal/cpu, on all cores of the host. Strong components, topological
// levels and dominators use one core. On other devices, or with a chosen topology, a session answers with kernels. If
// times were measured, the host's cores answer short searches of a session on a GPU (see Options.Costs).
// Session.Explain reports the engine, and so does Run in every answer. The interface engine (set.go) has the
// questions. Kernels, parts of a graph and the cores of the host are its three types; beside.go chooses between them.
//
// # Near or all
//
// Near costs what is near. Levels and Reach cost at least a pass over all nodes. Times on device cpu with two cores of an AMD
// EPYC, for a road network of 2²⁰ nodes, by BenchmarkNear with -benchtime 2s:
//
//	                     native session   kernels
//	Near, two arcs       3.4 µs           0.13 ms
//	Levels               46 ms            156 ms
//	Reach                50 ms            4.1 ms (by labels)
//
// Every question to a GPU costs a launch, so a small one is faster on the host. A session with kernels asks the device
// even so, unless times were measured (see Options.Costs). Kernels pay if a node nearby has very many arcs, or if the
// question is about many arcs. If most of the graph is near, ask for Levels: they can search backward, and make no list.
//
// # Layers
//
// A session is a graph that is resident on a device (resident.go), and a scheduler (schedule.go) of sets over it. A set
// (set.go) is what a search has for itself: its turn, and its engine. An engine runs on a runner (runner.go), which
// writes, reads and counts for one set. Analyses get the runner, and not the set. Each layer knows only those below:
//
//	Session ─▶ scheduler ─▶ set ─▶ engine: kernels, parts, native ─▶ analyses ─▶ runner ─▶ resident ─▶ footprint
//
// Public questions are in files at the top: components.go, tree.go, bitflow.go, and so on. The analyses that answer them
// by kernels are in files below: weak.go and strong.go, parents.go, nearby.go, bits.go. The calls from one to the other are in
// kernels.go. No file refers to one that refers back to it.
//
// A graph that does not fit its device, or has more arcs than kernels count, is in parts. partlayout.go cuts it.
// parts.go has its memory, partslot.go the transfers to the device, and partvisit.go the work there. partsearch.go has
// the questions.
//
// # Where to start
//
// Start reading at session.go, with schedule.go and set.go (the order of calls), options.go and query.go. Then read footprint.go
// (memory), search.go (the waves of a search), kernels.go, kernelbatch.go, submission.go and several.go. Analyses begin in
// analysis.go; labels.go has those that answer searches. Analyses of your own are in fixpoint.go.
package session
