package plan

import (
	"fmt"
	"strings"
	"time"
)

// Explain returns lines that say the choice with the numbers behind it: the sample, then each pass.
func (p *Passes) Explain(in *PassRequest) string {
	var s strings.Builder
	fmt.Fprintf(&s, "passes-v1|frontier=%d|reuse=%d|readback=%d|baseline=%d|projection=%d|planning=%d|scratch=%d\n",
		in.Sample.Frontier, in.Sample.Reuse, in.Sample.Readback, in.Sample.BaselineNS, p.Projection, p.PlanningNS, p.ScratchBytes)
	for i := range in.Passes {
		fmt.Fprintf(&s, "pass %s: %s|speedup=%d|saved=%d\n", in.Passes[i].Name, p.Verdicts[i], in.Passes[i].Speedup, p.Saved[i])
	}
	return s.String()
}

// Explain returns what is known of each way, what would be chosen by it for a plan of so many runs (see Request), and how
// far projections were off.
func (h *History) Explain(runs uint64) string {
	var offered []Offered
	for k := range h.Ways {
		if h.Ways[k].Name != "" {
			offered = append(offered, h.Ways[k].Offered)
		}
	}
	in := h.Request(offered, runs)
	var p Passes
	if err := PlanPasses(in, &p); err != nil {
		return "no choice: " + err.Error() + "\n"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%d runs of %d plans; frontier %d, readback %d bytes, baseline %v\n", h.PlanRuns, h.Plans, in.Sample.Frontier, in.Sample.Readback, time.Duration(in.Sample.BaselineNS))
	if in.Sample.Reuse == 0 {
		s.WriteString("not chosen by evidence: nobody knows how many runs a plan does\n")
	} else if !p.Known() {
		s.WriteString("not chosen by evidence: of some passes there is none\n")
	} else {
		fmt.Fprintf(&s, "chosen by evidence: %d.%02d times as fast, a run is projected to take %v\n", p.Projection/one, p.Projection%one/100, time.Duration(p.Projected(in.Sample.BaselineNS)))
	}
	fmt.Fprintf(&s, "  %-16s %-26s %8s %5s %10s %10s %10s %10s %10s %8s\n", "pass", "verdict", "speed-up", "runs", "p10", "p50", "p90", "projected", "measured", "off")
	for k := range h.Ways {
		verdict, speedup := "", "-"
		for i := range in.Passes {
			if in.Passes[i].Name == h.Ways[k].Name {
				verdict, speedup = string(p.Verdicts[i]), fmt.Sprintf("%.2f", float64(in.Passes[i].Speedup)/one)
			}
		}
		h.Ways[k].line(&s, verdict, speedup)
	}
	return s.String()
}

// line writes a row of the table.
func (w *Way) line(s *strings.Builder, verdict, speedup string) {
	name := w.Name
	if name == "" {
		name, verdict = "(none)", "baseline"
	}
	times := [3]string{"-", "-", "-"}
	if len(w.Times) > 0 {
		for k, percent := range [...]int{10, 50, 90} {
			times[k] = short(float64(w.quantile(percent)))
		}
	}
	projected, measured, off := "-", "-", "-"
	if n := float64(len(w.Projected)); n > 0 {
		var sum [2]float64
		for k := range w.Projected {
			sum[0] += float64(w.Projected[k])
			sum[1] += float64(w.Measured[k])
		}
		projected, measured, off = short(sum[0]/n), short(sum[1]/n), fmt.Sprintf("%+.1f %%", 100*w.deviation())
	}
	fmt.Fprintf(s, "  %-16s %-26s %8s %5d %10s %10s %10s %10s %10s %8s\n", name, verdict, speedup, len(w.Times), times[0], times[1], times[2], projected, measured, off)
}

// short is a time in microseconds, as text.
func short(ns float64) string { return fmt.Sprintf("%.2fus", ns/1e3) }
