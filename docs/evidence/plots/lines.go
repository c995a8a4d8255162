package main

import "slices"

// lines draws the time of a level by the mean length of its list, a line for each topology.
func lines(rows []row) *picture {
	const left, top = 60, 40
	p := &picture{width: 820, height: 440}
	across, up := scale{1, 30000, left, p.width - 160}, scale{0.5, 200, p.height - 50, top}
	across.tens(func(v float64) {
		p.line(across.at(v), top, across.at(v), up.from, "#ddd", 0.5)
		p.text(across.at(v), up.from+16, "middle", short(v))
	})
	for _, v := range []float64{0.5, 1, 2, 5, 10, 20, 50, 100, 200} {
		p.line(left, up.at(v), across.to, up.at(v), "#ddd", 0.5)
		p.text(left-6, up.at(v)+4, "end", short(v))
	}
	p.text(left, 18, "start", "µs a level, and how many nodes a level has in the mean")
	named := up.to + 10
	for _, c := range colours {
		type point struct{ x, y float64 }
		best := map[float64]float64{} // of those that look more or less often
		for _, r := range rows {
			if x := r.number("reached") / r.number("rounds"); r["topology"] == c.way && x > 0 {
				y := r.number("wall_ms") * 1e3 / r.number("rounds")
				if best[x] == 0 || y < best[x] {
					best[x] = y
				}
			}
		}
		var points []point
		for x, y := range best {
			points = append(points, point{x, y})
		}
		if len(points) == 0 {
			continue
		}
		slices.SortFunc(points, func(a, b point) int {
			if a.x < b.x {
				return -1
			}
			return 1
		})
		for i, a := range points {
			if i > 0 {
				p.line(across.at(points[i-1].x), up.at(points[i-1].y), across.at(a.x), up.at(a.y), c.colour, 1.5)
			}
			p.dot(across.at(a.x), up.at(a.y), c.colour)
		}
		p.dot(across.to+20, named, c.colour)
		p.text(across.to+30, named+4, "start", c.way)
		named += 20
	}
	return p
}
