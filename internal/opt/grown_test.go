package opt_test

import (
	"runtime"
	"testing"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/shape"
)

// Every query of every pass has a budget, or remembers: where a program of one construct grows, the rows and operands that
// the passes look at grow with its rows, and so do the bytes that they take. A query without either shows in a construct
// that is stacked. Values that are equal in pairs are such a one: each chain of relations between them is a path, and there
// are exponentially many.
func TestPassesAreLinearInEveryConstruct(t *testing.T) {
	sizes := []int{500, 2000}
	if long.Enabled() {
		sizes = []int{1000, 4000, 16000, 64000}[:long.Count(3, 4, 4)]
	}
	for _, s := range shape.Grown {
		t.Run(s.Name, func(t *testing.T) {
			var last cost
			for _, n := range sizes {
				now := costOf(t, s, n)
				if last.rows > 0 {
					now.hold(t, last)
				}
				last = now
			}
		})
	}
}

// cost is the effort of the passes for a program.
type cost struct{ rows, visits, bytes float64 }

func costOf(t *testing.T, s shape.Shape, n int) cost {
	p := program(t, s, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q, rep, err := opt.Run(p, opt.Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	c := cost{rows: float64(p.Rows()), bytes: float64(after.TotalAlloc - before.TotalAlloc)}
	for _, pass := range rep.Passes {
		c.visits += float64(pass.Visits)
		c.rows = max(c.rows, float64(pass.Rows)) // rows that passes write are rows as well
	}
	c.rows = max(c.rows, float64(q.Rows()))
	return c
}

// Up to four times the rows, a row may cost log 4n / log n times as much, some 1.25. Windows of a constant size, such as
// the stores that a load is compared with, are filled by the first rows, so low costs may rise to these.
const (
	mostGrowth = 1.4
	lowVisits  = 120
	lowBytes   = 2000
)

// hold reports a cost for each row that grew more than that.
func (c cost) hold(t *testing.T, last cost) {
	t.Helper()
	visits, bytes := c.visits/c.rows, c.bytes/c.rows
	if visits > max(lowVisits, mostGrowth*last.visits/last.rows) || bytes > max(lowBytes, mostGrowth*last.bytes/last.rows) {
		t.Errorf("each of %.0f rows costs %.1f visits and %.0f bytes, each of %.0f cost %.1f and %.0f",
			c.rows, visits, bytes, last.rows, last.visits/last.rows, last.bytes/last.rows)
	}
}
