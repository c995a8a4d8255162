package main

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// closures is the table of closures of e-graphs: times in ms, the least of the runs.
func closures(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"graph", "rows", "rounds", "device, with the read", "on the device", "one core", "all cores", "the faster of both by device"}}
	for _, workload := range rows.inOrder("workload") {
		of := rows.where("workload", workload)
		if len(of.where("quantity", "rebuild")) == 0 {
			continue // terms, or a sum
		}
		for _, n := range of.inOrder("rows") {
			least := func(by func(form string) bool, quantity string) float64 {
				for _, row := range of.where("rows", n, "quantity", quantity) {
					if by(row["form"]) {
						return number(row["least ns"]) / 1e6
					}
				}
				return number("")
			}
			device := func(form string) bool { return form == "device" }
			one := least(func(form string) bool { return form == "one core" }, "rebuild")
			all := least(func(form string) bool { return strings.HasSuffix(form, " cores") }, "rebuild")
			read := least(device, "resident image to finished read-back")
			rounds := of.where("rows", n, "form", "device", "quantity", "resident image to finished read-back")[0]["rounds"]
			list = append(list, []string{workload, n, rounds, short(read) + " ms", short(least(device, "device time of that")) + " ms",
				short(one) + " ms", short(all) + " ms", fmt.Sprintf("%s ×", short(min(one, all)/read))})
		}
	}
	return list, nil
}

// sums is the table of sums that are saturated: times in ms, the least of the runs.
func sums(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"leaves", "rows", "device, upload to the term", "one core", "by device"}}
	for _, work := range rows.where("quantity", "upload to the term") {
		host, ratio := "", ""
		for _, one := range rows.where("workload", work["workload"], "form", "one core") {
			host = short(number(one["least ns"])/1e6) + " ms"
			ratio = short(number(one["least ns"])/number(work["least ns"])) + " ×"
		}
		list = append(list, []string{strings.TrimPrefix(work["workload"], "sum of "), work["rows"],
			short(number(work["least ns"])/1e6) + " ms", host, ratio})
	}
	return list, nil
}

// passes is the table of passes over columns: nanoseconds a row, the least of the runs.
func passes(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"rows", "resident", "with transfers", "in Go, all cores", "opt.Run", "Go by resident"}}
	for _, n := range rows.inOrder("rows") {
		of := rows.where("rows", n)
		each := func(form string) float64 {
			least := math.NaN()
			for _, row := range of.where("form", form) {
				if row["cores"] != "1" {
					least = number(row["least ns"]) / number(n)
				}
			}
			return least
		}
		ns := func(v float64) string {
			if math.IsNaN(v) {
				return ""
			}
			return short(v) + " ns"
		}
		all := each("plain Go")
		list = append(list, []string{n, ns(each("resident")), ns(each("with transfers")),
			ns(all), ns(each("opt.Run")), short(all/each("resident")) + " ×"})
	}
	return list, nil
}

// exhaustive is the table of rules that are tried for all inputs, of those with the most bits of them.
func exhaustive(f *file) ([][]string, error) {
	most, ms := 0., []float64(nil)
	for _, row := range named(f.rows) {
		if bits := number(row["bits"]); bits > most {
			most, ms = bits, nil
		}
		if number(row["bits"]) == most {
			ms = append(ms, number(row["device ns"])/1e6)
		}
	}
	sort.Float64s(ms)
	return [][]string{{fmt.Sprintf("sweeps of %v bits", most), "least", "median", "most"},
		{fmt.Sprint(len(ms)), short(ms[0]) + " ms", short(ms[len(ms)/2]) + " ms", short(ms[len(ms)-1]) + " ms"}}, nil
}

// rivals is the table of egg beside package egraph on one core, for the largest graph of each kind: the least of the runs.
func rivals(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"one core", "egg", "vyre", "egg by vyre", "bytes a row: egg, vyre"}}
	for _, work := range rows.inOrder("work") {
		sizes := rows.where("work", work).inOrder("size")
		largest := rows.where("work", work, "size", sizes[len(sizes)-1])
		for _, egg := range largest.where("engine", "egg") {
			if egg["quantity"] == "rebuild" || egg["quantity"] == "rows added" {
				continue // parts of the others
			}
			for _, of := range largest.where("quantity", egg["quantity"]) {
				form := strings.TrimPrefix(of["engine"], "vyre")
				if of["engine"] == "egg" || form == ", inserted" {
					continue
				}
				name := "W1, " + egg["rows"] + " rows: " + egg["quantity"]
				if work == "sum" {
					name = "a sum of " + of["size"] + form
				}
				list = append(list, []string{name, duration(egg["least ns"]), duration(of["least ns"]),
					short(number(egg["least ns"])/number(of["least ns"])) + " ×", egg["bytes a row"] + ", " + of["bytes a row"]})
			}
		}
	}
	return list, nil
}
