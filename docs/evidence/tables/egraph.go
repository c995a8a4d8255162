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

// rivals is the table of egg beside package egraph on one core: the least of the runs.
func rivals(f *file) ([][]string, error) {
	rows := named(f.rows)
	list := [][]string{{"one core", "egg: rows", "time", "bytes a row", "vyre", "rows", "time", "bytes a row", "egg by vyre"}}
	for _, of := range rows {
		if of["engine"] == "egg" || of["quantity"] == "rebuild" {
			continue
		}
		work := "sum of " + of["size"] + " leaves"
		if of["work"] == "closure" {
			work = "W1 of " + of["size"] + ": " + of["quantity"]
		}
		form := strings.TrimPrefix(strings.TrimPrefix(of["engine"], "vyre"), ", ")
		cells := []string{work, "", "", "", form, of["rows"], duration(of["least ns"]), of["bytes a row"], ""}
		for _, egg := range rows.where("work", of["work"], "size", of["size"], "quantity", of["quantity"], "engine", "egg") {
			cells[1], cells[2], cells[3] = egg["rows"], duration(egg["least ns"]), egg["bytes a row"]
			cells[8] = short(number(egg["least ns"])/number(of["least ns"])) + " ×"
		}
		list = append(list, cells)
	}
	return list, nil
}
