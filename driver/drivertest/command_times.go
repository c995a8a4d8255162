package drivertest

import (
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
)

var commandTimesTests = []test{
	{"CommandsAreTimedWhereThatCanBe", func(e *env) {
		b := e.words("b", 0)
		k := e.compile(add)
		s := e.dev.NewSequence("timed")
		s.TimeCommands()
		s.Upload(driver.All(b), le(5), driver.Always)
		s.Repeat(3, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
		s.Repeat(0, func() { s.Fill(driver.All(b), 0, 4) })
		s.Read(driver.All(b), make([]byte, 4))
		if !e.dev.Caps().CommandTimes {
			e.fails(s.Prepare(), driver.Unsupported, "does not measure single commands")
			return
		}
		want := []driver.CommandTime{{Path: "0", What: "upload", Times: 1}, {Path: "1", What: "repeat", Times: 1}, {Path: "1.body.0", What: "add", Times: 3},
			{Path: "2", What: "repeat", Times: 1}, {Path: "2.body.0", What: "fill"}, {Path: "3", What: "read", Times: 1}}
		for range 2 {
			e.sameTimes(e.run(s), want)
		}
		if e.dev.Caps().Graphs {
			g, err := s.Capture(driver.CaptureOptions{})
			e.must(err)
			e.sameTimes(e.run(g), want)
		}
		e.equal("b", e.read(b), le(8))
		e.fails(func() error { s.TimeCommands(); return s.Prepare() }(), driver.InvalidArgument, "was prepared")
	}},
	{"CommandsAreNotTimedUnasked", func(e *env) {
		s := e.dev.NewSequence("untimed")
		s.Fill(driver.All(e.words("b", 0)), 1, 4)
		if res := e.run(s); len(res.Commands) != 0 {
			e.Errorf("commands took %+v", res.Commands)
		}
	}},
}

// sameTimes checks which commands a result has times of, and that these fit into each other.
func (e *env) sameTimes(res driver.Result, want []driver.CommandTime) {
	e.Helper()
	if len(res.Commands) != len(want) {
		e.Fatalf("commands took %+v, want %+v", res.Commands, want)
	}
	var sum time.Duration
	for i, c := range res.Commands {
		if loop := strings.LastIndex(c.Path, ".body."); loop < 0 {
			sum += c.Time
		} else if i > 0 && c.Time > res.Commands[i-1].Time {
			e.Errorf("%+v takes longer than the loop around it, %+v", c, res.Commands[i-1])
		}
		if c.Time = 0; c != want[i] {
			e.Errorf("command %d is %+v, want %+v", i, c, want[i])
		}
	}
	if sum > res.Wall {
		e.Errorf("commands took %v, all of the run %v", sum, res.Wall)
	}
}
