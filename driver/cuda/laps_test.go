package cuda_test

import (
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// The simulated clock is exact, so that the times of commands are: a small fill takes a microsecond, a launch at
// least the 2.42 that it takes to begin one.
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
			many := s.Repeat(700, func() { // more laps than there are events
				s.Launch(k, driver.Groups(1), driver.All(x))
				s.Repeat(2, func() { s.Fill(driver.All(flag), 3, 4) })
			})
			s.Fill(driver.All(flag), 3, 4)
			s.While(driver.All(flag), 10, func() { s.Launch(down, driver.Groups(1), driver.All(flag), driver.All(x)) })
			launched := sim.Count("cuGraphLaunch")
			for _, n := range []uint64{700, 700, 700, 1} {
				if err := many.SetCount(int(n)); err != nil {
					t.Fatal(err)
				}
				res := run(t, s)
				want := []driver.CommandTime{{Path: "0", What: "fill", Times: 1}, {Path: "1", What: "repeat", Times: 1}, {Path: "1.body.0", What: "add_one", Times: n},
					{Path: "1.body.1", What: "repeat", Times: n}, {Path: "1.body.1.body.0", What: "fill", Times: 2 * n}, {Path: "2", What: "fill", Times: 1},
					{Path: "3", What: "while", Times: 1}, {Path: "3.body.0", What: "count_down", Times: 3}}
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
				rounds := time.Duration(n)
				if took[0] != time.Microsecond || took[5] != time.Microsecond || took[3] != 2*rounds*time.Microsecond || took[4] != took[3] {
					t.Errorf("with %d rounds fills take %v, %v, %v and %v", n, took[0], took[5], took[3], took[4])
				}
				if took[2] < rounds*2420 || took[2] > rounds*3000 || took[1] != took[2]+took[3] {
					t.Errorf("with %d rounds launches take %v, and the loop %v", n, took[2], took[1])
				}
				if took[7] < 3*2420 || took[6] < took[7] {
					t.Errorf("three launches take %v, and the loop %v", took[7], took[6])
				}
			}
			if n := sim.Count("cuGraphLaunch") - launched; n > 0 {
				t.Errorf("%d graphs were launched", n)
			}
			for _, c := range []interface{ Close() error }{s, x, flag, k, down} {
				closed(t, c)
			}
		})
	}
}

// Where the driver does not tell one time, there are none.
func TestTimesThatTheDriverDoesNotTellAreLeftOut(t *testing.T) {
	d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	x := alloc(t, d, 128)
	s := d.NewSequence("timed")
	s.TimeCommands()
	s.Fill(driver.All(x), 1, 4)
	// The first time is that of all commands.
	sim.Fail(cusim.Rule{Call: "cuEventElapsedTime", Nth: 2, Result: 1})
	if res := run(t, s); len(res.Commands) != 0 {
		t.Errorf("commands took %+v", res.Commands)
	}
	if res := run(t, s); len(res.Commands) != 1 {
		t.Errorf("then commands took %+v", res.Commands)
	}
	closed(t, s)
	closed(t, x)
}

func TestCommandsOfALoopThatTheDeviceHasToDecideOnAreNotTimed(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	flag := alloc(t, d, 4)
	s := d.NewSequence("timed")
	s.TimeCommands()
	s.Lower(driver.LoopGraph)
	s.While(driver.All(flag), 10, func() { s.Fill(driver.All(flag), 0, 4) })
	fails(t, s.Prepare(), driver.Unsupported, "decides on", "let the host decide")
	closed(t, s)
	closed(t, flag)
}
