// Package generate makes graphs by name, for tests, examples and measurements. The same name, options and version give
// the same graph on every machine, arc by arc.
//
//	g, err := generate.Graph(ctx, "road:1024x1024", generate.Options{Seed: 1})
//
// Parse lists the families. Every arc is a pure function of the seed and of its number or its node. Therefore a device
// can make the same graph, in any order. All cores draw arcs, and memory holds only the graph itself. Tests know the
// nodes, arcs, digests and levels of graphs that are common in measurements.
//
// Start reading at generator.go, then families.go and graph.go.
package generate
