package opt_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/opt"
)

func TestAChoiceReadsBack(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		level           opt.Level
	}{
		{"", "2", opt.Default},
		{"0", "0", opt.O0},
		{"1", "1", opt.O1},
		{"-licm", "2,-licm", opt.Default},
		{"2,-vector,-licm,-vector", "2,-licm,-vector", opt.O2},
		{"+dce,0", "0,+dce", opt.O0},
	} {
		o, err := opt.Parse(c.text)
		if err != nil || o.Level != c.level || o.String() != c.canonical {
			t.Errorf("%q is level %d, %q, %v; want %d, %q", c.text, o.Level, o, err, c.level, c.canonical)
		}
		if again, err := opt.Parse(o.String()); err != nil || again.String() != c.canonical {
			t.Errorf("%q reads back as %q, %v", o, again, err)
		}
	}
}

func TestAWrongChoiceIsRefused(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"3", "the levels are 0, 1 and 2"},
		{"licm", "+NAME or -NAME"},
		{"1,2", "two levels"},
		{"1,", `"" is no level`},
		{"-lcim", "no pass is called"},
		{"+", "no pass is called"},
		{"--licm", "no pass is called"},
		{"+licm,-licm", "both runs and leaves out"},
	} {
		if _, err := opt.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want an error that says %q", c.text, err, c.says)
		}
	}
}
