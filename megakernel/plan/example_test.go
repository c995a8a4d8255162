package plan_test

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/megakernel/plan"
)

// Four waves in a diamond need two barriers, and three in a round of a loop.
func ExampleBarrierPlanner() {
	var p plan.BarrierPlanner
	var order plan.Barriers
	if err := p.Plan(4, []plan.Dependency{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, &order); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.Groups, order.Count, order.PerRound)

	err := p.Plan(2, []plan.Dependency{{0, 1}, {1, 0}}, &order)
	var reason *plan.Reason
	fmt.Println(errors.As(err, &reason), reason)
	// Output:
	// [[0] [1 2] [3]] 2 3
	// true cycle(2, 0→1→0)
}
