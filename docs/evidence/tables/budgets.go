package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The file of budgets has what the harness prints, a line for each side of a measure and one for its verdict.

var field = regexp.MustCompile(`(\w+)=("[^"]*"|\S+)`)

// readMeasures reads those lines.
func (f *file) readMeasures(text string) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "vyrebench ")
		if !ok {
			continue
		}
		row := map[string]string{}
		for _, m := range field.FindAllStringSubmatch(rest, -1) {
			row[m[1]] = strings.Trim(m[2], `"`)
		}
		f.measures = append(f.measures, row)
	}
}

// duration prints nanoseconds with three digits or so, nothing of what is not there.
func duration(ns string) string {
	v := number(ns)
	if math.IsNaN(v) {
		return ""
	}
	unit := 0
	for ; v >= 999.5 && unit < 3; unit++ {
		v /= 1000
	}
	places := 0
	if unit > 0 {
		places = max(0, 3-len(strconv.Itoa(int(v))))
	}
	return strconv.FormatFloat(v, 'f', places, 64) + [...]string{" ns", " µs", " ms", " s"}[unit]
}

// measured has the times of measures with names of a prefix, on both sides, in the order of the file.
func measured(prefixes ...string) func(*file) ([][]string, error) {
	return func(f *file) ([][]string, error) {
		rows := [][]string{{"name", "vyre: least, median, p99", "C", "ratio", "bound"}}
		for _, name := range f.names(prefixes) {
			cells := []string{name}
			for _, side := range []string{"vyre", "c"} {
				times := ""
				for _, row := range f.measures.where("name", name, "side", side) {
					times = duration(row["min_ns"]) + ", " + duration(row["p50_ns"]) + ", " + duration(row["p99_ns"])
				}
				cells = append(cells, times)
			}
			ratio, bound := "", ""
			for _, row := range f.measures.where("name", name) {
				if row["verdict"] != "" {
					ratio, bound = row["ratio"], row["bound"]
				}
				if row["verdict"] == "fail" {
					bound += " **missed**"
				}
			}
			rows = append(rows, append(cells, ratio, bound))
		}
		if len(rows) == 1 {
			return nil, fmt.Errorf("nothing named %s was measured", strings.Join(prefixes, " or "))
		}
		return rows, nil
	}
}

// names are those of measures with times, by the prefix that they have and in the order of the file.
func (f *file) names(prefixes []string) (names []string) {
	for _, prefix := range prefixes {
		for _, name := range f.measures.inOrder("name") {
			timed := len(f.measures.where("name", name)) > len(f.measures.where("name", name, "side", ""))
			if timed && strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// starts has the parts of a process's start, in medians.
func starts(f *file) ([][]string, error) {
	rows := [][]string{{"medians of 5", "all", "driver's start", "its context", "device opened", "compiled", "run"}}
	for _, m := range []struct{ name, says string }{{"start-cold", "nothing cached"}, {"start-warm", "cached"}, {"start-bundle", "from a bundle"}} {
		if len(f.measures.where("name", m.name)) == 0 {
			continue
		}
		for _, side := range []struct{ name, says string }{{"vyre", "vyre"}, {"c", "C"}} {
			row, err := f.side(m.name, side.name)
			if err != nil {
				return nil, err
			}
			cells := []string{side.says + ", " + m.says}
			for _, part := range []string{"p50", "init", "context", "open", "compile", "run"} {
				cells = append(cells, duration(row[part+"_ns"]))
			}
			rows = append(rows, cells)
		}
	}
	return rows, nil
}

// tuned has the group sizes that are not the declared ones.
func tuned(f *file) ([][]string, error) {
	rows := [][]string{{"kernel", "size", "declared", "chosen", "declared size, time", "chosen size, time", "ratio"}}
	for _, row := range f.measures {
		if row["declared"] != row["chosen"] {
			rows = append(rows, []string{row["kernel"], row["size"], row["declared"], row["chosen"], duration(row["declared_ns"]), duration(row["chosen_ns"]), row["ratio"]})
		}
	}
	all := f.measures[max(0, len(f.measures)-1)]
	if all["mean"] == "" {
		return nil, fmt.Errorf("the last line has no mean")
	}
	return append(rows, []string{"mean of " + all["kernels"], "", "", "", "", "", all["mean"]}), nil
}

// side is what one side of a measure was.
func (f *file) side(name, side string) (map[string]string, error) {
	of := f.measures.where("name", name, "side", side)
	if len(of) != 1 {
		return nil, fmt.Errorf("%s of %s was measured %d times, want once", name, side, len(of))
	}
	return of[0], nil
}

// budgets has medians for README.md.
func budgets(f *file) ([][]string, error) {
	rows := [][]string{{"", "vyre", "C", "CuPy", "PyTorch", "measure"}}
	for _, m := range []struct{ name, says string }{
		{"P2", "launch a captured kernel and wait"}, {"P3", "100 launches and wait"}, {"P5", "4 KiB in, a kernel, 4 KiB out"},
		{"P12", "a row of a batch of 256: 4 KiB in, a kernel, 4 KiB out"}, {"P6", "barrier of the whole grid"}, {"P4-up-1024MiB", "1 GiB up from pinned memory"}, {"P1-start", "`Start` of one launch"},
		{"start-warm", "process start to first result, cached"},
	} {
		cells := []string{m.says}
		for _, side := range []string{"vyre", "c"} {
			row, err := f.side(m.name, side)
			if err != nil && (side != "c" || len(f.measures.where("name", m.name, "side", "cupy")) == 0) {
				return nil, err
			}
			cell := ""
			if err == nil {
				cell = duration(row["p50_ns"])
			}
			cells = append(cells, cell)
		}
		for _, library := range []string{"cupy", "torch"} {
			cell := ""
			for _, row := range f.measures.where("name", m.name, "side", library) {
				cell = duration(row["p50_ns"])
			}
			cells = append(cells, cell)
		}
		if len(f.measures.where("name", m.name, "verdict", "fail")) > 0 {
			m.name += ": misses its bound"
		}
		rows = append(rows, append(cells, m.name))
	}
	return rows, nil
}
