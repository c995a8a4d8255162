package opt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a choice of level and passes as it is written on the command line and in
// driver.Options: parts between commas, of which one may be the level, and each other one is
// +NAME for a pass to run whatever the level, or -NAME for one not to run. "" is the default
// level, "1" is O1, "2,-licm" is O2 without licm, "0,+dce" the lowerings and dce.
func Parse(s string) (Options, error) {
	var o Options
	if s == "" {
		return o, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		name := strings.TrimLeft(part, "+-")
		switch {
		case len(part) == len(name):
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil || n > uint64(O2-O0) {
				return Options{}, fmt.Errorf("optimisation %q: %q is no level; the levels are 0, 1 and 2, passes are written +NAME or -NAME", s, part)
			}
			if o.Level != Default {
				return Options{}, fmt.Errorf("optimisation %q gives two levels", s)
			}
			o.Level = O0 + Level(n)
		case part[0] == '+':
			o.Enable = append(o.Enable, part[1:])
		default:
			o.Disable = append(o.Disable, part[1:])
		}
	}
	for _, name := range o.Enable {
		if slices.Contains(o.Disable, name) {
			return Options{}, fmt.Errorf("optimisation %q both runs and leaves out the pass %s", s, name)
		}
	}
	if _, err := o.plan(); err != nil {
		return Options{}, fmt.Errorf("optimisation %q: %w", s, err)
	}
	return o, nil
}

// String returns the choice as Parse reads it, the same for all that choose alike.
func (o Options) String() string {
	level := o.Level
	if level == Default {
		level = O2
	}
	parts := []string{strconv.Itoa(int(level - O0))}
	for _, list := range []struct {
		sign  string
		names []string
	}{{"+", o.Enable}, {"-", o.Disable}} {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(list.names))) {
			parts = append(parts, list.sign+name)
		}
	}
	return strings.Join(parts, ",")
}
