package canonical

import (
	"github.com/govyre/vyre/ir"
)

// Visits brings c into canonical form and returns the work that took.
func Visits(c *ir.Code) int {
	k := canon{c: c, n: c.Rows()}
	k.run()
	return k.visits
}
