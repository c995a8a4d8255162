package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
)

func TestParseReadsBackWhatStringWrites(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		level           compile.Level
	}{
		{"", "2", compile.Default},
		{"0", "0", compile.O0},
		{"1", "1", compile.O1},
		{"-licm", "2,-licm", compile.Default},
		{"2,-vector,-licm,-vector", "2,-licm,-vector", compile.O2},
		{"+dce,0", "0,+dce", compile.O0},
		{"-gvn.early,-ptx.sink", "2,-gvn.early,-ptx.sink", compile.Default},
	} {
		o, err := compile.Parse(c.text)
		if err != nil || o.Level != c.level || o.String() != c.canonical {
			t.Errorf("%q is level %d, %q, %v; want %d, %q", c.text, o.Level, o, err, c.level, c.canonical)
		}
		if again, err := compile.Parse(o.String()); err != nil || again.String() != c.canonical {
			t.Errorf("%q reads back as %q, %v", o, again, err)
		}
	}
}

func TestParseRefusesWrongChoices(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"4", "the levels are 0 to 3"},
		{"licm", "+NAME or -NAME"},
		{"1,2", "two levels"},
		{"1,", `"" is not a level`},
		{"-lcim", `no pass is called "lcim"; the passes are canonical, fold,`},
		{"-gvn.erly", "the runs of gvn are gvn.early, gvn.narrowed,"},
		{"-expand", "cannot be left out"},
		{"2,-ptx.copies", "cannot be left out"},
		{"+", "no pass is called"},
		{"--licm", "no pass is called"},
		{"+licm,-licm", "both runs and leaves out"},
		{"3,+search", "the bank of terms is not named, and the one here is none"},
		{"3,+search=12ab", "the bank of terms is 12ab, and the one here is none"},
	} {
		if _, err := compile.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want an error that says %q", c.text, err, c.says)
		}
	}
}

// A choice with the pass search says which bank it has, because what is compiled depends on that.
func TestChoiceOfSearchNamesItsBank(t *testing.T) {
	compile.Bank = "12ab"
	defer func() { compile.Bank = "" }()
	for _, text := range []string{"3,+search", "3,+search=12ab"} {
		c, err := compile.Parse(text)
		if err != nil || c.String() != "3,+search=12ab" {
			t.Errorf("%q is %q, %v", text, c, err)
		}
	}
	if _, err := compile.Parse("3,+search=34cd"); err == nil {
		t.Error("the bank of another digest is accepted")
	}
}

// Machine code for the CPU goes without the runs of the GPU, each of which there is, unless a choice asks for them.
func TestForCPULeavesOutWhatIsTheGPUs(t *testing.T) {
	for _, c := range []struct {
		choice  string
		without []string
	}{
		{"", []string{"bounds.early", "narrow.late", "irce", "idiom", "pack", "clamp", "guards", "schedule"}},
		{"2,-licm,+guards", []string{"bounds.early", "licm.first", "narrow.late", "schedule"}},
		{"2,+idiom,+narrow", []string{"guards", "clamp"}},
		{"0", []string{"bounds.early", "fold.early"}},
	} {
		chosen, err := compile.Parse(c.choice)
		if err != nil {
			t.Fatal(err)
		}
		all, err := chosen.Runs()
		if err != nil {
			t.Fatal(err)
		}
		left, err := chosen.ForCPU().Runs()
		if err != nil {
			t.Fatalf("%q for the CPU: %v", c.choice, err)
		}
		has := func(runs []compile.Run, name string) bool {
			return slices.ContainsFunc(runs, func(r compile.Run) bool { return r.Name == name })
		}
		for _, name := range c.without {
			if _, ok := compile.Of(strings.Split(name, ".")[0]); !ok || has(left, name) {
				t.Errorf("%q for the CPU runs %s, or there is no such pass", c.choice, name)
			}
		}
		for _, r := range all {
			if asked := slices.Contains(chosen.Enable, r.Name) || slices.Contains(chosen.Enable, r.Pass); has(left, r.Name) != (asked || !r.GPU()) {
				t.Errorf("%q for the CPU: %s runs is %v", c.choice, r.Name, has(left, r.Name))
			}
		}
	}
}
