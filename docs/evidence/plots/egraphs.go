package main

import "strings"

// egraphs draws the time of a closure by rows and of a saturation by leaves, a line for the device and those of the host.
func egraphs(rows []row) *picture {
	const wide, left, top = 330, 60, 60
	p := &picture{width: 2*(left+wide) + 20, height: 300}
	p.text(10, 18, "start", "ms, least of the runs, with the read of the answer")
	sides := []struct {
		name, colour string
		is           func(r row) bool
	}{
		{"device", "#2166ac", func(r row) bool {
			return r["form"] == "device" && (r["quantity"] == "resident image to finished read-back" || r["quantity"] == "upload to the term")
		}},
		{"one core", "#d6604d", func(r row) bool { return r["form"] == "one core" }},
		{"all cores", "#737373", func(r row) bool { return strings.HasSuffix(r["form"], " cores") }},
	}
	for i, s := range sides {
		p.dot(p.width-250+float64(85*i), 14, s.colour)
		p.text(p.width-242+float64(85*i), 18, "start", s.name)
	}
	for i, work := range []string{"W1 mixed", "sum of "} {
		from := float64(left + i*(wide+left))
		across, up := scale{1e3, 1e7, from, from + wide - 10}, scale{0.05, 1e5, p.height - 35, top}
		title := "closure of W1, by rows"
		if i == 1 {
			across.low, across.high = 50, 1e6
			title = "saturated sum of 5 to 13 leaves, by rows"
		}
		p.text(from, top-12, "start", title)
		up.tens(func(v float64) {
			p.line(from, up.at(v), across.to, up.at(v), "#ddd", 0.5)
			p.text(from-6, up.at(v)+4, "end", short(v))
		})
		across.tens(func(v float64) {
			p.line(across.at(v), up.to, across.at(v), up.from, "#ddd", 0.5)
			p.text(across.at(v), up.from+16, "middle", short(v))
		})
		for _, s := range sides {
			lastX, lastY := 0.0, 0.0
			for _, r := range rows {
				if !strings.HasPrefix(r["workload"], work) || !s.is(r) {
					continue
				}
				x, y := across.at(r.number("rows")), up.at(r.number("least ns")/1e6)
				if lastX != 0 {
					p.line(lastX, lastY, x, y, s.colour, 1.5)
				}
				p.dot(x, y, s.colour)
				lastX, lastY = x, y
			}
		}
	}
	return p
}
