package main

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/bench/codegen"
)

// row makes a row of which every variant took the same time in all samples.
func row(name, entry, size string, byDef, noF, own time.Duration) Row {
	v := func(name string, d time.Duration) Variant {
		return Variant{Name: name, Stats: statsOf([]time.Duration{d, d, d})}
	}
	r := Row{Case: name, Group: codegen.Thirteen.String(), Entry: entry, Size: size, Variants: []Variant{v(byDefault, byDef), v(noFMad, noF), v(ours, own)}}
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

func TestStructsAreHeldAgainstArraysSplitByHand(t *testing.T) {
	r := row("a", "a", "in L2", 120, 100, 125)
	r.Variants = append(r.Variants, Variant{Name: split, Stats: Stats{P50: 100}})
	r.finish()
	if r.OfSplit != 0.8 || r.Ratio != 0.8 {
		t.Errorf("split by hand by structs is %v and nvcc by structs %v, want 0.8 both", r.OfSplit, r.Ratio)
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
	m := r.Means[0]
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"in L2", m.BySize["in L2"], math.Sqrt(0.8 * 1)},
		{"launch", m.BySize["launch"], 0.5},
		{"all", m.Geomean, math.Cbrt(0.8 * 1 * 0.5)},
		{"lowest", m.Lowest, 0.5},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestEachGroupHasAMean(t *testing.T) {
	seen, unseen := row("saxpy", "saxpy", "launch", 100, 100, 100), row("rays", "rays", "launch", 25, 25, 100)
	unseen.Group = codegen.Unseen.String()
	r := Report{Rows: []Row{seen, unseen}}
	r.finish()
	got := make(map[string]float64)
	for _, m := range r.Means {
		got[m.Of] = math.Round(m.Geomean*1e6) / 1e6
	}
	if want := map[string]float64{"thirteen": 1, "unseen": 0.25, "all": 0.5}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var text strings.Builder
	r.print(&text)
	for _, want := range []string{"\nunseen:\n\n| kernel", "geometric mean (unseen) 0.250, launch 0.250; lowest 0.250\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, text.String())
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
