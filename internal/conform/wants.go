package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
)

// wants is what a case file says about traps and traces.
type wants struct {
	trap   *Trap
	traces []Trace
	any    bool // a trace is expected
}

func (c *Case) wantLine(line string, w *wants) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "refused":
		c.Refused = rest
		return nil
	case "trap":
		rest, at, placed := strings.Cut(rest, " at ")
		nums, err := numbers(rest)
		if err != nil || len(nums) != 2 {
			return fmt.Errorf("want trap CODE VALUE [at LINE]")
		}
		w.trap = &Trap{Code: uint32(nums[0]), Value: nums[1]}
		if placed {
			w.trap.Line, err = strconv.Atoi(at)
		}
		return err
	case "within":
		var ulps uint64
		if _, err := fmt.Sscanf(rest, "%d ulp", &ulps); err != nil {
			return fmt.Errorf("want within N ulp")
		}
		i := slices.IndexFunc(c.Want, func(b []byte) bool { return b != nil })
		if i < 0 {
			return fmt.Errorf("within comes after the buffer that it is about")
		}
		c.Tolerance = withinULPs(c.Program.Params()[i].Type, ulps)
		return nil
	case "reports":
		var f Finding
		for _, name := range strings.Fields(rest) {
			kind, ok := map[string]Finding{"none": 0, "race": Racy, "benign": Benign, "undefined": Undefined, "bounds": OutOfBounds}[name]
			if !ok {
				return fmt.Errorf("unknown finding %s", name)
			}
			f |= kind
		}
		c.Reports = &f
		return nil
	case "trace":
		nums, err := numbers(rest)
		if err != nil || len(nums) < 2 {
			return fmt.Errorf("want trace TAG LINEAR VALUES")
		}
		w.any = true
		w.traces = append(w.traces, Trace{uint32(nums[0]), nums[1], nums[2:]})
		return nil
	}
	i, data, err := c.values(line)
	if err != nil {
		return err
	}
	c.Want[i] = data
	return nil
}

func numbers(s string) ([]uint64, error) {
	var out []uint64
	for _, f := range strings.Fields(s) {
		n, err := strconv.ParseUint(f, 0, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// check compares traps (code, value, line) and traces (as a multiset).
func (w *wants) check(out Outcome) error {
	switch {
	case w.trap == nil && out.Trap != nil:
		return fmt.Errorf("trap %d with %d, want none", out.Trap.Code, out.Trap.Value)
	case w.trap != nil && out.Trap == nil:
		return fmt.Errorf("no trap, want %d with %d", w.trap.Code, w.trap.Value)
	case w.trap != nil && (w.trap.Code != out.Trap.Code || w.trap.Value != out.Trap.Value):
		return fmt.Errorf("trap %d with %d, want %d with %d", out.Trap.Code, out.Trap.Value, w.trap.Code, w.trap.Value)
	case w.trap != nil && w.trap.Line != 0 && w.trap.Line != out.Trap.Line:
		return fmt.Errorf("trap at line %d, want %d", out.Trap.Line, w.trap.Line)
	}
	if !w.any && len(out.Traces) == 0 {
		return nil
	}
	got, want := sortTraces(out.Traces), sortTraces(w.traces)
	if len(got) != len(want) {
		return fmt.Errorf("%d traces, want %d", len(got), len(want))
	}
	for i := range got {
		if compareTrace(got[i], want[i]) != 0 {
			return fmt.Errorf("trace %v, want %v", got[i], want[i])
		}
	}
	return nil
}

func sortTraces(ts []Trace) []Trace {
	ts = slices.Clone(ts)
	slices.SortFunc(ts, compareTrace)
	return ts
}

func compareTrace(a, b Trace) int {
	return slices.Compare(append([]uint64{uint64(a.Tag), a.Linear}, a.Values...), append([]uint64{uint64(b.Tag), b.Linear}, b.Values...))
}

// withinULPs judges floats by how many others lie between them.
func withinULPs(t ir.Type, ulps uint64) func(got, want uint64) bool {
	sign := uint64(1) << (t.Bits() - 1)
	place := func(bits uint64) uint64 { // ascending in the value
		if bits&sign != 0 {
			return sign - bits&^sign
		}
		return sign + bits
	}
	return func(got, want uint64) bool {
		g, w := place(got), place(want)
		return !isNaN(t, got) && !isNaN(t, want) && max(g, w)-min(g, w) <= ulps && (got^want)&sign == 0
	}
}
