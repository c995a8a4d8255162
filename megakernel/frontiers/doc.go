// Package frontiers runs work of several kinds in an order that the caller gives.
//
// A front end has many frontiers: files to parse, declarations to resolve, blocks whose facts changed, diagnostics to
// write. Each has a number, a kind, and a number of active items. Some wait for others. A kind is any number; four have
// names. For each kind, one program runs for its items:
//
//	p, err := frontiers.New(ctx, dev, []frontiers.Frontier{{1, frontiers.Parser, 400}, {2, frontiers.Semantic, 60}},
//		[]frontiers.Order{{Before: 1, After: 2}}, map[frontiers.Kind]frontiers.Program{…}, frontiers.Options{})
//	rec, err := p.Run(ctx)
//
// A wave has the items of several frontiers in sequence. [Work] finds the frontier of an item:
//
//	//vyre:kernel workgroup=256
//	func Parse(t gpu.Thread, starts, places, tokens []uint32, …) {
//		file, token := frontiers.Work{Starts: starts, Places: places}.Find(t.Global().X)
//
// The program examples/modules parses modules, resolves the names that they use, and reports those without a
// definition. "vyre conform --passes device" optimises programs and checks others in one launch.
//
// # Flow
//
//	frontiers, order ─▶ layers ─▶ a wave for each layer and kind ─▶ package megakernel ─▶ record
//	                              └ waves wait for waves only where frontiers do
//
// # Invariants
//
// A run is one round: layers − 1 barriers between the waves, and one that ends it. The record counts all active items.
// Waves of one layer may run at the same time. Therefore a program may not touch memory that a program of another kind
// writes. Such plans are refused, unless there is an order between the two. The device reads how many items there are,
// so plans of equal kinds and order share kernels, if they share a cache.
//
// # Errors
//
// A Run that failed may have run any of the frontiers. The next one runs all of them, so the caller first restores
// data that their items add to.
//
// # Concurrency
//
// A Plan is for one goroutine at a time.
//
// # Not here
//
// Frontiers whose number of items is not known before they run. Use lists and rounds of package megakernel, or the
// queue of megakernel/queue.
//
// Start reading at frontiers.go; kernels call work.go.
package frontiers

//go:generate go run ../../internal/gen/generate .
