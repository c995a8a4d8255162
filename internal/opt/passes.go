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
	when  func(*work) bool // whether there may be anything to do; nil for always
}

// passes is the table, in the order in which passes run. A name that stands twice is run twice.
var passes = []pass{
	{"canonical", rewrite, O1, "n", canonical, nil},
	{"fold", rewrite, O1, "n", fold, nil},
	{"algebra", rewrite, O1, "n", algebra, nil},
	{"branch", rewrite, O1, "n", branch, nil},
	{"dce", rewrite, O1, "n", dce, nil},
	{"scalars", rewrite, O1, "n + what it carries", scalars, nil},
	{"gvn", rewrite, O1, "n", gvn, nil},
	{"dce", rewrite, O1, "n", dce, nil},
	{"narrow", rewrite, O2, "n", narrow, nil},
	{"algebra", rewrite, O2, "n", algebra, nil},
	{"gvn", rewrite, O2, "n", gvn, nil},
	{"dce", rewrite, O2, "n", dce, nil},
	{"forward", rewrite, O2, "n", forward, nil},
	{"dse", rewrite, O2, "n", dse, nil},
	{"bounds", rewrite, O2, "n", bounds, nil},
	{"licm", rewrite, O2, "n", licm, nil},
	{"unroll", rewrite, O2, "n + what it writes", unroll, nil},
	{"fold", rewrite, O2, "n", fold, (*work).anew},
	{"algebra", rewrite, O2, "n", algebra, (*work).anew},
	{"branch", rewrite, O2, "n", branch, (*work).anew},
	{"dce", rewrite, O2, "n", dce, (*work).anew},
	{"gvn", rewrite, O2, "n", gvn, (*work).anew},
	{"unroll", rewrite, O2, "n + what it writes", unroll, (*work).innerLoops},
	{"fold", rewrite, O2, "n", fold, (*work).innerLoops},
	{"algebra", rewrite, O2, "n", algebra, (*work).innerLoops},
	{"scalars", rewrite, O2, "n + what it carries", scalars, (*work).anew},
	{"gvn", rewrite, O2, "n", gvn, (*work).innerLoops},
	{"narrow", rewrite, O2, "n", narrow, (*work).anew},
	{"dce", rewrite, O2, "n", dce, (*work).anew},
	{"forward", rewrite, O2, "n", forward, (*work).anew},
	{"dse", rewrite, O2, "n", dse, (*work).anew},
	{"bounds", rewrite, O2, "n", bounds, (*work).anew},
	{"idiom", rewrite, O2, "n", idiom, nil},
	{"dce", rewrite, O2, "n", dce, nil},
	{"barrier", rewrite, O2, "n", barrier, nil},
	{"vector", rewrite, O2, "n", vector, nil},
	{"expand", lowering, O0, "n + what it writes", expand, nil},
	{"fold", rewrite, O1, "n", fold, nil},
	{"algebra", rewrite, O1, "n", algebra, nil},
	{"gvn", rewrite, O1, "n", gvn, nil},
	{"dce", rewrite, O1, "n", dce, nil},
}

// anew reports whether some pass has changed rows that the first of the table have left, so that these may find more
// to do.
func (w *work) anew() bool { return w.reopened }

// reopening are the passes that do so.
var reopening = []string{"forward", "dse", "bounds", "licm", "unroll"}

// constraint says that behind every run of one pass there is a run of another.
type constraint struct {
	first, then string
	why         string
}

// constraints are what the order of the table has to satisfy.
var constraints = []constraint{
	{"canonical", "gvn", "equal terms must look equal"},
	{"gvn", "dce", "what lost its uses goes"},
	{"unroll", "scalars", "indices become constants by unrolling"},
	{"scalars", "dce", "of what is carried much is not needed"},
	{"forward", "dse", "a load that has its value elsewhere reads nothing any more"},
	{"dse", "dce", "what only a dead store needed goes"},
	{"dse", "barrier", "with nothing to order it goes"},
	{"unroll", "idiom", "counted rounds become sums, a round's conditions choices"},
	{"idiom", "dce", "what an op stands for goes"},
	{"idiom", "barrier", "an atomic left to one lane may bring barriers of the warp"},
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
