package cuda_test

import (
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// The simulated clock is exact, so that times of commands are the same in every run that enqueues them. From the third run on the loop
// is a graph, in which a launch takes less.
func TestCommandsTakeTheirTimeOnTheGPU(t *testing.T) {
	for _, c := range []struct {
		name  string
		lacks []cu.Group
	}{{"a new driver", nil}, {"an old driver", []cu.Group{cu.MemOp, cu.Graphing, cu.Cond}}} {
		t.Run(c.name, func(t *testing.T) {
			d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Lacks: c.lacks})
			x, flag, k, down := alloc(t, d, 128), alloc(t, d, 4), compiled(t, d, parse(t, addOne)), compiled(t, d, parse(t, countDown))
			s := d.NewSequence("timed")
			s.TimeCommands()
			s.Fill(driver.All(x), 1, 4)
			many := s.Repeat(70, func() {
				s.Launch(k, driver.Groups(1), driver.All(x))
				s.Repeat(2, func() { s.Fill(driver.All(flag), 3, 4) })
			})
			s.Fill(driver.All(flag), 3, 4)
			s.While(driver.All(flag), 10, func() { s.Launch(down, driver.Groups(1), driver.All(flag), driver.All(x)) })
			s.Copy(driver.Part(x, 0, 4), driver.Part(x, 4, 4))
			var first time.Duration
			for i, n := range []uint64{70, 70, 70, 70, 1} {
				if err := many.SetCount(int(n)); err != nil {
					t.Fatal(err)
				}
				res := run(t, s)
				want := []driver.CommandTime{{Path: "0", What: "fill", Times: 1}, {Path: "1", What: "repeat", Times: 1}, {Path: "1.body.0", What: "add_one", Times: n},
					{Path: "1.body.1", What: "repeat", Times: n}, {Path: "1.body.1.body.0", What: "fill", Times: 2 * n}, {Path: "2", What: "fill", Times: 1},
					{Path: "3", What: "while", Times: 1}, {Path: "3.body.0", What: "count_down", Times: 3}, {Path: "4", What: "copy", Times: 1}}
				if len(res.Commands) != len(want) {
					t.Fatalf("commands took %+v", res.Commands)
				}
				took := make([]time.Duration, len(want))
				for i, c := range res.Commands {
					took[i] = c.Time
					if c.Time = 0; c != want[i] {
						t.Errorf("command %d is %+v, want %+v", i, c, want[i])
					}
				}
				if i == 0 {
					first = took[1]
				} else if i == 1 && took[1] != first {
					t.Errorf("the loop takes %v, then %v", first, took[1])
				}
				fill, rounds := took[0], time.Duration(n)
				if i < 2 && (fill < time.Microsecond || fill > 4*time.Microsecond || took[4]/(2*rounds)-fill > 10) || fill <= 0 || took[3] < took[4] || took[1] < took[2]+took[3] {
					t.Errorf("with %d rounds the loop takes %v, its launches %v, its fills %v of %v, and a fill alone %v", n, took[1], took[2], took[4], took[3], fill)
				}
				if took[6] < took[7] || took[7] <= 0 {
					t.Errorf("three launches take %v, and the loop %v", took[7], took[6])
				}
				if outer := took[1] + took[5] + took[6] + took[8]; !res.HasDevice || outer > res.Device || res.Device > outer+20*time.Microsecond {
					t.Errorf("commands take %v, and the work of the run %v, %t", outer, res.Device, res.HasDevice)
				}
			}
			if n := sim.Count("cuGraphLaunch"); (n == 0) != (c.lacks != nil) {
				t.Errorf("%d graphs were launched", n)
			}
			for _, c := range []interface{ Close() error }{s, x, flag, k, down} {
				closed(t, c)
			}
		})
	}
}

// The commands of a loop that the device decides on are timed where they run, as sums.
func TestCommandsOfALoopThatTheDeviceDecidesOnAreTimed(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	x, flag, down := alloc(t, d, 128), alloc(t, d, 4), compiled(t, d, parse(t, countDown))
	s := d.NewSequence("timed")
	s.TimeCommands()
	s.Lower(driver.LoopGraph)
	s.Fill(driver.All(flag), 3, 4)
	s.While(driver.All(flag), 10, func() { s.Launch(down, driver.Groups(1), driver.All(flag), driver.All(x)) })
	for range 2 {
		p, err := s.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Commands; len(c) != 3 || c[2].Times != 3 || c[2].Time <= 0 || c[1].Time < c[2].Time || res.Device < c[1].Time {
			t.Errorf("commands took %+v, the work %v", c, res.Device)
		}
	}
	if sim.Count("cuGraphLaunch") != 2 {
		t.Errorf("%d graphs were launched", sim.Count("cuGraphLaunch"))
	}
	for _, c := range []interface{ Close() error }{s, x, flag, down} {
		closed(t, c)
	}
}
