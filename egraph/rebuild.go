package egraph

import (
	"cmp"
	"fmt"
	"strings"
)

// Rebuild makes the graph closed under congruence: it does the recorded unions, and joins rows with one head and equal
// children until there are none. It returns the first mistake since the last rebuild, or that two constants became equal;
// the graph is closed all the same. The cost is in proportion to the uses of classes that stopped being roots.
func (g *Graph) Rebuild() error {
	for i := range g.pending {
		g.join(g.pending[i])
	}
	g.fresh.each(func(lo, hi int) {
		for row := lo; row < hi; row++ {
			g.place(uint32(row))
		}
	})
	g.pending = g.pending[:0]
	g.fresh.forget()
	g.close()
	return finish(g)
}

// finish returns the first error, once.
func finish(g *Graph) error {
	err := cmp.Or(g.err, conflict(g))
	g.err = nil
	return err
}

// conflict is an error if two constants became equal.
func conflict(g *Graph) error {
	a := &g.known
	if a.clash == [2]uint32{} {
		return nil
	}
	p, q := a.clash[0]-1, a.clash[1]-1
	a.clash = [2]uint32{}
	names := blame(g, g.rowClass[p], g.rowClass[q])
	if len(names) == 0 {
		names = []string{"Insert"}
	}
	text := "they are different constants"
	if n := len(names) - 1; n > 0 {
		text += ", by " + strings.Join(names[:n], ", ") + " too"
	}
	return &Error{Rule: names[len(names)-1], Text: fmt.Sprintf("%s and %s in class %d: %s", g.heads.name(g.rowHead[p]), g.heads.name(g.rowHead[q]), g.sets.find(g.rowClass[p]), text)}
}
