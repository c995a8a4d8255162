package driver_test

import (
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/driver"
)

// Random rows in a small memory share what they write if two of their slices say so.
func TestRowsShareWhatTwoOfTheirSlicesSay(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	m := make([]byte, 40)
	some := func() (list [][]byte) {
		for range r.IntN(3) {
			from := r.IntN(len(m))
			list = append(list, m[from:][:min(r.IntN(8), len(m)-from)])
		}
		return list
	}
	overlap := func(a, b [][]byte) bool {
		for _, a := range a {
			for _, b := range b {
				clear(m)
				for i := range a {
					a[i] = 1
				}
				for i := range b {
					if b[i] == 1 {
						return true
					}
				}
			}
		}
		return false
	}
	found := 0
	for n := range 20000 {
		rows := make([]driver.Row, 1+r.IntN(4))
		for i := range rows {
			rows[i] = driver.Row{Inputs: some(), Outputs: some()}
		}
		want := false
		for i, a := range rows {
			for _, b := range rows[:i] {
				want = want || overlap(a.Outputs, b.Outputs) || overlap(a.Outputs, b.Inputs) || overlap(a.Inputs, b.Outputs)
			}
		}
		if got := driver.RowsShare(rows); got != want {
			t.Fatalf("seed %d, rows %d: shared is %v, want %v", seed, n, got, want)
		}
		if want {
			found++
		}
	}
	if found < 5000 || found > 15000 {
		t.Errorf("%d of 20000 shared, which tests little", found)
	}
}
