package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
)

const (
	maxElements = 1 << 40  // of a buffer
	maxLocal    = 16 << 10 // bytes of local arrays an invocation
)

// goCounts says what is counted of a program that was Go.
var goCounts = map[string]string{"rows": "operations", "regions": "arms of branches, and loops",
	"entries of operand lists": "values that branches and loops hand on"}

// counts checks the sizes of everything that has one.
func (s *structure) counts() bool {
	c := s.Code
	for _, l := range []struct {
		what      string
		has, most int
	}{
		{"rows", c.Rows(), limits.Rows}, {"regions", len(c.Regions), limits.Regions}, {"constants", len(c.Pool), limits.Pool},
		{"entries of operand lists", len(c.Extra), limits.Extra}, {"parameters", len(c.Params), limits.Params},
		{"arrays", len(c.Arrays), limits.Arrays}, {"bytes of the kernel's name", len(c.Name), limits.Name},
	} {
		if words, ok := goCounts[l.what]; ok && s.Go() {
			l.what = words
		}
		if l.has > l.most {
			s.Add("VY502", ir.NoRow, l.what, l.has, l.most)
		}
	}
	for _, name := range names(c) {
		if len(name) > limits.Name {
			s.Add("VY502", ir.NoRow, fmt.Sprintf("bytes of the name %q…", name[:16]), len(name), limits.Name)
		}
	}
	return len(s.Diags) == 0
}

// names lists the names of parameters and arrays.
func names(c *ir.Code) []string {
	var ns []string
	for i := range c.Params {
		ns = append(ns, c.Params[i].Name)
	}
	for i := range c.Arrays {
		ns = append(ns, c.Arrays[i].Name)
	}
	return ns
}
