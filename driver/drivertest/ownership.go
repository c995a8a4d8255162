package drivertest

import (
	"bytes"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var ownershipTests = []test{
	{"LeavesRefuseToCloseWhileHeld", func(e *env) {
		k := e.compile(add)
		b := e.words("edges", 0)
		m, err := e.dev.AllocHost(4)
		e.must(err)
		var all []*driver.Sequence
		for _, label := range []string{"one", "two", "three", "four", "five"} {
			s := e.dev.NewSequence(label)
			s.Upload(driver.All(b), m.Bytes(), driver.Always)
			s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
			e.must(s.Prepare())
			all = append(all, s)
		}
		e.fails(b.Close(), driver.Busy, `close "edges"`, `buffer is held by "one", "two", "three" and 2 more`)
		e.fails(k.Close(), driver.Busy, `kernel is held by "one"`)
		e.fails(m.Close(), driver.Busy, `host memory is held by "one"`)
		for _, s := range all {
			e.must(s.Close())
		}
		for _, c := range []interface{ Close() error }{b, k, m} {
			e.must(c.Close())
			e.must(c.Close()) // again does nothing
		}
	}},
	{"RecordingAloneHoldsNothing", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("recorded")
		s.Fill(driver.All(b), 0, 4)
		e.must(b.Close())
		e.fails(s.Prepare(), driver.Closed, `fill "b"`)
	}},
	{"HostMemorySetIsHeld", func(e *env) {
		b := e.words("b", 0)
		m, err := e.dev.AllocHost(8)
		e.must(err)
		s := e.dev.NewSequence("host")
		in := s.Upload(driver.All(b), le(1), driver.Always)
		e.must(s.Prepare())
		e.must(in.Set(m.Bytes()[4:]))
		e.fails(m.Close(), driver.Busy, `"host"`)
		e.must(in.Set(le(2)))
		e.must(m.Close())
	}},
	{"ClosedObjectsSaySo", func(e *env) {
		k := e.compile(tell)
		b := e.words("b", 0)
		s := e.dev.NewSequence("s")
		s.Fill(driver.All(b), 1, 4)
		in := s.Upload(driver.All(b), le(1), driver.Always)
		g := e.capture(s)
		e.must(s.Close())
		e.must(s.Close())
		e.must(k.Close())
		e.must(b.Close())
		_, err := s.Run(ctx)
		e.fails(err, driver.Closed, `"s"`, "sequence was closed")
		_, err = s.Start(ctx)
		e.fails(err, driver.Closed)
		_, err = s.Wait(ctx)
		e.fails(err, driver.Closed)
		_, err = g.Run(ctx)
		e.fails(err, driver.Closed)
		_, err = g.RunBatch(ctx, nil)
		e.fails(err, driver.Closed)
		e.fails(in.Set(le(2)), driver.Closed)
		e.fails(s.Prepare(), driver.Closed)
		_, err = b.Address()
		e.fails(err, driver.Closed, `"b"`, "buffer was closed")
		_, err = driver.Dispatch(ctx, k, driver.Groups(1))
		e.fails(err, driver.Closed, `"tell"`, "kernel was closed")
		e.fails(driver.Write(ctx, driver.All(b), le(1)), driver.Closed)
	}},
	// A compilation that has seen an open device begins nothing on one that has closed since.
	{"DeviceClosesWhileACompilationStarts", func(e *env) {
		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		_, err = dev.Compile(asked{ctx, func() { e.must(dev.Close()) }}, e.program(add), driver.Options{})
		e.fails(err, driver.Closed, "device was closed")
		for _, m := range []driver.Metric{metric.CompilesFresh, metric.CompilesDisk, metric.CompilesMemory} {
			e.same(m.String(), dev.Stats().Get(m), 0)
		}
		e.nothingLeft(dev)
	}},
	{"DeviceClosesEverythingMadeOnIt", func(e *env) {
		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		on := &env{T: e.T, dev: dev, open: e.open}
		k := on.compile(add)
		b := on.words("b", 0)
		m, err := dev.AllocHost(16)
		e.must(err)
		s := dev.NewSequence("s")
		s.Upload(driver.All(s.Scratch(64)), make([]byte, 64), driver.Always)
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		s.Read(driver.All(b), make([]byte, 4))
		if dev.Caps().Graphs {
			on.capture(s)
		}
		p, err := s.Start(ctx)
		e.must(err)
		if n := dev.Stats().Get(metric.RunsInFlight); n != 1 {
			e.Errorf("%d runs in flight", n)
		}
		watching, closed, watched := make(chan bool), make(chan bool), make(chan bool)
		go func() { // Done may be asked at any time
			defer close(watched)
			for first := true; ; first = false {
				p.Done()
				if first {
					close(watching)
				}
				select {
				case <-closed:
					return
				default:
				}
			}
		}()
		<-watching
		e.must(dev.Close())
		close(closed)
		<-watched
		if !p.Done() {
			e.Error("the run is not done, but its device was closed")
		}
		e.must(dev.Close())
		on.nothingLeft(dev)

		_, err = s.Run(ctx)
		e.fails(err, driver.Closed, "device was closed")
		_, err = dev.Alloc(1, driver.AllocOptions{})
		e.fails(err, driver.Closed, "alloc", "device was closed")
		_, err = dev.AllocHost(1)
		e.fails(err, driver.Closed)
		_, err = dev.Compile(ctx, e.program(add), driver.Options{})
		e.fails(err, driver.Closed)
		_, err = dev.NewSequence("late").Run(ctx)
		e.fails(err, driver.Closed)
		e.fails(dev.Warm(ctx), driver.Closed)
		_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(le(1)), driver.U32(1))
		e.fails(err, driver.Closed)
		e.must(b.Close())
		e.must(k.Close())
		e.must(m.Close())
	}},
	{"ScratchGoesWithItsSequence", func(e *env) {
		live := e.dev.Stats().Get(metric.LiveBytes)
		s := e.dev.NewSequence("s")
		b := s.Scratch(100)
		s.Fill(driver.All(b), 0, 1)
		_, err := b.Address()
		e.fails(err, driver.InvalidArgument, "from Prepare on")
		e.same("live bytes before Prepare", e.dev.Stats().Get(metric.LiveBytes), live)
		e.must(s.Prepare())
		e.same("live bytes", e.dev.Stats().Get(metric.LiveBytes), live+100)
		_, err = b.Address()
		e.must(err)
		e.fails(b.Close(), driver.Busy, `"s"`)
		e.must(s.Close())
		e.same("live bytes after Close", e.dev.Stats().Get(metric.LiveBytes), live)
	}},
	{"EqualProgramsAreCompiledOnceAndHandlesAreSeparate", func(e *env) {
		p, q := e.program(add), e.program(add)
		var a, b, c driver.Kernel
		st := e.counted(func() {
			var errs [3]error
			a, errs[0] = e.dev.Compile(ctx, p, driver.Options{})
			b, errs[1] = e.dev.Compile(ctx, p, driver.Options{})
			c, errs[2] = e.dev.Compile(ctx, q, driver.Options{})
			e.must(errors.Join(errs[:]...))
		})
		e.same("programs compiled", st.Get(metric.CompilesFresh)+st.Get(metric.CompilesDisk)+st.Get(metric.CompilesImage), 1)
		e.same("programs found compiled", st.Get(metric.CompilesMemory), 2)
		e.same("kernels", e.dev.Stats().Get(metric.Kernels), 3)
		first, again := a.Artifact(), b.Artifact()
		first, again, cost := a.Artifact(), b.Artifact(), a.Resources().Registers
		if first.Origin == "memory" || first.Registers != cost || (first.Text != "") != (cost > 0) {
			e.Errorf("the artifact is %+v", first)
		}
		if again.Origin != "memory" || again.Text != first.Text || !bytes.Equal(again.Image, first.Image) || again.Registers != cost {
			e.Errorf("that of the second handle is %+v", again)
		}
		e.must(a.Close())
		e.must(b.Close())
		x := e.words("x", 1)
		s := e.dev.NewSequence("s")
		s.Launch(c, driver.Groups(1), driver.All(x), driver.U32(1))
		e.run(s)
		e.equal("x", e.read(x), le(2))
	}},
	{"CloseAndWaitMayMeet", func(e *env) {
		k := e.compile(spin)
		b := e.words("b", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		p, err := s.Start(ctx)
		e.must(err)
		waited := make(chan error, 1)
		go func() {
			_, err := p.Wait(ctx)
			waited <- err
		}()
		e.must(s.Close())
		// Whoever came first, the other has its answer: the run's, or that it is closed.
		if err := <-waited; err != nil {
			e.fails(err, driver.Closed)
		}
		e.equal("b", e.read(b), le(longSpin))
	}},
	{"SequenceClosesAfterItsRun", func(e *env) {
		k := e.compile(spin)
		b := e.words("b", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		_, err := s.Start(ctx)
		e.must(err)
		e.must(s.Close()) // waits for the run
		e.equal("b", e.read(b), le(longSpin))
	}},
}

// longSpin is a trip count that keeps a device busy well beyond what the host does next.
const longSpin = 200_000
