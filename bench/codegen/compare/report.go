package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/atomicfile"
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
	Means    []Mean   // of each group that was measured, then of all cases
}

// Row is one case at one size.
type Row struct {
	Case, Group, Entry, Size, N string
	Bound                       string // by what, where that is not arithmetic
	Launches                    int
	Bytes                       int64 // that must move
	Variants                    []Variant
	Best                        string  // the faster build of nvcc
	Ratio                       float64 // its time by ours, medians
	OfSplit                     float64 `json:",omitempty"` // time of our code over arrays split by hand by that over structs
	Rate                        float64 // ours, bytes a second
	Copy                        int64   // ns of a copy that moves as many bytes; 0 where not measured
	OfCopy                      float64 // Copy by our time
	BestOfCopy                  float64 // Copy by the time of the faster build of nvcc
	CheckCost                   float64 // time of our code by that of the same without checks, less 1; 0 if not measured
	Contracted                  string  `json:",omitempty"` // how nvcc's default build differs in its results
	Faults                      []string
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
	if err := g.placeCopies(); err != nil {
		return nil, err
	}
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
	if u := r.variant(split); u != nil {
		r.OfSplit = float64(u.P50) / float64(v.P50)
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
	return errors.Join(atomicfile.WriteBytes(context.Background(), filepath.Join(dir, "codegen.txt"), text.Bytes()),
		atomicfile.WriteBytes(context.Background(), filepath.Join(dir, "codegen.json"), append(data, '\n')))
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
