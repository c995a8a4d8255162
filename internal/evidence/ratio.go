package evidence

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Protocol is a way of doing the work.
type Protocol uint8

const (
	Naive     Protocol = iota // uploads all for each repetition, and the host decides after each round
	Strong                    // keeps everything on the device, and the host decides after each round
	BestOther                 // the fastest of what else there is
	Resident                  // one launch that ends by itself
	numProtocols
)

func (p Protocol) String() string {
	return [...]string{"naive", "strong", "best other", "resident"}[p]
}

// time is the field with the time of a protocol.
func (p Protocol) time() field { return [...]field{fNaiveNS, fStrongNS, fBestOtherNS, fResidentNS}[p] }

// Proof is what a file says.
type Proof struct {
	Lines       int          `json:"lines"` // of the file, its header too
	Samples     int          `json:"samples"`
	Repetitions uint64       `json:"repetitions"`
	Ratios      [3]Ratio     `json:"ratios"` // over all samples: to naive, to strong, to best other
	Graphs      []Comparison `json:"graphs"` // in the order of the file
}

// Comparison is the samples of one graph in one run.
type Comparison struct {
	Run         string   `json:"run"`
	Graph       string   `json:"graph"`
	Samples     int      `json:"samples"`
	Repetitions uint64   `json:"repetitions"`
	Ratios      [3]Ratio `json:"ratios"` // to naive, to strong, to best other
}

// Ratio is how many times as long a protocol takes as the resident one, sample by sample.
type Ratio struct {
	To     string `json:"to"`
	Wall   Spread `json:"wall"`   // by the time of the whole region
	Device Spread `json:"device"` // by the time on the device
}

// Spread is the least, the middle and the greatest of several ratios.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// prove computes every ratio. The rows' times are not 0.
func prove(rows []Row) *Proof {
	p := &Proof{Lines: len(rows) + 1, Samples: len(rows), Ratios: ratios(rows)}
	p.Repetitions = repetitions(rows)
	order, groups := grouped(rows)
	for _, key := range order {
		g := groups[key]
		p.Graphs = append(p.Graphs, Comparison{key.run, key.graph, len(g), repetitions(g), ratios(g)})
	}
	return p
}

// runGraph is what samples are repeated for.
type runGraph struct{ run, graph string }

// grouped returns the samples of each graph of each run, and these in the order of the file.
func grouped(rows []Row) (order []runGraph, groups map[runGraph][]Row) {
	groups = map[runGraph][]Row{}
	for _, r := range rows {
		key := runGraph{r.words[fRun], r.words[fGraph]}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
	}
	return order, groups
}

func repetitions(rows []Row) (n uint64) {
	for _, r := range rows {
		n = satAdd(n, r.numbers[fRepetitions])
	}
	return n
}

func satAdd(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// ratio is how many times as long a protocol takes in a row as the time of another field says.
func (r *Row) ratio(to Protocol, by field) float64 {
	return float64(r.numbers[to.time()]) / float64(r.numbers[by])
}

func ratios(rows []Row) (all [3]Ratio) {
	for to := range Resident {
		all[to] = Ratio{to.String(), spread(rows, to, fResidentNS), spread(rows, to, fResidentDeviceNS)}
	}
	return all
}

func spread(rows []Row, to Protocol, by field) Spread {
	var v []float64
	for i := range rows {
		v = append(v, rows[i].ratio(to, by))
	}
	slices.Sort(v)
	n := len(v)
	return Spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// Write prints every ratio: there is no way to print one alone.
func (p *Proof) Write(w io.Writer) error {
	out := printer{w: w}
	out.printf("%d lines, %d samples, %d repetitions\n", p.Lines, p.Samples, p.Repetitions)
	for _, g := range p.Graphs {
		out.printf("run %s, graph %s: %d samples, %d repetitions\n", g.Run, g.Graph, g.Samples, g.Repetitions)
		out.ratios(g.Ratios)
	}
	if len(p.Graphs) > 1 {
		out.printf("all samples\n")
		out.ratios(p.Ratios)
	}
	return out.err
}

type printer struct {
	w   io.Writer
	err error // of the first write that went wrong
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) ratios(all [3]Ratio) {
	p.printf("  %-14s %10s %10s %10s  %10s %10s %10s\n", "resident to", "wall min", "median", "max", "device min", "median", "max")
	for _, r := range all {
		w, d := r.Wall, r.Device
		p.printf("  %-14s %10s %10s %10s  %10s %10s %10s\n", r.To, rounded(w.Min), rounded(w.Median), rounded(w.Max),
			rounded(d.Min), rounded(d.Median), rounded(d.Max))
	}
}

// rounded never shows more than there is: 19.9999 is not 20.
func rounded(v float64) string {
	return strconv.FormatFloat(math.Floor(v*1000)/1000, 'f', 3, 64)
}
