package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Choice says which runs a program goes through; the zero Choice is best for most programs. A name is that of a pass, for
// all its runs, or of one run.
type Choice struct {
	Level   Level
	Enable  []string // to run whatever the level
	Disable []string // to leave out
	Bank    string   // digest of the terms that the pass search looks up, if it runs
}

// Bank is the digest of the bank of terms that the pass search has in this process; empty if it has none. Whoever gives it one
// sets it before anything is compiled (package superopt).
var Bank string

// Parse reads a choice as it is written on the command line and in driver.Options: parts between commas, of which one may
// be the level, and each other one is +NAME for a pass or run whatever the level, or -NAME for one to leave out. "" is the
// default level, "1" is O1, "2,-licm" is O2 without licm, "0,+dce.early" what is required and one run of dce. "+search" may be
// followed by = and the digest of its bank, as String writes it: what is compiled depends on that.
func Parse(s string) (Choice, error) {
	var c Choice
	if s == "" {
		return c, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		name := strings.TrimLeft(part, "+-")
		switch {
		case len(part) == len(name):
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil || n > uint64(O3-O0) {
				return Choice{}, fmt.Errorf("optimisation %q: %q is not a level; the levels are 0 to 3, passes are written +NAME or -NAME", s, part)
			}
			if c.Level != Default {
				return Choice{}, fmt.Errorf("optimisation %q gives two levels", s)
			}
			c.Level = O0 + Level(n)
		case part == "+search" || strings.HasPrefix(part, "+search="):
			if c.Bank = strings.TrimPrefix(strings.TrimPrefix(part, "+search"), "="); c.Bank == "" {
				c.Bank = Bank
			}
			if c.Bank == "" || c.Bank != Bank {
				return Choice{}, fmt.Errorf("optimisation %q: the bank of terms is %s, and the one here is %s; only the command vyre has one",
					s, cmp.Or(c.Bank, "not named"), cmp.Or(Bank, "none"))
			}
			c.Enable = append(c.Enable, "search")
		case part[0] == '+':
			c.Enable = append(c.Enable, part[1:])
		default:
			c.Disable = append(c.Disable, part[1:])
		}
	}
	for _, name := range c.Enable {
		if slices.Contains(c.Disable, name) {
			return Choice{}, fmt.Errorf("optimisation %q both runs and leaves out the pass %s", s, name)
		}
	}
	if _, err := c.Runs(); err != nil {
		return Choice{}, fmt.Errorf("optimisation %q: %w", s, err)
	}
	return c, nil
}

// level is the level with the default resolved.
func (c Choice) level() Level {
	if c.Level == Default {
		return O2
	}
	return c.Level
}

// String returns the choice as Parse reads it, the same for all that choose alike.
func (c Choice) String() string {
	parts := []string{strconv.Itoa(int(c.level() - O0))}
	for _, list := range []struct {
		sign  string
		names []string
	}{{"+", c.Enable}, {"-", c.Disable}} {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(list.names))) {
			if name == "search" && list.sign == "+" && c.Bank != "" {
				name += "=" + c.Bank
			}
			parts = append(parts, list.sign+name)
		}
	}
	return strings.Join(parts, ",")
}

// Runs lists the runs of the table that are chosen, in order. The error names a level that there is not, a name that
// nothing has, or a pass that cannot be left out.
func (c Choice) Runs() ([]Run, error) {
	if c.level() > O3 {
		return nil, fmt.Errorf("optimisation level %d; the levels are O0 to O3", c.level()-O0)
	}
	for _, name := range slices.Concat(c.Enable, c.Disable) {
		if !slices.ContainsFunc(table, func(r Run) bool { return r.is(name) }) {
			return nil, unknown(name)
		}
	}
	for _, name := range c.Disable {
		if p, ok := Of(name); ok && p.Required {
			return nil, fmt.Errorf("the pass %s makes text of a program; it cannot be left out", name)
		}
	}
	runs := make([]Run, 0, len(table))
	for _, r := range table {
		if !named(r, c.Disable) && (r.Level <= c.level() || named(r, c.Enable)) {
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// ForCPU is the choice for machine code of the CPU: without the runs that it gains nothing by, unless Enable names them,
// and with those that are for it, unless Disable names them.
func (c Choice) ForCPU() Choice {
	c.Enable, c.Disable = slices.Clone(c.Enable), slices.Clone(c.Disable)
	for _, r := range table {
		switch {
		case r.GPU() && !named(r, c.Enable):
			c.Disable = append(c.Disable, r.Name)
		case r.CPU() && !named(r, c.Disable):
			c.Enable = append(c.Enable, r.Name)
		}
	}
	return c
}

// is reports whether name is that of the run or of its pass.
func (r Run) is(name string) bool { return r.Name == name || r.Pass == name }

func named(r Run, names []string) bool { return slices.ContainsFunc(names, r.is) }

// Optional lists the names of the passes that may be left out.
func Optional() []string {
	var names []string
	for _, p := range all {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// unknown is the error about a name that nothing has. It lists the passes; of one that is meant, its runs.
func unknown(name string) error {
	pass, _, _ := strings.Cut(name, ".")
	var list []string
	for _, r := range table {
		if r.Pass == pass {
			list = append(list, r.Name)
		}
	}
	if len(list) > 0 {
		return fmt.Errorf("no run is called %q; the runs of %s are %s", name, pass, strings.Join(list, ", "))
	}
	return fmt.Errorf("no pass is called %q; the passes are %s", name, strings.Join(Optional(), ", "))
}
