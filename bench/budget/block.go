package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// block is a run of samples of one measure on one side: nanoseconds.
type block struct {
	n             int
	min, p50, p99 float64
	allocs        float64 // Go objects a sample
}

// blockOf summarises samples, which it sorts.
func blockOf(samples []float64) block {
	slices.Sort(samples)
	n := len(samples)
	return block{n: n, min: samples[0], p50: samples[n/2], p99: samples[min(n*99/100, n-1)]}
}

// together summarises the blocks of one side: the lowest, and medians of the blocks' percentiles.
func together(blocks []block) block {
	all := block{min: math.Inf(1)}
	var p50, p99 []float64
	for _, b := range blocks {
		all.n += b.n
		all.min = min(all.min, b.min)
		all.allocs = max(all.allocs, b.allocs)
		p50, p99 = append(p50, b.p50), append(p99, b.p99)
	}
	all.p50, all.p99 = median(p50), median(p99)
	return all
}

func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// bound is a limit on the ratio of two times.
type bound struct {
	most  float64 // our time by C's; 0 is no limit
	more  float64 // or this many nanoseconds more than C
	speed float64 // C's time by ours is at least this
}

// judge returns the ratio of ours to C's, its bound, and whether that is kept.
func (b bound) judge(ours, c float64) (ratio, limit float64, ok bool) {
	switch {
	case b.speed > 0:
		ratio = c / ours
		return ratio, b.speed, ratio >= b.speed
	case b.more > 0:
		ratio, limit = ours/c, (c+b.more)/c
		return ratio, limit, ratio <= limit
	}
	ratio = ours / c
	return ratio, b.most, ratio <= b.most
}

// printer writes lines, and counts what was judged.
type printer struct {
	write  func(string)
	suffix string // what the machine is

	measured, failed, skipped int
}

func (p *printer) linef(format string, args ...any) {
	p.write("vyrebench v=1 " + fmt.Sprintf(format, args...))
}

// side prints what one side took. Further words follow the times.
func (p *printer) side(name, side string, b block, words ...string) {
	p.measured++
	if side == "vyre" {
		words = append([]string{fmt.Sprintf("allocs=%.0f", b.allocs)}, words...)
	}
	words = append(words, p.suffix)
	p.linef("name=%s side=%s n=%d min_ns=%.0f p50_ns=%.0f p99_ns=%.0f %s", name, side, b.n, b.min, b.p50, b.p99, strings.Join(words, " "))
}

// ratio prints a verdict.
func (p *printer) ratio(name string, ratio, limit float64, ok bool) {
	verdict := "pass"
	if !ok {
		verdict = "fail"
		p.failed++
	}
	p.linef("name=%s ratio=%.3f bound=%.3g verdict=%s", name, ratio, limit, verdict)
}

func (p *printer) skip(name, format string, args ...any) {
	p.skipped++
	p.linef("name=%s verdict=skip reason=%q", name, fmt.Sprintf(format, args...))
}
