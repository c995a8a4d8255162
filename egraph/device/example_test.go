package device_test

import (
	"context"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// The terms that are twice there meet, wherever they are: no order of the rules matters.
func ExampleOpenSaturation() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	list, err := rules.Parse(`
or-assoc  bits  (or (or ?x ?y) ?z)  <=> (or ?x (or ?y ?z))
or-self   bits  (or ?x ?x)           => ?x`)
	if err != nil {
		log.Fatal(err)
	}
	g := egraph.New()
	or := g.Head(egraph.HeadInfo{Op: ir.OpOr, Type: ir.U32})
	x, y, z := g.Leaf("x", ir.U32), g.Leaf("y", ir.U32), g.Leaf("z", ir.U32)
	t := g.Add(or, g.Add(or, x, y), g.Add(or, z, x))
	s, err := device.OpenSaturation(ctx, dev, list, egraph.Limits{Rows: 1_000}, egraph.Costs{}, []*egraph.Graph{g}, []egraph.Class{t})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := s.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q %v\n", r[0].Stopped, r[0].Terms)
	// Output: "" (or x (or y z))
}
