package drivertest

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var statsTests = []test{
	{"MemoryIsAccountedToTheByte", func(e *env) {
		get := func(m driver.Metric) int64 { return int64(e.dev.Stats().Get(m)) }
		quiet := func() {
			e.Helper()
			if got, want := get(metric.DriverBytes), get(metric.ReservedBytes)+get(metric.IdleBytes)+get(metric.InternalBytes); got != want {
				e.Errorf("%d bytes are obtained, %d are accounted for", got, want)
			}
		}
		live := get(metric.LiveBytes)
		a, err := e.dev.Alloc(100_000, driver.AllocOptions{})
		e.must(err)
		b, err := e.dev.Alloc(0, driver.AllocOptions{})
		e.must(err)
		e.same("live", uint64(get(metric.LiveBytes)-live), 100_000)
		e.same("reserved for nothing", uint64(b.Reserved()), 0)
		if r := a.Reserved(); r < 100_000 || r > 112_500 {
			e.Errorf("%d bytes are reserved for 100000", r)
		}
		quiet()
		s := e.dev.NewSequence("s")
		s.Upload(driver.All(a), make([]byte, 100_000), driver.Always)
		s.Read(driver.Part(a, 0, 10), make([]byte, 10))
		e.must(s.Prepare())
		quiet()
		e.must(s.Close())
		quiet()
		e.must(a.Close())
		e.must(b.Close())
		e.same("live after Close", uint64(get(metric.LiveBytes)), uint64(live))
		quiet()
		if peak := get(metric.PeakBytes); peak < 100_000 {
			e.Errorf("peak is %d", peak)
		}
	}},
	{"UtilisationComparesItemsWithThreads", func(e *env) {
		k := e.compile(tell4)
		for _, c := range []struct {
			name   string
			groups uint32
			items  uint64
			want   driver.Load
		}{
			{"half used", 32, 64, driver.Load{Slots: 128, Used: 64, Utilisation: 5000, Waste: 5000, Density: 5000}},
			{"several items a thread", 8, 96, driver.Load{Slots: 32, Used: 32, Utilisation: 10000, Waste: 0, Density: 30000}},
			{"not said", 8, 0, driver.Load{Slots: 32, Used: 32, Utilisation: 10000, Waste: 0, Density: 10000}},
		} {
			e.sub(c.name, func(e *env) {
				s := e.dev.NewSequence("domain")
				e.must(s.Launch(k, driver.Groups(c.groups)).SetDomain(c.items))
				if got := e.counted(func() { e.run(s) }).Load(); got != c.want {
					e.Errorf("load is %+v, want %+v", got, c.want)
				}
				e.must(s.Close())
			})
		}
	}},
	{"ResetClearsCountersAndKeepsGauges", func(e *env) {
		b := e.words("b", 1)
		e.read(b)
		e.dev.ResetStats()
		st := e.dev.Stats()
		for _, m := range []driver.Metric{metric.Uploads, metric.UploadBytes, metric.Reads, metric.RunsPlain, metric.AllocRequests, metric.WallNS} {
			e.same(m.String(), st.Get(m), 0)
		}
		e.same("live bytes", st.Get(metric.LiveBytes), 4)
		e.same("buffers", st.Get(metric.Buffers), 1)
		e.read(b)
		e.same("reads", e.dev.Stats().Get(metric.Reads), 1)
	}},
	{"CountersOutliveTheirSequence", func(e *env) {
		b := e.words("b", 1)
		e.dev.ResetStats()
		for range 3 {
			s := e.dev.NewSequence("s")
			s.Read(driver.All(b), make([]byte, 4))
			e.run(s)
			other := e.dev.NewSequence("other")
			e.must(s.Close())
			other.Read(driver.All(b), make([]byte, 4))
			e.run(other)
			e.must(other.Close())
		}
		st := e.dev.Stats()
		e.same("runs", st.Get(metric.RunsPlain), 6)
		e.same("bytes", st.Get(metric.ReadBytes), 24)
		e.same("runs in flight", st.Get(metric.RunsInFlight), 0)
	}},
	{"ReplayCountsWhatARunCounts", func(e *env) {
		k, down := e.compile(add), e.compile(countDown)
		s := e.dev.NewSequence("counted")
		x, y, flag := s.Scratch(256), s.Scratch(256), s.Scratch(4)
		s.Fill(driver.All(x), 1, 4)
		s.Fill(driver.All(y), 2, 4)
		s.Fill(driver.All(flag), 3, 4)
		first := s.Launch(k, driver.Groups(2), driver.All(x), driver.U32(1))
		empty := s.Launch(k, driver.Groups(0), driver.All(x), driver.U32(1))
		var inner, counter *driver.Step
		var nested *driver.Loop
		outer := s.Repeat(2, func() {
			s.Copy(driver.All(y), driver.All(x))
			nested = s.Repeat(3, func() { inner = s.Launch(k, driver.Groups(1), driver.All(y), driver.U32(1)) })
		})
		while := s.While(driver.All(flag), 5, func() {
			counter = s.Launch(down, driver.Groups(1), driver.All(flag), driver.Part(y, 0, 4))
			s.Repeat(2, func() { s.Launch(k, driver.Groups(2), driver.All(x), driver.U32(2)) })
		})
		got := [2][]byte{make([]byte, 256), make([]byte, 256)}
		s.Read(driver.All(x), got[0])
		s.Read(driver.All(y), got[1])
		if !e.dev.Caps().LoopNodes {
			e.Skip("a graph of the device has no loops")
		}
		often, seldom := e.capture(s), e.capture(s)
		count := func(p driver.Prepared) (sums map[string]uint64, bytes [2]string) {
			sums = map[string]uint64{}
			for m, n := range e.counted(func() { e.run(p) }).All() {
				switch m.Name() {
				case "launches", "launches_skipped", "thread_slots", "domain_items", "loop_iterations", "fills", "fill_bytes", "d2d_copies", "d2d_bytes", "d2h_bytes":
					sums[m.Name()] += n
				}
			}
			return sums, [2]string{string(got[0]), string(got[1])}
		}
		for i, set := range []func() error{
			func() error { return nil },
			func() error { return first.SetArg(1, driver.U32(7)) },
			func() error { return first.SetDomain(5) },
			func() error { return errors.Join(empty.SetGrid(driver.Groups(1)), inner.SetGrid(driver.Groups(2))) },
			func() error {
				return errors.Join(empty.SetDomain(9), first.SetGrid(driver.EmptyGrid()), counter.SetDomain(11))
			},
			func() error { return outer.SetCount(3) },
			func() error { return errors.Join(inner.SetDomain(3), nested.SetCount(0)) },
			func() error { return errors.Join(nested.SetCount(1), inner.SetArg(0, driver.All(x))) },
			func() error {
				return errors.Join(while.SetCount(2), first.SetGrid(driver.Groups(1)), first.SetDomain(0))
			},
			func() error { return errors.Join(outer.SetCount(0), empty.SetGrid(driver.Groups(0))) },
			func() error { return errors.Join(outer.SetCount(2), empty.SetGrid(driver.Groups(2))) },
		} {
			e.must(set())
			want, bytes := count(s)
			graphs := []driver.Prepared{often}
			if i%3 == 2 {
				graphs = append(graphs, seldom)
			}
			for _, g := range graphs {
				sums, left := count(g)
				for name, n := range want {
					e.same(fmt.Sprintf("%s of a replay after change %d", name, i), sums[name], n)
				}
				if left != bytes {
					e.Errorf("after change %d a replay leaves %x, a run %x", i, left, bytes)
				}
			}
		}
	}},
	{"ErrorsAreCountedByKind", func(e *env) {
		st := e.counted(func() {
			_, err := e.dev.Alloc(-1, driver.AllocOptions{})
			e.fails(err, driver.InvalidArgument)
		})
		e.same("errors", st.Get(driver.Errors(driver.InvalidArgument)), 1)
	}},
}

// tell4 does nothing with four threads a group.
const tell4 = `
kernel @nothing workgroup(4) {
}`
