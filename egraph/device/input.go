package device

import (
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/rules"
)

// input is what is saturated.
type input struct {
	graphs  []*egraph.Graph
	classes [][]egraph.Class // of each graph, perhaps not of the last ones
	list    []*rules.Rule
	limits  egraph.Limits // of each graph
}

// wanted are the classes of a graph whose terms are asked for.
func (in *input) wanted(n int) []egraph.Class {
	if n < len(in.classes) {
		return in.classes[n]
	}
	return nil
}

// of says which graph an error is of, where there are several.
func (in *input) of(n int, err error) error {
	if err != nil && len(in.graphs) > 1 {
		return fmt.Errorf("graph %d: %w", n, err)
	}
	return err
}

// encode finds the rows of all graphs and the shapes of the rules. It gives numbers to heads that have none.
func (in *input) encode(heads *symbols) (r *givenRows, shapes []*shape, err error) {
	r = &givenRows{symbols: heads, seen: map[uint64]uint32{}, asks: slices.ContainsFunc(in.list, asks)}
	for n := range in.graphs {
		if err := in.graph(r, n); err != nil {
			return nil, nil, in.of(n, err)
		}
	}
	shapes, err = heads.shapes(in.list)
	return r, shapes, err
}

// graph adds the rows of a graph, and the numbers of the classes that are asked for and of its goal.
func (in *input) graph(r *givenRows, n int) error {
	g, goal, classes := in.graphs[n], in.limits.Goal, in.wanted(n)
	if g == nil {
		return refused("saturate", "graph %d is nil", n)
	}
	if err := g.Rebuild(); err != nil {
		return err
	}
	if goal[0] != goal[1] {
		classes = append(classes[:len(classes):len(classes)], goal[:]...)
	}
	for _, c := range classes {
		if g.Find(c) == egraph.None {
			return refused("saturate", "class %d is not there", c)
		}
	}
	dense, err := r.graph(g, n)
	if err != nil {
		return err
	}
	for _, c := range in.wanted(n) {
		r.asked = append(r.asked, dense[c])
	}
	if goal[0] != goal[1] {
		r.goals = append(r.goals, dense[goal[0]], dense[goal[1]])
	}
	return nil
}

// price is the cost of a head, as extraction on the host has it.
func price(g *egraph.Graph, by egraph.Costs, h egraph.HeadInfo, kids int) uint64 {
	cost := uint64(min(kids, 1))
	if by.Allow != nil && !by.Allow(g.Head(h)) {
		return math.MaxUint64 >> 1
	}
	if by.Of != nil {
		cost = max(min(by.Of(g.Head(h)), 1<<62), cost)
	}
	return cost
}

// bounds checks the limits, and puts defaults in place.
func (in *input) bounds() error {
	l := &in.limits
	if l.Rows == 0 {
		l.Rows = 100_000
	}
	if l.Rounds == 0 {
		l.Rounds = 30
	}
	if l.Rows < 0 || l.Rounds < 0 || l.Rounds > saturation.When-2 || int64(l.Rows) > 1<<saturation.KidBits/perRow {
		return refused("saturate", "limits of %d rows and %d rounds, at most %d and %d are possible",
			l.Rows, l.Rounds, 1<<saturation.KidBits/perRow, saturation.When-2)
	}
	if l.Matches != 0 {
		return refused("saturate", "a limit of %d matches: how many a device tries depends on its timing", l.Matches)
	}
	return nil
}

// conflict is the error of a run in which two constants became equal. The device keeps no reasons, so the host runs the
// rules over the same graph, and names the rule if it comes to the same.
func (in *input) conflict(n, round int) error {
	rs, err := egraph.Compile(in.list)
	if err != nil {
		return err
	}
	if _, err = copied(in.graphs[n]).Run(rs, egraph.Limits{Rows: min(in.limits.Rows, 100_000)}); err != nil {
		return err
	}
	return refused("saturate", "two different constants became equal in round %d", round)
}

// copied is a copy of a closed graph. Its rows are added as terms, as far as they do not go round in a circle.
func copied(g *egraph.Graph) *egraph.Graph {
	to, c := egraph.New(), g.Columns()
	made := map[egraph.Class]egraph.Class{}
	kids := func(row int) (list []egraph.Class, all bool) {
		for _, k := range c.Kids[c.First[row]:][:c.Len[row]] {
			v, ok := made[k]
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	}
	added := make([]bool, len(c.Head))
	for again := true; again; {
		again = false
		for row, h := range c.Head {
			list, all := kids(row)
			if !all || added[row] {
				continue
			}
			added[row], again = true, true
			v, root := to.Add(to.Head(g.Info(h)), list...), g.Find(c.Class[row])
			if was, ok := made[root]; !ok {
				made[root] = v
			} else if was != v {
				_ = to.Union(was, v, "given") // of one type, since they are in one class
			}
		}
	}
	for root := range c.Parent {
		k := egraph.Class(root)
		if _, ok := made[k]; !ok && g.Find(k) == k {
			made[k] = to.Class(g.Type(k))
		}
	}
	for row, h := range c.Head {
		if list, _ := kids(row); !added[row] {
			to.Insert(made[g.Find(c.Class[row])], to.Head(g.Info(h)), list...)
		}
	}
	return to
}
