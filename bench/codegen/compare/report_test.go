package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// row makes a row of which every variant took the same time in all samples.
func row(name, entry, size string, byDef, noF, own time.Duration) Row {
	v := func(name string, d time.Duration) Variant {
		return Variant{Name: name, Stats: statsOf([]time.Duration{d, d, d})}
	}
	r := Row{Case: name, Entry: entry, Size: size, Variants: []Variant{v(byDefault, byDef), v(noFMad, noF), v(ours, own)}}
	r.finish()
	return r
}

func TestTheFasterBuildOfNvccCounts(t *testing.T) {
	r := row("a", "a", "in L2", 120, 100, 125)
	if r.Best != noFMad || r.Ratio != 0.8 {
		t.Errorf("against %s at %v, want against %s at 0.8", r.Best, r.Ratio, noFMad)
	}
}

func TestBothSidesAreHeldAgainstACopyOfAsManyBytes(t *testing.T) {
	r := row("a", "a", "in L2", 120, 100, 125)
	r.Copy = 90
	r.finish()
	if r.BestOfCopy != 0.9 || r.OfCopy != 0.72 {
		t.Errorf("nvcc at %v and vyre at %v of a copy, want 0.9 and 0.72", r.BestOfCopy, r.OfCopy)
	}
}

func TestCasesOfAnEntryCountByTheirMean(t *testing.T) {
	r := Report{Rows: []Row{
		row("sha", "hash", "in L2", 100, 100, 100),
		row("blake", "hash", "in L2", 60, 60, 100),
		row("saxpy", "saxpy", "in L2", 100, 100, 100),
		row("saxpy", "saxpy", "launch", 50, 50, 100),
	}}
	r.finish()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"in L2", r.BySize["in L2"], math.Sqrt(0.8 * 1)},
		{"launch", r.BySize["launch"], 0.5},
		{"all", r.Geomean, math.Cbrt(0.8 * 1 * 0.5)},
		{"lowest", r.Lowest, 0.5},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestAWrongResultFailsTheRun(t *testing.T) {
	r := Report{Rows: []Row{row("a", "a", "in L2", 1, 1, 1)}}
	if err := r.verdict(); err != nil {
		t.Fatal(err)
	}
	r.Rows[0].Faults = []string{"y differs"}
	if err := r.verdict(); err == nil || !strings.Contains(err.Error(), "1 results are wrong") {
		t.Errorf("got %v, want an error that counts one wrong result", err)
	}
}
