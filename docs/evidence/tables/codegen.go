package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The files of generated code have a table for each group of kernels, with a row for each kernel and size.

var threeSizes = []string{"launch", "in L2", "10×L2"}

// reference is the less of the two times of nvcc, as it is in the file without its unit, and bySide is that by ours.
func reference(row map[string]string) string {
	a, b := row["nvcc"], row["-fmad=false"]
	if number(b) < number(a) {
		a = b
	}
	return strings.TrimSuffix(a, " µs")
}

func bySide(row map[string]string) float64 { return number(reference(row)) / number(row["p50"]) }

// means has the geometric means of nvcc's time by ours, and the lowest ratio. Names of groups limit it to those.
func means(f *file) ([][]string, error) {
	rows := [][]string{{"geometric mean of nvcc's time by ours", "all sizes", "launch", "in L2", "10×L2", "lowest"}}
	var all table
	groups := []string{"thirteen", "unseen", "second lot", "third lot", "structs"}
	for _, group := range groups {
		if f.sections[group] == nil && !slices.Contains(f.args, strings.ReplaceAll(group, " ", "-")) {
			continue // a run may be of some groups
		}
		some, err := f.section(group)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		rows = append(rows, meansOf(group, some))
	}
	if len(f.args) == 0 {
		rows = append(rows, meansOf("all", all))
	}
	return slices.DeleteFunc(rows, func(row []string) bool {
		return len(f.args) > 0 && slices.Contains(groups, row[0]) && !slices.Contains(f.args, strings.ReplaceAll(row[0], " ", "-"))
	}), nil
}

func meansOf(group string, some table) []string {
	cells, every := []string{group}, []float64{}
	for _, size := range threeSizes {
		var ratios []float64
		for _, row := range some.where("size", size) {
			ratios = append(ratios, bySide(row))
		}
		every = append(every, ratios...)
		cells = append(cells, fmt.Sprintf("%.2f", geomean(ratios)))
	}
	lowest := math.Inf(1)
	for _, v := range every {
		lowest = min(lowest, v)
	}
	return append(slices.Insert(cells, 1, fmt.Sprintf("%.2f", geomean(every))), fmt.Sprintf("%.2f", lowest))
}

// sizes has the medians of the kernels of a group, in µs.
func sizes(f *file) ([][]string, error) {
	some, err := f.section(strings.Join(f.args, " "))
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"kernel", "launch: nvcc", "vyre", "ratio", "in L2: nvcc", "vyre", "ratio", "10×L2: nvcc", "vyre", "ratio", "registers"}}
	for _, kernel := range some.inOrder("kernel") {
		cells := []string{kernel}
		for _, size := range threeSizes {
			row := some.where("kernel", kernel, "size", size)
			if len(row) != 1 {
				return nil, fmt.Errorf("%s was measured %d times for the size %q, want once", kernel, len(row), size)
			}
			cells = append(cells, reference(row[0]), strings.TrimSuffix(row[0]["p50"], " µs"), row[0]["ratio"])
		}
		rows = append(rows, append(cells, some.where("kernel", kernel)[0]["registers"]))
	}
	return rows, nil
}

// structs has slices of structs beside arrays that are split by hand.
func structs(f *file) ([][]string, error) {
	some, err := f.section("structs, and arrays that are split by hand")
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"kernel", "size", "nvcc, µs", "vyre", "vyre, split by hand", "ratio: nvcc", "by hand"}}
	for _, row := range some {
		us := func(column string) string { return strings.TrimSuffix(row[column], " µs") }
		rows = append(rows, []string{row["kernel"], row["size"], us("structs, nvcc"), us("structs, vyre"), us("split by hand, vyre"), row["by nvcc"], row["by hand"]})
	}
	return rows, nil
}

// copies has kernels beside a copy of as many bytes.
func copies(f *file) ([][]string, error) {
	some, err := f.section("beside a copy within the device")
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"kernel", "bound by", "in L2: MB", "copy, µs", "nvcc, %", "vyre, %", "10×L2: MB", "copy, µs", "nvcc, %", "vyre, %"}}
	for _, kernel := range some.inOrder("kernel") {
		cells := []string{kernel, some.where("kernel", kernel)[0]["bound by"]}
		for _, size := range threeSizes[1:] {
			row := some.where("kernel", kernel, "size", size)
			if len(row) != 1 {
				return nil, fmt.Errorf("%s was measured %d times for the size %q, want once", kernel, len(row), size)
			}
			for _, column := range []string{"bytes", "copy of as many", "of copy", "of copy 2"} {
				value, _, _ := strings.Cut(row[0][column], " ")
				cells = append(cells, value)
			}
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// checks has what bounds checks cost, in %.
func checks(f *file) ([][]string, error) {
	some, err := f.section("cost of bounds checks")
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"kernel", "checked accesses", "launch", "in L2", "10×L2"}}
	for _, kernel := range some.inOrder("kernel") {
		cells := []string{kernel, some.where("kernel", kernel)[0]["checked accesses"]}
		for _, size := range threeSizes {
			row := some.where("kernel", kernel, "size", size)
			if len(row) != 1 {
				return nil, fmt.Errorf("%s was measured %d times for the size %q, want once", kernel, len(row), size)
			}
			cells = append(cells, strings.TrimSuffix(row[0]["cost"], " %"))
		}
		rows = append(rows, cells)
	}
	return rows, nil
}
