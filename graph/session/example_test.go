package session_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/session"
)

// A generated graph is known by its name: its digest is the same everywhere.
func Example() {
	roads, err := generate.Parse("road:64x64")
	if err != nil {
		log.Fatal(err)
	}
	o := generate.Options{Seed: 1}
	g, err := roads.Build(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	levels, err := graph.Levels(context.Background(), g, roads.Seeds(o), graph.AllKinds)
	if err != nil {
		log.Fatal(err)
	}
	reached := slices.DeleteFunc(slices.Clone(levels), func(l uint32) bool { return l == graph.None })
	digest, err := g.Digest(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %d nodes, %d arcs, %x…\n", roads, g.Nodes(), g.Arcs(), digest[:8])
	fmt.Printf("%d levels reach %d nodes\n", slices.Max(reached)+1, len(reached))
	// Output:
	// road:64x64: 4096 nodes, 9662 arcs, 494c89795cb493e7…
	// 137 levels reach 3830 nodes
}

// A filter says which arcs count.
func ExampleLevels() {
	// main calls parse and log, parse passes its argument to log.
	g, err := graph.New(context.Background(), []uint32{0, 2, 3, 3}, []uint32{1, 2, 2},
		[]uint32{graph.KindCall, graph.KindCall, graph.KindArgument})
	if err != nil {
		log.Fatal(err)
	}
	for _, filter := range []uint32{graph.KindCall, graph.KindCall | graph.KindArgument} {
		levels, err := graph.Levels(context.Background(), g, []uint32{1}, filter)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%03b\n", graph.Bitset(levels)[0])
	}
	// Output:
	// 010
	// 110
}

// Which variables are live: 0 defines a, 1 uses it and defines b, and 2 uses b.
func ExampleSession_BitFlow() {
	const a, b = 1, 2
	g, err := graph.New(context.Background(), []uint32{0, 1, 2, 2}, []uint32{1, 2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	ctx := context.Background()
	s, err := session.New(ctx, dev, g, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	live, err := s.BitFlow(ctx, session.BitFlow{Words: 1, Backward: true, Gen: []uint64{0, a, b}, Kill: []uint64{a, b, 0}})
	if err != nil {
		log.Fatal(err)
	}
	for v := range uint32(3) {
		fmt.Printf("before %d: %02b, after: %02b\n", v, live.Out(v)[0], live.In(v)[0])
	}
	// Output:
	// before 0: 00, after: 01
	// before 1: 01, after: 10
	// before 2: 10, after: 00
}

// A server loads a graph once, and answers again and again which nodes are at a line and near it.
func ExampleSession_Near() {
	ctx := context.Background()
	// main calls parse and log, parse calls log and open.
	g, err := graph.New(ctx, []uint32{0, 2, 4, 4, 4}, []uint32{1, 2, 2, 3}, []uint32{graph.KindCall, graph.KindCall, graph.KindCall, graph.KindCall})
	check(err)
	g, err = g.With(graph.Data{Names: graph.NewStrings([]string{"main", "parse", "log", "open"}),
		Positions: graph.NewStrings([]string{"cmd/main.go:3:6", "cmd/parse.go:10:6", "log/log.go:7:6", "os/open.go:1:6"})})
	check(err)
	places, err := graph.NewPlaces(g)
	check(err)
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	check(err)
	defer dev.Close()
	s, err := session.New(ctx, dev, g, session.Options{})
	check(err)
	defer s.Close()

	near, err := s.Near(ctx, session.Query{Seeds: places.At(graph.ParsePosition("main.go:3"))}, 2)
	check(err)
	for _, n := range near.Nodes {
		fmt.Println(n.Arcs, g.Name(n.Node), g.KindNames(n.Kinds))
	}
	// Output:
	// 0 main []
	// 1 parse [call]
	// 1 log [call]
	// 2 open [call]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A closure keeps which nodes reach which, also while arcs come and go.
func ExampleSession_Closure() {
	ctx := context.Background()
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	check(err)
	defer dev.Close()
	g, err := generate.Graph(ctx, "chain:5", generate.Options{})
	check(err)
	s, err := session.New(ctx, dev, g, session.Options{})
	check(err)
	defer s.Close()
	c, err := s.Closure(ctx, session.ClosureOptions{Rows: true})
	check(err)
	fmt.Println(c.Pairs(), c.PairsPlus())
	rows, err := c.Add(ctx, []flow.Arc{{From: 4, To: 3}})
	check(err)
	back, err := c.Reaches(4, 3)
	check(err)
	fmt.Println(rows, "rows,", c.Pairs(), c.PairsPlus(), back)
	// Output:
	// 15 10
	// 4 rows, 16 13 true
}
