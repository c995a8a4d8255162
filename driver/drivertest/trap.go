package drivertest

import (
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var trapTests = []test{
	{"TrapFailsTheRunAndReadsAreDelivered", func(e *env) {
		k := e.compile(check)
		b := e.words("b", 0, 0, 0xBEEF, 0)
		dst := make([]byte, 16)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b))
		s.Read(driver.All(b), dst)
		st := e.counted(func() {
			_, err := s.Run(ctx)
			e.fails(err, driver.Trap, `launch "check"`, "at 0", "code 7", "value 0xbeef", "local [2 0 0]", "drivertest:")
			var trap *driver.TrapError
			if !errors.As(err, &trap) {
				e.Fatalf("%v holds no record", err)
			}
			want := driver.TrapError{Kernel: "check", Code: 7, Site: trap.Site, Value: 0xBEEF, Local: [3]uint32{2, 0, 0}}
			if *trap != want {
				e.Errorf("record is %+v, want %+v", *trap, want)
			}
		})
		e.same("traps", st.Get(metric.Traps), 1)
		e.equal("bytes", dst, le(7, 7, 7, 7))
	}},
	{"CommandsAfterATrapTakeEffect", func(e *env) {
		k := e.compile(check)
		b, c := e.words("b", 1), e.words("c", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b))
		s.Fill(driver.All(c), 3, 4)
		_, err := s.Run(ctx)
		e.fails(err, driver.Trap)
		e.equal("c", e.read(c), le(3))
	}},
	{"FirstTrapOfARunIsReported", func(e *env) {
		k := e.compile(check)
		a, b := e.words("a", 0), e.words("b", 5)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(a))
		s.Launch(k, driver.Groups(1), driver.All(b))
		s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(b)) })
		_, err := s.Run(ctx)
		e.fails(err, driver.Trap, "at 1", "value 0x5")
	}},
	{"OfSeveralLaunchesThatTrapTheOneRecordedFirstIsReported", func(e *env) {
		k := e.compile(check)
		a, b := e.words("a", 0), e.words("b", 5)
		s := e.dev.NewSequence("s")
		s.Repeat(2, func() { // b traps in the first round, a in the second
			s.Launch(k, driver.Groups(1), driver.All(a))
			s.Launch(k, driver.Groups(1), driver.All(b))
		})
		_, err := s.Run(ctx)
		e.fails(err, driver.Trap, "at 0.body.0", "value 0x7")
	}},
	{"DeviceIsUsableAfterATrap", func(e *env) {
		k := e.compile(check)
		b := e.words("b", 1)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b))
		_, err := s.Run(ctx)
		e.fails(err, driver.Trap)
		e.write(b, le(0))
		e.run(s)
		e.must(e.dev.Err())
	}},
	{"SetTraceBoundsTheRecordsOfALaunch", func(e *env) {
		k := e.compile(tell)
		s := e.dev.NewSequence("s")
		few := s.Launch(k, driver.Groups(5))
		s.Launch(k, driver.Groups(3))
		e.must(few.SetTrace(7))
		for _, n := range []int{0, -1, 1 << 30} {
			e.fails(few.SetTrace(n), driver.InvalidArgument, "trace records")
		}
		res := e.run(s)
		kept := [2]int{}
		for _, t := range res.Traces {
			kept[t.Step]++
		}
		if kept != [2]int{7, 12} || res.TracesDropped != 13 {
			e.Errorf("kept %v, dropped %d", kept, res.TracesDropped)
		}
		e.fails(few.SetTrace(8), driver.InvalidArgument, "was prepared", "before Prepare")
	}},
}
