package main

import "fmt"

// panels draws elements a second by how many there are, ours and CUB's, a panel for each operation.
func panels(rows []row) *picture {
	const columns, wide, high, left, top = 4, 205, 120, 50, 50
	var names []string
	for _, r := range rows {
		if len(names) == 0 || names[len(names)-1] != r["operation"] {
			names = append(names, r["operation"])
		}
	}
	p := &picture{width: left + columns*wide + 10, height: float64(top + (len(names)+columns-1)/columns*high + 30)}
	p.text(10, 18, "start", "Elements a second, by how many there are")
	sides := []struct{ name, column, colour string }{{"prim", "median ns", "#2166ac"}, {"CUB, cuRAND", "CUB median ns", "#d6604d"}}
	for i, s := range sides {
		x := p.width - 200 + float64(70*i)
		p.dot(x, 14, s.colour)
		p.text(x+8, 18, "start", s.name)
	}
	for i, name := range names {
		x, y := float64(left+i%columns*wide), float64(top+i/columns*high)
		across, up := scale{1 << 10, 1 << 28, x + 8, x + wide - 30}, scale{1e7, 3e12, y + high - 35, y}
		up.tens(func(v float64) {
			p.line(across.from, up.at(v), across.to, up.at(v), "#ddd", 0.5)
			if i%columns == 0 {
				p.text(x, up.at(v)+4, "end", fmt.Sprintf("%.0e", v))
			}
		})
		for _, bits := range []int{10, 16, 20, 24, 28} {
			at := across.at(float64(int(1) << bits))
			p.line(at, up.to, at, up.from, "#eee", 0.5)
			if bits != 20 && bits != 24 {
				p.text(at, up.from+14, "middle", fmt.Sprintf("2^%d", bits))
			}
		}
		p.text(across.from, y-5, "start", name)
		for _, s := range sides {
			lastX, lastY := 0.0, 0.0
			for _, r := range rows {
				if r["operation"] != name {
					continue
				}
				n := r.number("elements")
				atX, atY := across.at(n), up.at(1e9*n/r.number(s.column))
				if lastX != 0 {
					p.line(lastX, lastY, atX, atY, s.colour, 1.5)
				}
				lastX, lastY = atX, atY
			}
		}
	}
	return p
}
