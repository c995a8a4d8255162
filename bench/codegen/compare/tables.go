package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/bench/codegen"
)

// print writes the tables, from which those of docs/codegen.md are made.
func (r *Report) print(out io.Writer) {
	fmt.Fprintf(out, "%s, driver for %s, %d MiB of L2; a copy within the device moves %.0f GB/s; an empty kernel takes %s; %d samples each\n",
		r.Device, r.Driver, r.L2Bytes>>20, r.CopyRate/1e9, micros(r.Floor), r.Samples)
	for _, g := range codegen.Groups {
		r.printTimes(out, g.String())
	}
	fmt.Fprintln(out)
	for i := range r.Means {
		r.Means[i].print(out)
	}
	r.printSplits(out)
	r.printCopies(out)
	r.printChecks(out)
	r.printShapes(out)
	fmt.Fprintln(out)
	for _, f := range r.Failed {
		fmt.Fprintf(out, "FAILED %s\n", f)
	}
	for i := range r.Rows {
		x := &r.Rows[i]
		for _, f := range x.Faults {
			fmt.Fprintf(out, "WRONG %s, %s: %s\n", x.Case, x.Size, f)
		}
		if x.Contracted != "" {
			fmt.Fprintf(out, "%s, %s: contraction changes the result of the reference kernel: %s\n", x.Case, x.Size, x.Contracted)
		}
	}
}

// printTimes writes the times of a group.
func (r *Report) printTimes(out io.Writer, group string) {
	t := table{out: out, title: group + ":", head: []string{
		"kernel", "size", "nvcc", "-fmad=false", "vyre min", "p50", "p99", "ratio", "GB/s", "registers", "spills"}}
	for i := range r.Rows {
		if x := &r.Rows[i]; x.Group == group {
			a, b, v := x.variant(byDefault), x.variant(noFMad), x.variant(ours)
			t.row(x.Case, x.Size, micros(a.P50), micros(b.P50), micros(v.Min), micros(v.P50), micros(v.P99),
				fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.0f", x.Rate/1e9),
				fmt.Sprintf("%d, %d", a.Registers, v.Registers), fmt.Sprintf("%d, %d", a.Spills, v.Spills))
		}
	}
	t.end()
}

// printSplits sets the kernels over structs beside nvcc's, and beside our own over arrays that are split by hand.
func (r *Report) printSplits(out io.Writer) {
	t := table{out: out, title: "structs, and arrays that are split by hand:", head: []string{"kernel", "size", "structs, nvcc", "structs, vyre", "split by hand, vyre", "by nvcc", "by hand"}}
	for i := range r.Rows {
		if x := &r.Rows[i]; x.OfSplit != 0 {
			t.row(x.Case, x.Size, micros(x.variant(x.Best).P50), micros(x.variant(ours).P50), micros(x.variant(split).P50),
				fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.2f", x.OfSplit))
		}
	}
	t.end()
}

// printCopies sets the kernels that mostly move data beside copies of as many bytes.
func (r *Report) printCopies(out io.Writer) {
	t := table{out: out, title: "beside a copy within the device:", head: []string{"kernel", "bound by", "size", "bytes", "copy of as many", "nvcc", "of copy", "vyre", "of copy"}}
	for i := range r.Rows {
		if x := &r.Rows[i]; x.Copy != 0 {
			t.row(x.Case, x.Bound, x.Size, fmt.Sprintf("%.1f MB", float64(x.Bytes)/1e6), micros(x.Copy),
				micros(x.variant(x.Best).P50), fmt.Sprintf("%.0f %%", 100*x.BestOfCopy),
				micros(x.variant(ours).P50), fmt.Sprintf("%.0f %%", 100*x.OfCopy))
		}
	}
	t.end()
}

// printChecks writes what bounds checks cost, if that was measured.
func (r *Report) printChecks(out io.Writer) {
	t := table{out: out, title: "cost of bounds checks:", head: []string{"kernel", "size", "checked accesses", "with checks", "without", "cost"}}
	for i := range r.Rows {
		x := &r.Rows[i]
		if v, u := x.variant(ours), x.variant(unchecked); u != nil {
			t.row(x.Case, x.Size, fmt.Sprintf("%d of %d", v.Checked, v.Accesses), micros(v.P50), micros(u.P50), fmt.Sprintf("%+.1f %%", 100*x.CheckCost))
		}
	}
	t.end()
}

// printShapes sets other shapes beside the suite's, if they were measured.
func (r *Report) printShapes(out io.Writer) {
	t := table{out: out, title: "other shapes:", head: []string{"kernel", "size", "as in the suite", "other shape", "time", "registers", "less time"}}
	for i := range r.Rows {
		x := &r.Rows[i]
		for _, v := range x.Variants {
			if shape, ok := strings.CutPrefix(v.Name, shapePrefix); ok {
				own := x.variant(ours).P50
				t.row(x.Case, x.Size, micros(own), shape, micros(v.P50), fmt.Sprint(v.Registers), fmt.Sprintf("%+.1f %%", 100*(1-float64(v.P50)/float64(own))))
			}
		}
	}
	t.end()
}

// table is a table in Markdown. It is written if it has rows, after an empty line.
type table struct {
	out   io.Writer
	title string // a line before it, or ""
	head  []string
	rows  *tabwriter.Writer
}

func (t *table) row(cells ...string) {
	if t.rows == nil {
		fmt.Fprintln(t.out)
		if t.title != "" {
			fmt.Fprintf(t.out, "%s\n\n", t.title)
		}
		t.rows = tabwriter.NewWriter(t.out, 0, 0, 1, ' ', 0)
		t.line(t.head)
		fmt.Fprintf(t.rows, "%s|\n", strings.Repeat("|---\t", len(t.head)))
	}
	t.line(cells)
}

func (t *table) line(cells []string) {
	fmt.Fprintf(t.rows, "| %s\t|\n", strings.Join(cells, "\t| "))
}

// end writes what the rows were kept for, the width of the columns.
func (t *table) end() {
	if t.rows != nil {
		t.rows.Flush()
	}
}

// micros writes nanoseconds as microseconds with three digits that count.
func micros(ns int64) string {
	us := float64(ns) / 1e3
	switch {
	case us >= 100:
		return fmt.Sprintf("%.0f µs", us)
	case us >= 10:
		return fmt.Sprintf("%.1f µs", us)
	}
	return fmt.Sprintf("%.2f µs", us)
}
