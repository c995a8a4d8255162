package main

import (
	"math"
	"strings"
)

// asked are the questions of the first picture.
var asked = []struct{ graph, question, title string }{
	{"road:1024x1024", "set", "set, road of 2²⁰ nodes"}, {"road:4096x4096", "set", "set, road of 2²⁴ nodes"},
	{"road:1024x1024", "levels", "levels, road of 2²⁰ nodes"}, {"grid:1024x1024", "levels", "levels, grid of 2²⁰ nodes"}, {"road:4096x4096", "levels", "levels, road of 2²⁴ nodes"},
	{"kron:21", "levels", "levels, kron:21"}, {"kron:23", "levels", "levels, kron:23"}, {"uniform:22", "levels", "levels, uniform:22"},
}

// bars draws the least time of each way of each question, as the caller waits for it.
func bars(rows []row) *picture {
	const left, right, thick, gap = 190, 90, 13, 10
	p := &picture{width: 820}
	axis := scale{0.05, 1000, left, p.width - right}
	y := 30.0
	for _, q := range asked {
		top := y
		for _, c := range colours {
			v := least(rows, q.graph, q.question, c.way)
			if math.IsInf(v, 1) {
				continue
			}
			x := axis.at(max(v, axis.low))
			p.box(left, y, x-left, thick-2, c.colour)
			p.text(x+4, y+thick-3, "start", short(v)+" "+c.way)
			y += thick
		}
		if y > top {
			p.text(left-8, (top+y)/2+4, "end", q.title)
			y += gap
		}
	}
	p.height = y + 24
	axis.tens(func(v float64) {
		p.line(axis.at(v), 22, axis.at(v), y, "#ddd", 0.5)
		p.text(axis.at(v), y+14, "middle", short(v)+" ms")
	})
	p.text(left, 16, "start", "What the caller waits, least of the runs; reading the answer included")
	return p
}

// least is the least time of a way in ms; infinite if there is none. Times with numbers of blocks of their own do not count.
func least(rows []row, graph, question, way string) float64 {
	best := math.Inf(1)
	for _, r := range rows {
		by := r["by"]
		if device, rest, ok := strings.Cut(by, " "); ok && strings.Contains(device, ":") {
			by = rest
		}
		asked := r["question"] == question || question == "set" && way == "graph/cpu" && r["question"] == "levels"
		if r["graph"] == graph && asked && by == way && !strings.Contains(r["note"], "blocks a multiprocessor") {
			best = min(best, r.number("min_us")/1e3)
		}
	}
	return best
}
