package ir

import "fmt"

const (
	maxElements = 1 << 40  // of a buffer
	maxLocal    = 16 << 10 // bytes of local arrays an invocation
)

// counts checks the sizes of everything that has one.
func (s *structure) counts() bool {
	c := s.c
	for _, l := range []struct {
		what      string
		has, most int
	}{
		{"rows", c.Rows(), maxRows}, {"regions", len(c.Regions), maxRegions}, {"constants", len(c.Pool), maxPool},
		{"entries of operand lists", len(c.Extra), maxExtra}, {"parameters", len(c.Params), maxParams},
		{"arrays", len(c.Arrays), maxArrays}, {"bytes of the kernel's name", len(c.Name), maxName},
	} {
		if l.has > l.most {
			s.add("VY502", NoRow, l.what, l.has, l.most)
		}
	}
	for _, name := range names(c) {
		if len(name) > maxName {
			s.add("VY502", NoRow, fmt.Sprintf("bytes of the name %q…", name[:16]), len(name), maxName)
		}
	}
	return len(s.diags) == 0
}

// names lists the names of parameters and arrays.
func names(c *Code) []string {
	var ns []string
	for i := range c.Params {
		ns = append(ns, c.Params[i].Name)
	}
	for i := range c.Arrays {
		ns = append(ns, c.Arrays[i].Name)
	}
	return ns
}
