package main

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Files of questions about graphs have microseconds: the least and the median of the caller's time, and of the device's.

// ways are the names of what answers, in the order of the tables.
var ways = []struct{ by, name string }{
	{"cuda:0 labels", "labels"}, {"cuda:0 drained", "drained"}, {"cuda:0 cooperative", "cooperative"},
	{"cuda:0 cooperative both ways", "cooperative both ways"}, {"by hand", "by hand, C++"}, {"graph/cpu", "host, 16 cores"},
}

// manyLevels is how many levels a graph has at least of which a table has the time of a level.
const manyLevels = 100

// device is the least time on the device, in ms.
func device(row map[string]string) string { return short(number(row["device_min_us"]) / 1e3) }

// wall is the caller's least and median time, in ms.
func wall(row map[string]string) string {
	return short(number(row["min_us"])/1e3) + ", " + short(number(row["p50_us"])/1e3)
}

// least is the least time: on the device, or of the caller where that is the host.
func least(row map[string]string) float64 {
	if t := number(row["device_min_us"]); !math.IsNaN(t) {
		return t
	}
	return number(row["min_us"])
}

// level is the time of a level, in µs.
func level(row map[string]string) string {
	n := number(row["levels"])
	if !(n >= manyLevels) {
		return ""
	}
	return fmt.Sprintf("%.2f", least(row)/n)
}

// of returns the rows of graphs by way, each graph's name once. Rows with another number of blocks are left out.
func of(rows table, last func(map[string]string) []string) (list [][]string) {
	for _, graph := range rows.inOrder("graph") {
		name := commas(graph)
		for _, way := range ways {
			for _, row := range rows.where("graph", graph, "by", way.by) {
				if strings.Contains(row["note"], "blocks a multiprocessor") {
					continue
				}
				list = append(list, append([]string{name, way.name, device(row), wall(row)}, last(row)...))
				name = ""
			}
		}
	}
	return list
}

func perLevel(row map[string]string) []string { return []string{level(row)} }

func nothing(map[string]string) []string { return nil }

func sets(f *file) ([][]string, error) {
	all := named(f.rows)
	rows := [][]string{{"graph", "answered by", "device, ms", "wall, ms", "µs a level"}}
	for _, part := range []struct {
		graph, kinds string
		duties       []string
	}{
		{"road:1024x1024", "", []string{"T1a", "T1b"}}, {"road:4096x4096", "", []string{"T1a", "T1b"}},
		{"skew:1048576", ", kinds 0x10", []string{"T2 0x10"}}, {"skew:1048576", ", kinds 0x7", []string{"T2 0x7"}}, {"icfg:1024_64_16", "", []string{"P10"}},
	} {
		var some table
		for _, duty := range part.duties {
			some = append(some, all.where("graph", part.graph, "duty", duty)...)
		}
		if len(some) == 0 {
			continue // a run may be of some
		}
		list := of(some, perLevel)
		for _, row := range some.where("question", "make labels") {
			list = append([][]string{{list[0][0], "labels, made once", device(row), wall(row), ""}}, list...)
			list[1][0] = ""
		}
		list[0][0] += part.kinds
		rows = append(rows, list...)
	}
	return rows, nil
}

func levels(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "answered by", "device, ms", "wall, ms", "µs a level"}}
	return append(rows, of(named(f.rows).where("duty", "T1", "question", "levels"), perLevel)...), nil
}

func wide(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "answered by", "device, ms", "wall, ms", "arcs a ns"}}
	arcs := func(row map[string]string) []string {
		return []string{fmt.Sprintf("%.1f", number(row["arcs"])/least(row)/1e3)}
	}
	all := named(f.rows)
	return append(rows, of(all.where("duty", "wide", "question", "levels"), arcs)...), nil
}

func components(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "answered by", "device, ms", "wall, ms"}}
	return append(rows, of(named(f.rows).where("duty", "T5"), nothing)...), nil
}

