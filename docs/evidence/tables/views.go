package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// views make tables of files whose figures are the raw ones. Of any other file the table is as it is in the file: of a
// CSV all of it, of a text the table that the mark names.
var views = map[string]func(*file) ([][]string, error){
	"h200.csv ratios":              ratios,
	"egraph-h200.csv closures":     closures,
	"egraph-h200.csv sums":         sums,
	"rules-h200.csv sweeps":        exhaustive,
	"columns-h200.csv passes":      passes,
	"rivals-epyc.csv rivals":       rivals,
	"prim-h200.csv ratios":         primitives,
	"matmul-h200.csv rates":        products,
	"budgets-h200.txt README":      budgets,
	"budgets-h200.txt launches":    measured("P1", "P1-", "launch-", "P2", "P3", "P5", "P6", "P7"),
	"budgets-h200.txt copies":      measured("P4-"),
	"budgets-h200.txt compiling":   measured("P9"),
	"tune-h200.txt sizes":          tuned,
	"budgets-h200.txt starts":      starts,
	"searches-h200.csv sets":       sets,
	"searches-h200.csv levels":     levels,
	"searches-h200.csv wide":       wide,
	"searches-h200.csv components": components,
	"searches-h200.csv together":   together,
	"graphs-h200.csv engines":      engines,
	"searches-h200.csv again":      again,
	"searches-h200.csv paths":      paths,
	"searches-h200.csv strong":     strong,
	"graphs-h200.csv dominators":   dominators,
	"graphs-h200.csv contexts":     contexts,
	"closures-h200.csv pairs":      pairs,
	"gap-h100.csv times":           gap,
	"codegen-h200.txt means":       means,
	"gossa-evaluation.csv sums":    evaluated,
	// The first run of the third lot alone, before any pass was changed for it.
	"codegen-third-first-h200.txt means": means,
	"codegen-third-first-h200.txt sizes": sizes,
	"codegen-h200.txt sizes":             sizes,
	"codegen-h200.txt structs":           structs,
	"codegen-h200.txt copy":              copies,
	"codegen-h200.txt checks":            checks,
}

// view makes the rows of a table, the first of which is its head.
func view(f *file, args []string) ([][]string, error) {
	if len(args) > 0 {
		if make := views[f.name+" "+args[0]]; make != nil {
			f.args = args[1:]
			return make(f)
		}
	}
	if f.rows != nil {
		if len(args) > 0 {
			return nil, fmt.Errorf("there is no view %q", strings.Join(args, " "))
		}
		return f.rows, nil
	}
	title := strings.Join(args, " ")
	if len(f.sections[title]) < 2 {
		return nil, fmt.Errorf("there is no table %q", title)
	}
	return f.sections[title], nil
}

// evaluated are the programs, and the sums of samples by rule and of queries.
func evaluated(f *file) (rows [][]string, err error) {
	for _, row := range f.rows {
		if !strings.HasPrefix(row[0], "gosec v2.30.0, G") && !strings.HasPrefix(row[0], "CodeQL, ") {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// number reads a figure, with a unit after it or without one; NaN if there is none.
func number(text string) float64 {
	text, _, _ = strings.Cut(text, " ")
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// short prints three digits or so, nothing of what is not there.
func short(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.9995:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// thousands prints an integer with commas.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// median of some figures.
func median(all []float64) float64 {
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// geomean is the geometric mean.
func geomean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(all)))
}

// commas is a graph's name, in which a CSV has no commas.
func commas(graph string) string { return strings.ReplaceAll(graph, "_", ",") }

// inOrder returns the values of a column, each once.
func (t table) inOrder(column string) (values []string) {
	for _, row := range t {
		if !slices.Contains(values, row[column]) {
			values = append(values, row[column])
		}
	}
	return values
}

// ratios has the wall time of each protocol by that of the resident one: the median of the samples.
func ratios(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "levels", "naive", "strong", "best other", "protocol of best other"}}
	all := named(f.rows)
	for _, graph := range all.inOrder("graph") {
		samples := all.where("graph", graph)
		cells := []string{commas(graph), thousands(number(samples[0]["rounds"]))}
		for _, protocol := range []string{"naive_ns", "strong_ns", "best_other_ns"} {
			var each []float64
			for _, s := range samples {
				each = append(each, number(s[protocol])/number(s["resident_ns"]))
			}
			cells = append(cells, short(median(each)))
		}
		rows = append(rows, append(cells, strings.Join(samples.inOrder("best_other"), ", ")))
	}
	return rows, nil
}

// products has the reference's median by ours for each size, and how many operations a second both do at the last.
func products(f *file) ([][]string, error) {
	sides := []float64{256, 1024, 2048, 4096, 8192}
	head := []string{"elements"}
	for _, side := range sides {
		head = append(head, short(side)+"²")
	}
	rows := [][]string{append(head, "8192², TFLOP/s", "cuBLAS, TFLOP/s")}
	all := named(f.rows)
	for _, operation := range all.inOrder("operation") {
		cells, rates := []string{strings.TrimPrefix(operation, "matmul-")}, []string{}
		for _, side := range sides {
			of := all.where("operation", operation, "elements", strconv.Itoa(int(side*side)))
			if len(of) != 1 {
				return nil, fmt.Errorf("%s of %.0f squared was measured %d times, want once", operation, side, len(of))
			}
			ours, theirs := number(of[0]["median ns"]), number(of[0]["CUB median ns"])
			if !(theirs/ours > 0) {
				return nil, fmt.Errorf("%s of %.0f squared has no reference", operation, side)
			}
			cells = append(cells, fmt.Sprintf("%.2f", theirs/ours))
			work := 2 * side * side * side / 1e3 // operations for a nanosecond in a terahertz
			rates = []string{short(work / ours), short(work / theirs)}
		}
		rows = append(rows, append(cells, rates...))
	}
	return rows, nil
}

// primitives has the reference's median by ours for each size, their mean, and both times of one size.
func primitives(f *file) ([][]string, error) {
	rows := [][]string{{"operation", "2¹⁰", "2¹⁶", "2²⁰", "2²⁴", "2²⁸", "mean", "2²⁴, µs", "CUB, µs"}}
	all := named(f.rows)
	for _, operation := range all.inOrder("operation") {
		cells, ratios, last := []string{operation}, []float64{}, []string{}
		for _, size := range []string{"1024", "65536", "1048576", "16777216", "268435456"} {
			of := all.where("operation", operation, "elements", size)
			if len(of) != 1 {
				return nil, fmt.Errorf("%s of %s elements was measured %d times, want once", operation, size, len(of))
			}
			ours, theirs := number(of[0]["median ns"]), number(of[0]["CUB median ns"])
			if !(theirs/ours > 0) {
				return nil, fmt.Errorf("%s of %s elements has no reference", operation, size)
			}
			ratios = append(ratios, theirs/ours)
			cells = append(cells, fmt.Sprintf("%.2f", theirs/ours))
			if size == "16777216" {
				last = []string{short(ours / 1e3), short(theirs / 1e3)}
			}
		}
		rows = append(rows, append(append(cells, fmt.Sprintf("**%.2f**", geomean(ratios))), last...))
	}
	return rows, nil
}
