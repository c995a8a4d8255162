// Package queries asks several questions about a graph in one launch.
//
// A question is a set of seeds: which nodes do they lead to? Up to 32 of them are bits of one word a
// node, and run as one search; what one of them has found costs the others nothing but the look at it.
//
//	s := queries.New(dev, queries.Options{})
//	answers, err := s.Run(ctx, []queries.Query{{ID: 1, Graph: g, Seeds: []uint32{0}}, {ID: 2, Graph: g, Seeds: []uint32{7, 9}}})
//	if answers[1].Reached(4) {
//
// # Flow
//
//	queries ─▶ plan.PlanQueries: groups of one graph and one filter, within the budget
//	group ─▶ graph, uploaded by its first group ─▶ seeds ─▶ rounds of megakernel/arcs ─▶ a bitset a query
//
// # Invariants
//
// Each answer is that of the query alone, in whatever group it was. A group is one launch, where the
// device has barriers of the grid. What a group takes of the device is what the plan says, to the byte,
// beside what package megakernel takes for itself; [Session.Plan] has it, with what was avoided.
//
// # Concurrency
//
// A Session is for one goroutine at a time.
//
// # Not here
//
// One graph that stays, and queries about it one after another in one submission: Session in package
// graph. Levels and paths: a word has no room for them.
//
// Start reading at queries.go, then kernels.go.
package queries

//go:generate go run ../../cmd/vyre gen .
