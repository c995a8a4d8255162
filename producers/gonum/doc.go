// Package gonum puts graphs of gonum.org/v1/gonum/graph into compressed rows, which vyre's sessions search on a device. It is
// a module of its own, so that vyre does not depend on gonum.
//
//	g := simple.NewDirectedGraph() // or any other graph of gonum's
//	rows, err := gonum.FromGraph(ctx, g, gonum.Options{})
//	s, err := session.New(ctx, dev, rows.CSR, session.Options{})
//	from, ok := rows.Node(42)
//	r, err := s.Reach(ctx, session.Query{Seeds: []uint32{from}})
//	for v := range r.Nodes() {
//		fmt.Println(g.Node(rows.ID(v)))
//	}
//
// # From a graph to rows
//
// Nodes are numbered by ascending id, so that equal graphs have equal digests in whatever order gonum's maps are
// walked. An edge is an arc, one of an undirected graph two, a loop one; each line of a multigraph is an arc of its
// own. A node that has a DOTID, as those that gonum reads from DOT may have, has it as its name. Else ids are names,
// unless they are the numbers of the nodes. With Options.Weights weights are kept, which must be whole numbers from 0
// to 2³²−1. Weights of gonum may be anything, and those of a row are 32 bits. Kinds are what Options.Kinds says;
// without it all arcs have one.
//
// A graph is walked once and is not kept. A graph that gonum computes from a structure, such as a complement or a grid,
// must be able to list its nodes.
//
// Everything is in gonum.go.
package gonum
