package opt

import (
	"fmt"
	"slices"
)

// kind says what a pass is for.
type kind uint8

const (
	rewrite  kind = iota // makes the program better
	lowering             // makes it simpler, always
)

// pass is a row of the pass table.
type pass struct {
	name  string
	kind  kind
	level Level  // the lowest level at which it runs
	bound string // how its work grows
	run   func(*work)
}

// passes is the table, in the order in which passes run. A name that stands twice is run twice.
var passes = []pass{
	{"canonical", rewrite, O1, "n", canonical},
	{"fold", rewrite, O1, "n", fold},
	{"algebra", rewrite, O1, "n", algebra},
	{"branch", rewrite, O1, "n", branch},
	{"dce", rewrite, O1, "n", dce},
	{"gvn", rewrite, O1, "n", gvn},
	{"dce", rewrite, O1, "n", dce},
	{"narrow", rewrite, O2, "n", narrow},
	{"algebra", rewrite, O2, "n", algebra},
	{"gvn", rewrite, O2, "n", gvn},
	{"dce", rewrite, O2, "n", dce},
	{"bounds", rewrite, O2, "n", bounds},
	{"licm", rewrite, O2, "n", licm},
	{"unroll", rewrite, O2, "n + what it writes", unroll},
	{"fold", rewrite, O2, "n", fold},
	{"algebra", rewrite, O2, "n", algebra},
	{"branch", rewrite, O2, "n", branch},
	{"dce", rewrite, O2, "n", dce},
	{"gvn", rewrite, O2, "n", gvn},
	{"narrow", rewrite, O2, "n", narrow},
	{"dce", rewrite, O2, "n", dce},
	{"bounds", rewrite, O2, "n", bounds},
	{"vector", rewrite, O2, "n", vector},
	{"expand", lowering, O0, "n + what it writes", expand},
	{"fold", rewrite, O1, "n", fold},
	{"algebra", rewrite, O1, "n", algebra},
	{"gvn", rewrite, O1, "n", gvn},
	{"dce", rewrite, O1, "n", dce},
}

// constraint says that behind every run of one pass there is a run of another.
type constraint struct {
	first, then string
	why         string
}

// constraints are what the order of the table has to satisfy.
var constraints = []constraint{
	{"canonical", "gvn", "equal terms must look equal"},
	{"gvn", "dce", "what lost its uses goes"},
}

// Passes returns the names of all passes in the order of their first run.
func Passes() []string {
	var names []string
	for _, p := range passes {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// checkTable reports what is wrong with a table of passes.
func checkTable(table []pass, rules []constraint) error {
	last := make(map[string]int)
	for i, p := range table {
		last[p.name] = i + 1
		if p.run == nil || p.bound == "" {
			return fmt.Errorf("pass %s has no function or states no bound", p.name)
		}
	}
	for _, c := range rules {
		switch {
		case last[c.first] == 0 || last[c.then] == 0:
			return fmt.Errorf("the constraint %s before %s names a pass that does not exist", c.first, c.then)
		case last[c.first] > last[c.then]:
			return fmt.Errorf("no run of %s stands behind the last of %s, but %s", c.then, c.first, c.why)
		}
	}
	return nil
}

func init() {
	if err := checkTable(passes, constraints); err != nil {
		panic("BUG: opt: " + err.Error())
	}
}
