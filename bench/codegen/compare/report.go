package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/bench/codegen"
)

// Report is a run.
type Report struct {
	Device   string
	Driver   string
	L2Bytes  int
	CopyRate float64 // bytes a second, read plus written
	Floor    int64   // ns between events around a kernel that does nothing
	Samples  int
	Rows     []Row
	Failed   []string // what could not be measured, and why
	// Geomean is the geometric mean of the ratios, cases of one entry by their mean: over all sizes, and by
	// size. Lowest is the lowest ratio.
	Geomean float64
	BySize  map[string]float64
	Lowest  float64
}

// Row is one case at one size.
type Row struct {
	Case, Entry, Size, N string
	Bound                string // by what, where that is not arithmetic
	Launches             int
	Bytes                int64 // that must move
	Variants             []Variant
	Best                 string  // the faster build of nvcc
	Ratio                float64 // its time by ours, medians
	Rate                 float64 // ours, bytes a second
	Copy                 int64   // ns of a copy that moves as many bytes; 0 where not measured
	OfCopy               float64 // Copy by our time
	BestOfCopy           float64 // Copy by the time of the faster build of nvcc
	CheckCost            float64 // time of our code by that of the same without checks, less 1; 0 if not measured
	Contracted           string  `json:",omitempty"` // how nvcc's default build differs in its results
	Faults               []string
}

// Variant is one way to run a case, measured.
type Variant struct {
	Name string
	Stats
	Cost
}

// Stats are samples, in nanoseconds.
type Stats struct {
	N             int
	Min, P50, P99 int64
}

func statsOf(t []time.Duration) Stats {
	slices.Sort(t)
	at := func(p float64) int64 { return t[min(int(p*float64(len(t))), len(t)-1)].Nanoseconds() }
	return Stats{len(t), at(0), at(0.5), at(0.99)}
}

func (s Stats) p50() time.Duration { return time.Duration(s.P50) }

// report starts a report with what the device is and how fast it copies.
func (g *gpu) report(o options) (*Report, error) {
	whole, err := g.copied(2 * copyBytes)
	if err != nil {
		return nil, err
	}
	floor, err := g.floor()
	if err != nil {
		return nil, err
	}
	version := fmt.Sprintf("CUDA %d.%d", g.driverVer/1000, g.driverVer%1000/10)
	return &Report{Device: g.name, Driver: version, L2Bytes: g.l2, CopyRate: 2 * copyBytes / whole.Seconds(), Floor: floor.Nanoseconds(), Samples: (o.samples + 1) / 2 * 2}, nil
}

func (r *Row) fault(what string, err error) {
	r.Faults = append(r.Faults, what+": "+err.Error())
}

func (r *Row) variant(name string) *Variant {
	for i := range r.Variants {
		if r.Variants[i].Name == name {
			return &r.Variants[i]
		}
	}
	return nil
}

// finish computes what follows from the samples.
func (r *Row) finish() {
	a, b, v := r.variant(byDefault), r.variant(noFMad), r.variant(ours)
	best := a
	if b.P50 < a.P50 {
		best = b
	}
	r.Best = best.Name
	r.Ratio = float64(best.P50) / float64(v.P50)
	r.Rate = float64(r.Bytes) / v.p50().Seconds()
	r.OfCopy, r.BestOfCopy = float64(r.Copy)/float64(v.P50), float64(r.Copy)/float64(best.P50)
	if u := r.variant(unchecked); u != nil {
		r.CheckCost = float64(v.P50)/float64(u.P50) - 1
	}
}

// line tells the row while the run goes on.
func (r *Row) line() string {
	s := fmt.Sprintf("%-12s %-7s ratio %.3f", r.Case, r.Size, r.Ratio)
	for _, f := range r.Faults {
		s += "\n\t" + f
	}
	return s
}

// finish computes the means.
func (r *Report) finish() {
	type key struct{ entry, size string }
	ratios := make(map[key][]float64)
	var order []key
	r.Lowest = math.Inf(1)
	for i := range r.Rows {
		k := key{r.Rows[i].Entry, r.Rows[i].Size}
		if ratios[k] == nil {
			order = append(order, k)
		}
		ratios[k] = append(ratios[k], r.Rows[i].Ratio)
		r.Lowest = min(r.Lowest, r.Rows[i].Ratio)
	}
	logs, n := make(map[string]float64), make(map[string]int)
	for _, k := range order {
		var sum float64
		for _, x := range ratios[k] {
			sum += x
		}
		for _, name := range []string{"", k.size} {
			logs[name] += math.Log(sum / float64(len(ratios[k])))
			n[name]++
		}
	}
	r.BySize = make(map[string]float64)
	if len(r.Rows) == 0 {
		r.Lowest = 0 // JSON has no infinity
	}
	for name, l := range logs {
		mean := math.Exp(l / float64(n[name]))
		if name == "" {
			r.Geomean = mean
		} else {
			r.BySize[name] = mean
		}
	}
}

