package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// row is what the lines of an operation say: CUB's median over ours for each size, and both for the last size but one.
type row struct {
	name         string
	ratios       [5]float64
	ours, theirs float64 // µs
}

// table prints the rows of the table in docs/prim.md, of the lines that a measurement has written.
func table(w io.Writer, lines string) error {
	var rows []*row
	for line := range strings.Lines(lines) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(line, "#") || cells[0] == "operation" {
			continue
		}
		if len(cells) < 7 {
			return fmt.Errorf("no reference was measured: %q", strings.TrimSpace(line))
		}
		if len(rows) == 0 || rows[len(rows)-1].name != cells[0] {
			rows = append(rows, &row{name: cells[0]})
		}
		if err := rows[len(rows)-1].take(cells); err != nil {
			return fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
	}
	for _, r := range rows {
		sum, cells := 0.0, ""
		for i, ratio := range r.ratios {
			if ratio == 0 {
				return fmt.Errorf("%s of %d elements was not measured", r.name, sizes[i])
			}
			sum += math.Log(ratio)
			cells += fmt.Sprintf(" %.2f |", ratio)
		}
		fmt.Fprintf(w, "| %s |%s **%.2f** | %s | %s |\n", r.name, cells, math.Exp(sum/float64(len(r.ratios))), micros(r.ours), micros(r.theirs))
	}
	return nil
}

// take adds a line to a row.
func (r *row) take(cells []string) error {
	var v [3]float64 // elements, and the medians
	for i, k := range []int{1, 3, 5} {
		x, err := strconv.ParseFloat(cells[k], 64)
		if err != nil {
			return err
		}
		v[i] = x
	}
	for i, n := range sizes {
		if v[0] == float64(n) {
			r.ratios[i] = v[2] / v[1]
		}
	}
	if v[0] == 1<<24 {
		r.ours, r.theirs = v[1]/1e3, v[2]/1e3
	}
	return nil
}

// micros prints four digits at most.
func micros(v float64) string {
	if v >= 999.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
