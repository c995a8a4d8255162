package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
)

// at returns the place of a run in a table.
func at(table []compile.Run, name string) int {
	return slices.IndexFunc(table, func(r compile.Run) bool { return r.Name == name })
}

// Each constraint binds its two runs: with the first moved to just after the second, the table is refused, for that or
// for another reason that holds there.
func TestTableNoticesEveryRunThatIsOutOfOrder(t *testing.T) {
	for _, c := range compile.Constraints() {
		table := slices.Clone(compile.Table())
		from, to := at(table, c.First), at(table, c.Then)
		r := table[from]
		table = slices.Insert(slices.Delete(table, from, from+1), to, r)
		if err := compile.Check(table); err == nil {
			t.Errorf("%s was moved to after %s, and nothing says that %s", c.First, c.Then, c.Why)
		}
	}
}

func TestTableRefusesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, says string
		change     func(table []compile.Run) []compile.Run
	}{
		{"a name twice", "two runs are called canonical", func(table []compile.Run) []compile.Run {
			return append(table[:1:1], table...)
		}},
		{"a pass that nothing describes", "not described", func(table []compile.Run) []compile.Run {
			table[3].Pass = "fusion"
			return table
		}},
		{"a group inside another", "stands after", func(table []compile.Run) []compile.Run {
			table[3].Group = compile.Late
			return table
		}},
		{"a required pass that may be missing", "does not always run", func(table []compile.Run) []compile.Run {
			table[at(table, "expand")].Level = compile.O1
			return table
		}},
		{"a run that a constraint names is gone", "does not exist", func(table []compile.Run) []compile.Run {
			return slices.DeleteFunc(table, func(r compile.Run) bool { return r.Name == "dce.late" })
		}},
		{"one more run of a pass that leaves dead code", "no constraint says which run of dce", func(table []compile.Run) []compile.Run {
			return slices.Insert(table, at(table, "idiom"), compile.Run{Name: "gvn.more", Pass: "gvn", Group: compile.Late, Level: compile.O2})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := compile.Check(c.change(slices.Clone(compile.Table()))); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error that says %q", err, c.says)
			}
		})
	}
}

func TestTableNamesRunsAfterTheirPasses(t *testing.T) {
	of := map[string]int{}
	for _, r := range compile.Table() {
		of[r.Pass]++
	}
	for _, r := range compile.Table() {
		if want := r.Pass; of[r.Pass] == 1 && r.Name != want || of[r.Pass] > 1 && !strings.HasPrefix(r.Name, want+".") {
			t.Errorf("a run of %s, which runs %d times, is called %s", r.Pass, of[r.Pass], r.Name)
		}
	}
	for _, p := range compile.All() {
		if of[p.Name] == 0 {
			t.Errorf("the pass %s is described and never runs", p.Name)
		}
	}
}
