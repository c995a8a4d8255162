package main

import (
	"fmt"
	"strings"
)

// closures is the table of closures of e-graphs: times in ms, the least of the runs.
func closures(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"graph", "rows", "rounds", "device, with the read", "on the device", "one core", "all cores", "the faster of both by device"}}
	for _, workload := range rows.inOrder("workload") {
		of := rows.where("workload", workload)
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
