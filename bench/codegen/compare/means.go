package main

import (
	"fmt"
	"io"
	"math"

	"github.com/govyre/vyre/bench/codegen"
)

// Mean is the geometric mean of the ratios of some cases, those of one entry by their mean.
type Mean struct {
	Of      string  // the group, or "all"
	Geomean float64 // over all sizes
	BySize  map[string]float64
	Lowest  float64 // ratio
}

// finish computes the means.
func (r *Report) finish() {
	for _, g := range codegen.Groups {
		if m, ok := meanOf(g.String(), r.Rows, func(x *Row) bool { return x.Group == g.String() }); ok {
			r.Means = append(r.Means, m)
		}
	}
	if m, ok := meanOf("all", r.Rows, func(*Row) bool { return true }); ok {
		r.Means = append(r.Means, m)
	}
}

// meanOf computes the means of the rows that count; there may be none.
func meanOf(of string, rows []Row, counts func(*Row) bool) (m Mean, ok bool) {
	type key struct{ entry, size string }
	ratios := make(map[key][]float64)
	var order []key
	m = Mean{Of: of, BySize: make(map[string]float64), Lowest: math.Inf(1)}
	for i := range rows {
		x := &rows[i]
		if !counts(x) {
			continue
		}
		k := key{x.Entry, x.Size}
		if ratios[k] == nil {
			order = append(order, k)
		}
		ratios[k] = append(ratios[k], x.Ratio)
		m.Lowest = min(m.Lowest, x.Ratio)
	}
	var logs float64
	n := make(map[string]int)
	for _, k := range order {
		var sum float64
		for _, x := range ratios[k] {
			sum += x
		}
		l := math.Log(sum / float64(len(ratios[k])))
		logs += l
		m.BySize[k.size] += l
		n[k.size]++
	}
	m.Geomean = math.Exp(logs / float64(len(order)))
	for size, l := range m.BySize {
		m.BySize[size] = math.Exp(l / float64(n[size]))
	}
	return m, len(order) > 0
}

// print writes the means in one line.
func (m *Mean) print(out io.Writer) {
	fmt.Fprintf(out, "geometric mean (%s) %.3f", m.Of, m.Geomean)
	for _, s := range codegen.Sizes {
		if mean, ok := m.BySize[s.String()]; ok {
			fmt.Fprintf(out, ", %s %.3f", s, mean)
		}
	}
	fmt.Fprintf(out, "; lowest %.3f\n", m.Lowest)
}
