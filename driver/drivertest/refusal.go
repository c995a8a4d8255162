package drivertest

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// refusal is a sequence that breaks one rule.
type refusal struct {
	name   string
	record func(e *env, s *driver.Sequence)
	path   string
	kind   driver.Kind
	says   []string
}

var refusals = []refusal{
	{"fill width", func(e *env, s *driver.Sequence) { s.Fill(driver.All(e.words("b", 0)), 0, 3) }, "0", driver.InvalidArgument, []string{"width is 3"}},
	{"fill offset", func(e *env, s *driver.Sequence) { s.Fill(driver.Part(e.words("b", 0, 0), 2, 4), 0, 4) }, "0", driver.InvalidArgument,
		[]string{"offset 2 and length 4", "width 4"}},
	{"fill length", func(e *env, s *driver.Sequence) { s.Fill(driver.Part(e.words("b", 0), 0, 3), 0, 2) }, "0", driver.InvalidArgument, []string{"length 3"}},
	{"nil buffer", func(e *env, s *driver.Sequence) { s.Fill(driver.All(nil), 0, 1) }, "0", driver.InvalidArgument, []string{"buffer is nil"}},
	{"range past the end", func(e *env, s *driver.Sequence) { s.Fill(driver.Part(e.words("b", 0), 2, 3), 0, 1) }, "0", driver.InvalidArgument,
		[]string{`fill "b"`, "3 bytes from offset 2", "4 bytes"}},
	{"range that wraps", func(e *env, s *driver.Sequence) { s.Fill(driver.Part(e.words("b", 0), 1, 1<<63-1), 0, 1) }, "0", driver.InvalidArgument,
		[]string{"from offset 1"}},
	{"negative offset", func(e *env, s *driver.Sequence) { s.Fill(driver.Part(e.words("b", 0), -1, 2), 0, 1) }, "0", driver.InvalidArgument, []string{"offset -1"}},
	{"short upload", func(e *env, s *driver.Sequence) {
		s.Upload(driver.All(e.words("b", 0)), make([]byte, 3), driver.Always)
	}, "0", driver.InvalidArgument,
		[]string{"3 host bytes for a range of 4"}},
	{"upload mode", func(e *env, s *driver.Sequence) { s.Upload(driver.All(e.words("b", 0)), make([]byte, 4), 9) }, "0", driver.InvalidArgument, []string{"mode 9"}},
	{"short read", func(e *env, s *driver.Sequence) { s.Read(driver.All(e.words("b", 0)), make([]byte, 5)) }, "0", driver.InvalidArgument,
		[]string{"5 host bytes for a range of 4"}},
	{"unequal copy", func(e *env, s *driver.Sequence) {
		s.Copy(driver.All(e.words("a", 0, 0)), driver.All(e.words("b", 0)))
	}, "0", driver.InvalidArgument, []string{"4 bytes into a range of 8"}},
	{"overlapping copy", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0, 0, 0)
		s.Copy(driver.Part(b, 4, 8), driver.Part(b, 0, 8))
	}, "0", driver.InvalidArgument, []string{"b[4:12)", "b[0:8)", "overlap"}},
	{"read in a loop", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0)
		s.Fill(driver.All(b), 0, 4)
		s.Repeat(2, func() {
			s.Fill(driver.All(b), 0, 4)
			s.Read(driver.All(b), make([]byte, 4))
		})
	}, "1.body.1", driver.InvalidArgument, []string{"read in a loop"}},
	{"loops too deep", func(e *env, s *driver.Sequence) {
		s.Repeat(1, func() {
			s.Repeat(1, func() { s.Repeat(1, func() { s.Repeat(1, func() { s.Repeat(1, func() {}) }) }) })
		})
	}, "0.body.0.body.0.body.0.body.0", driver.InvalidArgument, []string{"deeper than 4"}},
	{"negative count", func(e *env, s *driver.Sequence) { s.Repeat(-1, func() {}) }, "0", driver.InvalidArgument, []string{"count is -1"}},
	{"body of a loop that never runs", func(e *env, s *driver.Sequence) {
		s.Repeat(0, func() { s.Fill(driver.All(e.words("b", 0)), 0, 3) })
	}, "0.body.0", driver.InvalidArgument, []string{"width is 3"}},
	{"loop without a body", func(e *env, s *driver.Sequence) { s.Repeat(2, nil) }, "0", driver.InvalidArgument, []string{"the body is nil"}},
	{"body that was left by a panic", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0)
		func() {
			defer func() { _ = recover() }()
			s.Repeat(2, func() {
				s.Fill(driver.All(b), 1, 4)
				panic("of the user")
			})
		}()
		s.Fill(driver.All(b), 2, 4) // behind the loop, not in it
	}, "0", driver.InvalidArgument, []string{"left before its end"}},
	{"flag of the wrong size", func(e *env, s *driver.Sequence) { s.While(driver.All(e.words("b", 0, 0)), 1, func() {}) }, "0", driver.InvalidArgument,
		[]string{"8 bytes at offset 0"}},
	{"flag that is not aligned", func(e *env, s *driver.Sequence) { s.While(driver.Part(e.words("b", 0, 0), 2, 4), 1, func() {}) }, "0", driver.InvalidArgument,
		[]string{"4 bytes at offset 2"}},
	{"scratch of another sequence", func(e *env, s *driver.Sequence) {
		o := e.dev.NewSequence("other")
		s.Fill(driver.All(o.Scratch(4)), 0, 1)
	}, "0", driver.InvalidArgument, []string{`belongs to sequence "other"`}},
	{"negative scratch", func(e *env, s *driver.Sequence) { s.Scratch(-4) }, "", driver.InvalidArgument, []string{"-4 bytes"}},
	{"closed buffer", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0)
		e.must(b.Close())
		s.Fill(driver.All(b), 0, 1)
	}, "0", driver.Closed, []string{`fill "b"`, "buffer was closed"}},
	{"foreign buffer", func(e *env, s *driver.Sequence) {
		other, err := e.openOther()
		e.must(err)
		b, err := other.Alloc(4, driver.AllocOptions{Label: "b"})
		e.must(err)
		s.Fill(driver.All(b), 0, 1)
	}, "0", driver.InvalidArgument, []string{`fill "b"`, "buffer is on", "the sequence on another device, which was opened as"}},
	{"buffer of a closed device", func(e *env, s *driver.Sequence) {
		other, err := e.open(driver.OpenOptions{})
		e.must(err)
		b, err := other.Alloc(4, driver.AllocOptions{Label: "b"})
		e.must(err)
		e.must(other.Close())
		s.Fill(driver.All(b), 0, 1)
	}, "0", driver.Closed, []string{"of the buffer was closed"}},
	{"nil kernel", func(e *env, s *driver.Sequence) { s.Launch(nil, driver.Groups(1)) }, "0", driver.InvalidArgument, []string{"kernel is nil"}},
	{"closed kernel", func(e *env, s *driver.Sequence) {
		k := e.compile(tell)
		e.must(k.Close())
		s.Launch(k, driver.Groups(1))
	}, "0", driver.Closed, []string{`launch "tell"`, "kernel was closed"}},
	{"foreign kernel", func(e *env, s *driver.Sequence) {
		other, err := e.openOther()
		e.must(err)
		k, err := other.Compile(ctx, e.program(tell), driver.Options{})
		e.must(err)
		s.Launch(k, driver.Groups(1))
	}, "0", driver.InvalidArgument, []string{"kernel is compiled for", "the sequence is on another device, which was opened as"}},
	{"too few arguments", func(e *env, s *driver.Sequence) { s.Launch(e.compile(add), driver.Groups(1), driver.U32(1)) }, "0", driver.InvalidArgument,
		[]string{"1 arguments for 2 parameters (x rw buffer of u32, n u32)"}},
	{"missing Rest", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(rest), driver.Groups(1), driver.All(e.words("b", 0)))
	}, "0",
		driver.InvalidArgument, []string{"1 arguments for 1 parameters", "and a Rest"}},
	{"scalar of another type", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(add), driver.Groups(1), driver.All(e.words("b", 0)), driver.I32(1))
	}, "0", driver.InvalidArgument, []string{"n is u32, the argument is i32"}},
	{"range for a scalar", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0)
		s.Launch(e.compile(add), driver.Groups(1), driver.All(b), driver.All(b))
	}, "0", driver.InvalidArgument, []string{"n is u32, the argument is a range of a buffer"}},
	{"scalar for a buffer", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(add), driver.Groups(1), driver.U32(1), driver.U32(1))
	}, "0",
		driver.InvalidArgument, []string{"x is rw buffer of u32, the argument is u32"}},
	{"host memory in a sequence", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(add), driver.Groups(1), driver.InOut(make([]byte, 4)), driver.U32(1))
	}, "0", driver.InvalidArgument, []string{"host memory, which only Dispatch takes"}},
	{"nil argument", func(e *env, s *driver.Sequence) { s.Launch(e.compile(add), driver.Groups(1), nil, driver.U32(1)) }, "0",
		driver.InvalidArgument, []string{"x is rw buffer of u32, the argument is nil"}},
	{"length that is not a multiple of an element", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(add), driver.Groups(1), driver.All(e.buffer("b", 10, 0)), driver.U32(1))
	}, "0", driver.InvalidArgument, []string{"x is 10 bytes", "4 bytes of u32"}},
	{"offset that is not aligned", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(add), driver.Groups(1), driver.Part(e.words("b", 0, 0), 2, 4), driver.U32(1))
	}, "0", driver.InvalidArgument, []string{"x starts at offset 2", "alignment 4"}},
	{"offset that is not aligned for vectors", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(wide), driver.Groups(1), driver.Part(e.buffer("b", 64, 0), 8, 32))
	}, "0", driver.InvalidArgument, []string{"offset 8", "alignment 16"}},
	{"more elements than the bound", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(bounded), driver.Groups(1), driver.All(e.buffer("b", 36, 0)))
	}, "0", driver.InvalidArgument, []string{"x has 9 elements, its bound is 8"}},
	{"written range that overlaps", func(e *env, s *driver.Sequence) {
		b := e.words("b", 0, 0, 0)
		s.Launch(e.compile(addTo), driver.Groups(1), driver.Part(b, 0, 8), driver.Part(b, 4, 8), driver.U32(1))
	}, "0", driver.InvalidArgument, []string{"y is written", `"b"`, "with x", "b[4:12)", "b[0:8)"}},
	{"too many groups on y", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(tell), driver.Grid{1, 65536, 1})
	}, "0", driver.InvalidArgument, []string{"grid-dim(need=[1 65536 1],have=[2147483647 65535 65535])", "put the long axis on x"}},
	{"too many groups on x", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(tell), driver.Grid{1 << 31, 1, 1})
	}, "0", driver.InvalidArgument, []string{"grid-dim(need=[2147483648 1 1],have=[2147483647 65535 65535])", "launch fewer groups"}},
	{"ids beyond 32 bits", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(tell), driver.Grid{1<<30 + 1, 1, 1})
	}, "0", driver.InvalidArgument, []string{"1073741825 groups of 4 on axis x", "beyond 32 bits"}},
	{"too much shared memory", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(rest), driver.Groups(1), driver.All(e.words("b", 0)), driver.Rest(1<<20))
	}, "0", driver.InvalidArgument, []string{fmt.Sprintf("shared(need=%d,have=", 16+4<<20), "smaller Rest"}},
	{"negative Rest", func(e *env, s *driver.Sequence) {
		s.Launch(e.compile(rest), driver.Groups(1), driver.All(e.words("b", 0)), driver.Rest(-1))
	}, "0", driver.InvalidArgument, []string{"-1 elements"}},
	{"more groups than can be resident", func(e *env, s *driver.Sequence) {
		k := e.compile(together)
		s.Launch(k, driver.Groups(uint32(k.Occupancy(0).Cooperative)+1), driver.All(e.words("sum", 0)))
	}, "0", driver.InvalidArgument, []string{"residency(need=", "launch at most"}},
}

