// Package frontiers runs pieces of work of several kinds, each after those that it has to see.
//
// A front end has frontiers everywhere: files to be parsed, declarations to be resolved, blocks whose
// facts changed, diagnostics to be written. Each has a number, a kind, and so many active items; some
// wait for others. What runs for an item of a kind is one program:
//
//	p, err := frontiers.New(ctx, dev, []frontiers.Frontier{{1, frontiers.Parser, 400}, {2, frontiers.Semantic, 60}},
//		[]frontiers.Order{{Before: 1, After: 2}}, map[frontiers.Kind]frontiers.Program{…}, frontiers.Options{})
//	rec, err := p.Run(ctx)
//
// A wave has the items of several frontiers, one after the other; [Work] says to which an item belongs:
//
//	//vyre:kernel workgroup=256
//	func Parse(t gpu.Thread, starts, places, tokens []uint32, …) {
//		file, token := frontiers.Work{Starts: starts, Places: places}.Find(t.Global().X)
//
// # Flow
//
//	frontiers, order ─▶ layers ─▶ a wave for each layer and kind ─▶ package megakernel ─▶ record
//	                              └ waves wait for waves only where frontiers do
//
// # Invariants
//
// A run is one round: layers − 1 barriers between the waves, and one that ends it. The record counts as
// many items as are active. Waves of one layer may run at one time, so a program may not touch what
// that of another kind writes; such plans are refused, unless an order stands between them.
//
// # Errors
//
// A Run that failed may have run any of the frontiers. The next one runs all of them: what their items add to has to be brought
// back before.
//
// # Concurrency
//
// A Plan is for one goroutine at a time.
//
// # Not here
//
// Frontiers whose number of items is not known before they run: they are lists and rounds of package
// megakernel, or the queue of megakernel/queue.
//
// Start reading at frontiers.go; work.go is what kernels call.
package frontiers
