package egraph_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

func TestSumsTmp(t *testing.T) {
	rs := compile(t, "assoc int (add (add ?x ?y) ?z) <=> (add ?x (add ?y ?z))\n")
	for n := 2; n <= 8; n++ {
		g := egraph.New()
		sum := g.Leaf("x0", ir.U32)
		for i := 1; i < n; i++ {
			sum = op(g, ir.OpAdd, ir.U32, sum, g.Leaf(fmt.Sprint("x", i), ir.U32))
		}
		rep, err := g.Run(rs, egraph.Limits{Rounds: 1000, Rows: 1e7, Matches: 1e9})
		fmt.Println(n, g.Rows()-n, g.Classes(), rep, err, g.Check())
	}
}
