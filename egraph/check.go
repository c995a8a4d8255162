package egraph

import (
	"fmt"
	"math/bits"
	"slices"
)

// Check verifies what must hold after a rebuild, by looking at everything: children are roots, a live row is in the table
// once and is found, no two live rows are equal, lists of uses are exact. Its cost is that of a rebuild of all rows.
func (g *Graph) Check() error {
	if n := len(g.pending) + g.fresh.rows; n > 0 {
		return fmt.Errorf("egraph: %d unions and rows wait for Rebuild", n)
	}
	for _, check := range []func(*Graph) error{checkSets, checkRows, checkTable, checkUses} {
		if err := check(g); err != nil {
			return err
		}
	}
	return g.known.check()
}

func checkSets(g *Graph) error {
	roots := 0
	for c, p := range g.sets.parent {
		switch {
		case p > Class(c):
			return fmt.Errorf("egraph: class %d has the parent %d, which is larger", c, p)
		case g.types[p] != g.types[c]:
			return fmt.Errorf("egraph: class %d is %s, its parent %d is %s", c, g.types[c], p, g.types[p])
		case p == Class(c):
			roots++
		}
	}
	if roots != g.Classes() {
		return fmt.Errorf("egraph: %d classes are counted, %d are roots", g.Classes(), roots)
	}
	return nil
}

func checkRows(g *Graph) error {
	for r := range g.rowHead {
		row, kids := uint32(r), g.children(uint32(r))
		if g.stale(row) {
			return fmt.Errorf("egraph: row %d has a child that is not a root, of %v", r, kids)
		}
		if g.heads.info[g.rowHead[r]].Commutative && len(kids) == 2 && kids[0] > kids[1] {
			return fmt.Errorf("egraph: the children of row %d, %v, are out of order", r, kids)
		}
	}
	return nil
}

func checkTable(g *Graph) error {
	live, used := 0, 0
	for at, tag := range g.table.tag {
		if tag != empty {
			used++
		}
		if tag <= removed {
			continue
		}
		row := g.table.row[at]
		if g.isDead(row) {
			return fmt.Errorf("egraph: the table has row %d, which is dead", row)
		}
		if slot, was := g.table.find(&g.columns, row); was != row || slot != at {
			return fmt.Errorf("egraph: looking for row %d in slot %d finds row %d in slot %d", row, at, was, slot)
		}
		live++
	}
	dead := 0
	for _, w := range g.dead {
		dead += bits.OnesCount64(w)
	}
	if live != g.table.live || used != g.table.used || live+dead != len(g.rowHead) {
		return fmt.Errorf("egraph: %d rows, %d dead; the table has %d in %d used slots and counts %d in %d",
			len(g.rowHead), dead, live, used, g.table.live, g.table.used)
	}
	return checkDead(g)
}

// checkDead looks for the smaller row of each dead one.
func checkDead(g *Graph) error {
	for r := range g.rowHead {
		row := uint32(r)
		if !g.isDead(row) {
			continue
		}
		_, was := g.table.find(&g.columns, row)
		if was == noRow || was > row || g.sets.find(g.rowClass[was]) != g.sets.find(g.rowClass[row]) {
			return fmt.Errorf("egraph: row %d is dead, but not equal to a smaller one of its class: %d", row, int32(was))
		}
	}
	return nil
}

func checkUses(g *Graph) error {
	want := make([][]uint32, len(g.types))
	for r := range g.rowHead {
		for _, k := range g.children(uint32(r)) {
			want[k] = append(want[k], uint32(r))
		}
	}
	g.uses.settle(&g.sets, nil, -1)
	var have []uint32
	for c := range want {
		have = g.uses.rows(Class(c), have[:0])
		slices.Sort(have)
		if !slices.Equal(have, want[c]) {
			return fmt.Errorf("egraph: class %d is a child of rows %v, its list says %v", c, want[c], have)
		}
	}
	return nil
}