// write prints the report, and leaves it as text and JSON in a directory.
func (r *Report) write(dir string) error {
	var text bytes.Buffer
	r.print(&text)
	if _, err := os.Stdout.Write(text.Bytes()); err != nil || dir == "" {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "codegen.txt"), text.Bytes(), 0o666),
		os.WriteFile(filepath.Join(dir, "codegen.json"), append(data, '\n'), 0o666))
}

// print writes the tables in the form that docs/codegen.md takes.
func (r *Report) print(out io.Writer) {
	fmt.Fprintf(out, "%s, driver for %s, %d MiB of L2; a copy within the device moves %.0f GB/s; an empty kernel takes %s; %d samples each\n\n",
		r.Device, r.Driver, r.L2Bytes>>20, r.CopyRate/1e9, micros(r.Floor), r.Samples)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| kernel\t| size\t| nvcc\t| -fmad=false\t| vyre min\t| p50\t| p99\t| ratio\t| GB/s\t| registers\t| spills\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for i := range r.Rows {
		x := &r.Rows[i]
		a, b, v := x.variant(byDefault), x.variant(noFMad), x.variant(ours)
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %.2f\t| %.0f\t| %d, %d\t| %d, %d\t|\n", x.Case, x.Size,
			micros(a.P50), micros(b.P50), micros(v.Min), micros(v.P50), micros(v.P99), x.Ratio, x.Rate/1e9,
			a.Registers, v.Registers, a.Spills, v.Spills)
	}
	w.Flush()
	fmt.Fprintf(out, "\ngeometric mean %.3f", r.Geomean)
	for _, s := range codegen.Sizes {
		if m, ok := r.BySize[s.String()]; ok {
			fmt.Fprintf(out, ", %s %.3f", s, m)
		}
	}
	fmt.Fprintf(out, "; lowest %.3f\n", r.Lowest)
	r.printCopies(out)
	r.printChecks(out)
	r.printShapes(out)
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

// printCopies sets the kernels that mostly move data beside copies of as many bytes.
func (r *Report) printCopies(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	first := true
	for i := range r.Rows {
		x := &r.Rows[i]
		if x.Copy == 0 {
			continue
		}
		if first {
			fmt.Fprintln(out)
			fmt.Fprintln(w, "| kernel\t| bound by\t| size\t| bytes\t| copy of as many\t| nvcc\t| of copy\t| vyre\t| of copy\t|")
			fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
			first = false
		}
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %.1f MB\t| %s\t| %s\t| %.0f %%\t| %s\t| %.0f %%\t|\n", x.Case, x.Bound, x.Size, float64(x.Bytes)/1e6,
			micros(x.Copy), micros(x.variant(x.Best).P50), 100*x.BestOfCopy, micros(x.variant(ours).P50), 100*x.OfCopy)
	}
	w.Flush()
}

// printChecks writes what bounds checks cost, if that was measured.
func (r *Report) printChecks(out io.Writer) {
	if len(r.Rows) == 0 || r.Rows[0].variant(unchecked) == nil {
		return
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| kernel\t| size\t| checked accesses\t| with checks\t| without\t| cost\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for i := range r.Rows {
		x := &r.Rows[i]
		v, u := x.variant(ours), x.variant(unchecked)
		fmt.Fprintf(w, "| %s\t| %s\t| %d of %d\t| %s\t| %s\t| %+.1f %%\t|\n", x.Case, x.Size, v.Checked, v.Accesses,
			micros(v.P50), micros(u.P50), 100*x.CheckCost)
	}
	w.Flush()
}

// printShapes sets other shapes beside the suite's, if they were measured.
func (r *Report) printShapes(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	first := true
	for i := range r.Rows {
		x := &r.Rows[i]
		for _, v := range x.Variants {
			shape, ok := strings.CutPrefix(v.Name, shapePrefix)
			if !ok {
				continue
			}
			if first {
				fmt.Fprintln(out)
				fmt.Fprintln(w, "| kernel\t| size\t| as in the suite\t| other shape\t| time\t| registers\t| less time\t|")
				fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
				first = false
			}
			own := x.variant(ours).P50
			fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t| %d\t| %+.1f %%\t|\n", x.Case, x.Size,
				micros(own), shape, micros(v.P50), v.Registers, 100*(1-float64(v.P50)/float64(own)))
		}
	}
	w.Flush()
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

// verdict is an error if a result was wrong or could not be had.
func (r *Report) verdict() error {
	n := 0
	for i := range r.Rows {
		n += len(r.Rows[i].Faults)
	}
	if n+len(r.Failed) > 0 {
		return fmt.Errorf("%d results are wrong and %d cases failed; the lines that begin with WRONG or FAILED say which", n, len(r.Failed))
	}
	return nil
}
