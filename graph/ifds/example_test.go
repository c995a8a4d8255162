package ifds_test

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/ifds"
)

// A program stays where it is solved, and answers many questions. Here that is the host; on a GPU the same is done by kernels.
func ExampleNewSession() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	program, err := generate.Graph(context.Background(), "icfg:64,32,8", generate.Options{Seed: 1}) // 64 procedures of 32 places, 8 facts
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := ifds.NewSession(ctx, dev, program, ifds.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Printf("%v: %s\n", s.Engine(), s.Why())
	for _, seed := range []uint32{0, 5} {
		found, err := s.Solve(ctx, []uint32{seed})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("from %d: %d of %d nodes\n", seed, found.Count(), program.Nodes())
	}
	// Output:
	// native: device cpu is the host
	// from 0: 6604 of 18432 nodes
	// from 5: 7 of 18432 nodes
}