// together has many questions in one launch, and one by one.
func together(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "64 queries", "device, ms", "wall, ms"}}
	all := named(f.rows).where("duty", "T4")
	for _, question := range []string{"64 together", "64 one by one"} {
		for _, row := range of(all.where("question", question), nothing) {
			row[1] = strings.TrimPrefix(question, "64 ") + ", " + row[1]
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var chosen = regexp.MustCompile(`engine=(\w+)`)

// engines has the medians of a set, and what was chosen.
func engines(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "host", "kernels", "by costs", "by a trial"}}
	all := named(f.rows).where("duty", "engines", "question", "set")
	for _, graph := range all.inOrder("graph") {
		cells := []string{commas(graph)}
		for _, by := range []string{"native", "waves", "costs", "trial"} {
			row := all.where("graph", graph, "by", by)
			if len(row) != 1 {
				return nil, fmt.Errorf("%s by %s was measured %d times, want once", graph, by, len(row))
			}
			cell := short(number(row[0]["p50_us"]))
			if by == "costs" || by == "trial" {
				name := map[string]string{"native": "host", "waves": "kernels"}[chosen.FindStringSubmatch(row[0]["note"])[1]]
				cell += ", " + name
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

var beyond = regexp.MustCompile(`least ([\d.]+) us and half ([\d.]+) us`)

// again has the caller's times beyond the device's of a question that is asked again.
func again(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "on the device, ms", "set, µs: least, half", "count, µs: least, half"}}
	all := named(f.rows).where("duty", "T7")
	for _, graph := range all.inOrder("graph") {
		cells := []string{commas(graph)}
		for _, question := range []string{"set again", "count again"} {
			row := all.where("graph", graph, "question", question)
			if len(row) != 1 {
				return nil, fmt.Errorf("%s of %s was measured %d times, want once", question, graph, len(row))
			}
			times := beyond.FindStringSubmatch(row[0]["note"])
			if times == nil {
				return nil, fmt.Errorf("%s of %s has no times beyond the device's", question, graph)
			}
			if len(cells) == 1 {
				cells = append(cells, device(row[0]))
			}
			cells = append(cells, short(number(times[1]))+", "+short(number(times[2])))
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// dominators has the least times, by how many procedures there are.
func dominators(f *file) ([][]string, error) {
	rows := [][]string{{"procedures and their nodes, about", "on the device", "wall", "one core", "16 cores"}}
	all := named(f.rows).where("duty", "dominators")
	for _, graph := range all.inOrder("graph") {
		ours, one, many := all.where("graph", graph, "by", "cuda:0"), all.where("graph", graph, "by", "graph/cpu on 1 cores"), all.where("graph", graph, "by", "graph/cpu on 16 cores")
		if len(ours) != 1 || len(one) != 1 || len(many) != 1 {
			return nil, fmt.Errorf("%s was not measured once on each", graph)
		}
		procedures, _, _ := strings.Cut(strings.TrimPrefix(graph, "icfg:"), "_")
		name := thousands(number(procedures)) + " of " + thousands(number(ours[0]["nodes"])/number(procedures))
		if ours[0]["device_min_us"] == "" {
			name += ", on one core of the host"
		}
		ms := func(row map[string]string) string { return short(number(row["min_us"]) / 1e3) }
		rows = append(rows, []string{name, device(ours[0]), ms(ours[0]), ms(one[0]), ms(many[0])})
	}
	return rows, nil
}

var pathEdges = regexp.MustCompile(`(\d+) path edges`)

// contexts has exact contexts on one core and on the device.
func contexts(f *file) ([][]string, error) {
	rows := [][]string{{"program", "nodes", "nodes that hold", "path edges", "one core, ms", "device, ms", "wall, ms", "host / wall"}}
	all := named(f.rows).where("duty", "ifds")
	for _, graph := range all.inOrder("graph") {
		host, ours := all.where("graph", graph, "by", "one core"), all.where("graph", graph, "by", "cuda:0")
		if len(host) != 1 || len(ours) != 1 {
			return nil, fmt.Errorf("%s was not measured once on each", graph)
		}
		edges := pathEdges.FindStringSubmatch(ours[0]["note"])
		if edges == nil {
			return nil, fmt.Errorf("%s has no number of path edges", graph)
		}
		rows = append(rows, []string{commas(graph), thousands(number(ours[0]["nodes"])), thousands(number(ours[0]["reached"])), thousands(number(edges[1])),
			wall(host[0]), device(ours[0]), wall(ours[0]), thousands(number(host[0]["min_us"]) / number(ours[0]["min_us"]))})
	}
	return rows, nil
}

// gap has the least times beside another suite's. A search with the index comes before one without it.
func gap(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "bfs, GAP", "ours", "GAP / ours", "cc, GAP", "ours", "GAP / ours"}}
	all := named(f.rows)
	for _, graph := range all.inOrder("graph") {
		cells := []string{commas(graph)}
		for _, question := range []string{"bfs", "cc"} {
			theirs, ours := all.where("graph", graph, "question", question, "by", "GAP"), all.where("graph", graph, "question", question, "by", "graph/cpu")
			if len(theirs) != len(ours) || len(ours) == 0 {
				return nil, fmt.Errorf("%s of %s was not measured on both sides", question, graph)
			}
			var three [3][]string
			for i := len(ours) - 1; i >= 0; i-- {
				a, b := number(theirs[i]["min_us"])/1e3, number(ours[i]["min_us"])/1e3
				for k, v := range []string{short(a), short(b), fmt.Sprintf("%.2f", a/b)} {
					three[k] = append(three[k], v)
				}
			}
			for _, list := range three {
				cells = append(cells, strings.Join(list, ", "))
			}
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// pairs has closures beside the program by hand, and what comes before: strong components, and the arcs between them.
func pairs(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "nodes", "pairs", "device, ms", "by hand", "wall, ms", "components", "host"}}
	all := named(f.rows)
	for _, graph := range all.inOrder("graph") {
		one := func(question, by string) (map[string]string, error) {
			some := all.where("graph", graph, "question", question, "by", by)
			if len(some) != 1 {
				return nil, fmt.Errorf("%s of %s by %s was measured %d times, want once", question, graph, by, len(some))
			}
			return some[0], nil
		}
		ours, err := one("pairs", "waves")
		if err != nil {
			return nil, err
		}
		hand, err := one("pairs", "by hand")
		if err != nil {
			return nil, err
		}
		components, err := one("components", "waves")
		if err != nil {
			return nil, err
		}
		host := ""
		if some := all.where("graph", graph, "question", "arcs between"); len(some) == 1 {
			host = wall(some[0])
		}
		rows = append(rows, []string{commas(graph), thousands(number(ours["nodes"])), thousands(number(ours["reached"])),
			device(ours), device(hand), wall(ours), device(components), host})
	}
	return rows, nil
}

// paths has shortest paths on the device and on one core of the host.
func paths(f *file) ([][]string, error) {
	rows := [][]string{{"graph, weights 1 to 63", "farthest", "device, ms", "wall, ms", "parents", "host"}}
	all := named(f.rows).where("duty", "paths")
	for _, graph := range all.inOrder("graph") {
		cells := []string{commas(graph)}
		for _, cell := range []struct {
			question, by string
			is           func(map[string]string) string
		}{{"distances", "waves", farthest}, {"distances", "waves", device}, {"distances", "waves", wall}, {"parents", "waves", wall}, {"distances", "native", wall}} {
			some := all.where("graph", graph, "question", cell.question, "by", cell.by)
			if len(some) != 1 {
				return nil, fmt.Errorf("%s of %s by %s were measured %d times, want once", cell.question, graph, cell.by, len(some))
			}
			cells = append(cells, cell.is(some[0]))
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// farthest is the greatest distance, from the note.
func farthest(row map[string]string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(row["note"], "farthest "), ";")
	return thousands(number(text))
}

// strong has both kinds of components, on the device and on the host.
func strong(f *file) ([][]string, error) {
	rows := [][]string{{"graph", "strong: device, ms", "wall, ms", "host", "weak: device, ms", "wall, ms", "host"}}
	all := named(f.rows).where("duty", "strong")
	for _, graph := range all.inOrder("graph") {
		cells := []string{commas(graph)}
		for _, question := range []string{"strong components", "weak components"} {
			ours, host := all.where("graph", graph, "question", question, "by", "waves"), all.where("graph", graph, "question", question, "by", "native")
			if len(ours) != 1 || len(host) != 1 {
				return nil, fmt.Errorf("%s of %s were measured %d and %d times, want once", question, graph, len(ours), len(host))
			}
			cells = append(cells, device(ours[0]), wall(ours[0]), wall(host[0]))
		}
		rows = append(rows, cells)
	}
	return rows, nil
}
