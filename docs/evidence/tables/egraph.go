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
