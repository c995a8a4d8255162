// Package calls puts call graphs of golang.org/x/tools/go/callgraph into compressed rows, which vyre's sessions search on a
// device. It is a module of its own, so that vyre does not depend on x/tools.
//
//	g := vta.CallGraph(ssautil.AllFunctions(prog), nil) // or one of cha, rta or static
//	rows, err := calls.FromGraph(ctx, g)
//	s, err := session.New(ctx, dev, rows.CSR, session.Options{})
//	from, ok := rows.Node(main.Func("main"))
//	r, err := s.Reach(ctx, session.Query{Seeds: []uint32{from}, Kinds: graph.KindCall})
//
// # From a call graph to rows
//
// A node is a function, with its name and the position of its name. They are numbered by name, then by position, then
// by what else they are. So the graph of a program is the same in every run, byte for byte: package names, beside this
// one, says how. Of several functions of one name the second has a ' behind it, the third two. All calls of one
// function by another are one arc, which has the kinds of all of them. A call is graph.KindCall where the caller names
// the function, and Dynamic where it calls an interface or a function value. It is Root where no instruction calls:
// from the root of the call graph, or by reflection. A root that is not a function is the last node, named root.
//
// The calls are those that the maker of the graph finds. Module gossa, beside this one, makes graphs of whole programs,
// in which functions are copied where others are passed to them.
//
// Everything is in calls.go.
package calls
