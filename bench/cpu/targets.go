package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/native"
)

// allTargets measures machine code for every instruction set that the processor runs, on one core, in turns. The last
// column is how much faster the first one is than the last.
func allTargets(only string) error {
	names := native.HostTargets()
	var devices []*cpu.Device
	for _, name := range names {
		d, err := cpu.Open(cpu.Options{Engine: cpu.Engine(name), Run: cpu.RunOptions{Workers: 1}})
		if err != nil {
			return err
		}
		devices = append(devices, d)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "| µs, one core\t| %s\t| %s / %s\t|\n|---\t|%s\n", strings.Join(names, "\t| "), names[len(names)-1], names[0], strings.Repeat("---\t|", len(names)+1))
	sum, n := 0.0, 0.0
	for _, p := range problems() {
		if !strings.Contains(p.name, only) {
			continue
		}
		var sides []*side
		for _, d := range devices {
			s, err := prepare(d, p)
			if err != nil {
				return err
			}
			sides = append(sides, s)
		}
		if err := inTurns(p.name, sides); err != nil {
			return err
		}
		first, last := sides[0].least, sides[len(sides)-1].least
		ratio := float64(last) / float64(first)
		sum, n = sum+math.Log(ratio), n+1
		fmt.Fprintf(w, "| %s\t|", p.name)
		for _, s := range sides {
			fmt.Fprintf(w, " %.1f\t|", float64(s.least)/float64(time.Microsecond))
		}
		fmt.Fprintf(w, " %.2f\t|\n", ratio)
	}
	fmt.Fprintf(w, "| geometric mean\t|%s %.2f\t|\n", strings.Repeat(" \t|", len(names)), math.Exp(sum/n))
	return w.Flush()
}

// inTurns runs all sides forty times five, and compares what comes out.
func inTurns(name string, sides []*side) error {
	for range 40 {
		for _, s := range sides {
			for range 5 {
				if err := s.run(); err != nil {
					return err
				}
			}
		}
	}
	want, err := sides[0].digest()
	if err != nil {
		return err
	}
	for _, s := range sides[1:] {
		if got, err := s.digest(); err != nil || got != want {
			return fmt.Errorf("%s: targets differ (%v)", name, err)
		}
	}
	return nil
}