// openOther opens a second device that is closed with the test.
func (e *env) openOther() (driver.Device, error) {
	d, err := e.open(driver.OpenOptions{})
	if err == nil {
		e.Cleanup(func() { e.must(d.Close()) })
	}
	return d, err
}

var refusalTests = []test{
	{"EveryRuleHasItsError", func(e *env) {
		for _, c := range refusals {
			e.sub(c.name, func(e *env) {
				s := e.dev.NewSequence("wrong")
				c.record(e, s)
				err := s.Prepare()
				e.fails(err, c.kind, append(c.says, e.dev.Name())...)
				var first *driver.Error
				if !errors.As(err, &first) || first.Path != c.path {
					e.Errorf("the error is at %q, want %q", first.Path, c.path)
				}
				_, err = s.Run(ctx)
				e.fails(err, c.kind)
				e.must(s.Close())
			})
		}
	}},
	{"PrepareReportsEverythingAtOnce", func(e *env) {
		k := e.compile(addTo)
		a, b := e.words("a", 0, 0), e.words("b", 0, 0)
		other, err := e.openOther()
		e.must(err)
		foreign, err := other.Alloc(8, driver.AllocOptions{Label: "foreign"})
		e.must(err)
		s := e.dev.NewSequence("wrong")
		s.Launch(k, driver.Groups(1), driver.All(a), driver.All(a), driver.U32(1))
		s.Fill(driver.Part(b, 2, 4), 0, 4)
		s.Repeat(2, func() { s.Read(driver.All(b), make([]byte, 8)) })
		s.Copy(driver.All(foreign), driver.All(b))
		s.Upload(driver.All(b), make([]byte, 7), driver.Always)
		err = s.Prepare()
		var all driver.Problems
		if !errors.As(err, &all) || len(all) != 5 {
			e.Fatalf("got %v, want five errors", err)
		}
		paths := map[string]bool{}
		for _, p := range all {
			paths[p.Path] = true
		}
		for _, p := range []string{"0", "1", "2.body.0", "3", "4"} {
			if !paths[p] {
				e.Errorf("no error at %s: %v", p, err)
			}
		}
	}},
	{"WrongSequencesTouchNothing", func(e *env) {
		b := e.words("b", 5)
		s := e.dev.NewSequence("wrong")
		s.Fill(driver.All(b), 0, 4)
		s.Fill(driver.All(b), 0, 3)
		_, err := s.Start(ctx)
		e.fails(err, driver.InvalidArgument)
		e.equal("b", e.read(b), le(5))
	}},
	{"ReadOnlyRangesMayOverlap", func(e *env) {
		k := e.compile(`
kernel @sum workgroup(1) {
  param @a: buf<u32> ro
  param @b: buf<u32> ro
  param @c: buf<u32> wo
  %x = load @a[0_u32]
  %y = load @b[0_u32]
  %z = add.u32 %x, %y
  store @c[0_u32], %z
}`)
		b := e.words("b", 4, 0)
		s := e.dev.NewSequence("overlap")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.Part(b, 0, 4), driver.All(e.words("c", 0)))
		e.run(s)
	}},
	{"ABodyIsRecordedBeforeItRuns", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("within")
		s.Repeat(2, func() {
			_, err := s.Run(ctx)
			e.fails(err, driver.InvalidArgument, "the body of a loop is being recorded")
			if _, err := s.Capture(driver.CaptureOptions{}); err == nil {
				e.Errorf("a graph of a part of a body") // the error depends on whether the device has graphs
			}
			s.Fill(driver.All(b), 1, 4)
		})
		e.run(s)
		e.equal("b", e.read(b), le(1))
	}},
	{"HostMemoryHasASizeThatCanBe", func(e *env) {
		for _, n := range []int64{-1, 1<<63 - 1, 1 << 50} {
			if m, err := e.dev.AllocHost(n); err == nil {
				e.Errorf("%d bytes of host memory: %v", n, m)
			}
		}
		m, err := e.dev.AllocHost(8)
		e.must(err)
		copy(m.Bytes(), le(1, 2))
		b := e.words("b", 0, 0)
		s := e.dev.NewSequence("after")
		s.Upload(driver.All(b), m.Bytes(), driver.Always)
		e.run(s)
		e.equal("b", e.read(b), le(1, 2))
		e.must(s.Close())
		e.must(m.Close())
	}},
	{"ProgramsThatHoldNothingAreRefused", func(e *env) {
		for _, p := range []*ir.Program{nil, {}} {
			_, err := e.dev.Compile(ctx, p, driver.Options{})
			e.fails(err, driver.InvalidArgument, "the program")
		}
	}},
	{"CommandsStandAfterPrepare", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("late")
		s.Fill(driver.All(b), 1, 4)
		e.must(s.Prepare())
		s.Fill(driver.All(b), 2, 4)
		_, err := s.Run(ctx)
		e.fails(err, driver.InvalidArgument, "its commands stand")
	}},
	{"WrongArgumentCanBeSetRight", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("repair")
		st := s.Launch(e.compile(add), driver.Groups(1), driver.All(b), driver.I32(1))
		e.fails(s.Prepare(), driver.InvalidArgument)
		e.must(st.SetArg(1, driver.U32(1)))
		e.run(s)
		e.equal("b", e.read(b), le(1))
	}},
}
