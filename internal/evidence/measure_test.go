package evidence_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/evidence"
	"github.com/govyre/vyre/ir/text"
)

const (
	reps   = 32 // of a region
	rounds = 3
)

// bench does work of which nothing is wanted, by each protocol as it is described, and has a clock of its own.
type bench struct {
	t      *testing.T
	dev    driver.Device
	kernel driver.Kernel
	state  driver.Buffer

	clock time.Time
	takes time.Duration // what the next region takes
	fault func() error  // done by the resident region beside its work
}

func newBench(t *testing.T) *bench {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	ps, err := text.Parse("test", "vyre 1\n\nkernel @step workgroup(1) {\n  param @x: buf<u32> rw\n  %i = local.x\n  store @x[%i], 1_u32\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dev: dev, clock: time.Unix(0, 0)}
	if b.kernel, err = dev.Compile(context.Background(), ps[0], driver.Options{}); err != nil {
		t.Fatal(err)
	}
	b.state = b.alloc()
	return b
}

func (b *bench) alloc() driver.Buffer {
	buf, err := b.dev.Alloc(4, driver.AllocOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return buf
}

// sequence records commands.
func (b *bench) sequence(record func(*driver.Sequence)) *driver.Sequence {
	s := b.dev.NewSequence("test")
	b.t.Cleanup(func() { s.Close() })
	record(s)
	return s
}

func run(s *driver.Sequence) error {
	_, err := s.Run(context.Background())
	return err
}

func (b *bench) launch(s *driver.Sequence) {
	s.Launch(b.kernel, driver.Grid{1, 1, 1}, driver.All(b.state))
}

// naive allocates, uploads and downloads for each repetition.
func (b *bench) naive() error {
	word := make([]byte, 4)
	for range reps {
		bufs := []driver.Buffer{b.alloc(), b.alloc(), b.alloc()}
		for i := range rounds {
			round := b.sequence(func(s *driver.Sequence) {
				if i == 0 {
					s.Upload(driver.All(bufs[0]), word, driver.Always)
				}
				s.Upload(driver.All(bufs[1]), word, driver.Always)
				b.launch(s)
				s.Read(driver.All(bufs[1]), word)
			})
			if err := errors.Join(run(round), round.Close()); err != nil {
				return err
			}
		}
		result := b.sequence(func(s *driver.Sequence) { s.Read(driver.All(bufs[2]), word) })
		if err := errors.Join(run(result), result.Close()); err != nil {
			return err
		}
		for _, buf := range bufs {
			if err := buf.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// strong launches and reads a word for each round.
func (b *bench) strong() error {
	word := make([]byte, 4)
	round := b.sequence(func(s *driver.Sequence) {
		b.launch(s)
		s.Read(driver.All(b.state), word)
	})
	for range reps * rounds {
		if err := run(round); err != nil {
			return err
		}
	}
	return nil
}

// resident launches once for each repetition.
func (b *bench) resident() error {
	all := b.sequence(func(s *driver.Sequence) {
		for range reps {
			b.launch(s)
		}
	})
	if b.fault != nil {
		if err := b.fault(); err != nil {
			return err
		}
	}
	return run(all)
}

var right = [2]uint64{1, 2}

// region returns what is measured of a protocol, with the results that it should have.
func (b *bench) region(p evidence.Protocol) evidence.Region {
	do := map[evidence.Protocol]func() error{evidence.Naive: b.naive, evidence.Strong: b.strong, evidence.BestOther: b.resident, evidence.Resident: b.resident}[p]
	r := evidence.Region{Protocol: p, Repetitions: reps, Results: func() (uint64, [][2]uint64, error) {
		all := make([][2]uint64, reps)
		for i := range all {
			all[i] = right
		}
		return rounds, all, nil
	}}
	r.Do = func() error {
		err := do()
		b.clock = b.clock.Add(b.takes)
		return err
	}
	if p == evidence.BestOther {
		r.Name = "back to back, \"as is\""
	}
	return r
}

var order = []evidence.Protocol{evidence.Naive, evidence.Strong, evidence.BestOther, evidence.Resident,
	evidence.Resident, evidence.BestOther, evidence.Strong, evidence.Naive}

// hours is how long a region of each protocol takes.
var hours = map[evidence.Protocol]time.Duration{evidence.Naive: 20 * time.Hour, evidence.Strong: 5 * time.Hour, evidence.BestOther: 2 * time.Hour, evidence.Resident: time.Hour}

func (b *bench) sample(n int) *evidence.Sample {
	s := evidence.NewSample(b.dev, evidence.Subject{Run: "a", Sample: n, Graph: "grid:100x400", GraphDigest: [32]byte{1},
		Nodes: 40000, Edges: 159000, Seeds: 1, Digest: right})
	s.SetClock(func() time.Time { return b.clock })
	return s
}

// measure measures all regions of a sample.
func (b *bench) measure(s *evidence.Sample, change func(turn int, r *evidence.Region)) error {
	for turn, p := range order {
		b.takes = hours[p] + time.Duration(turn)*time.Minute
		r := b.region(p)
		if change != nil {
			change(turn, &r)
		}
		if err := s.Measure(r); err != nil {
			return err
		}
	}
	return nil
}

// row measures a sample whose row must be there.
func (b *bench) row(n int) evidence.Row {
	b.t.Helper()
	s := b.sample(n)
	if err := s.Setup(func() error { b.clock = b.clock.Add(time.Duration(n)); return nil }); err != nil {
		b.t.Fatal(err)
	}
	if err := b.measure(s, nil); err != nil {
		b.t.Fatal(err)
	}
	row, err := s.Row()
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

func TestCountersComeFromTheDevice(t *testing.T) {
	b := newBench(t)
	row := b.row(1)
	for field, want := range map[string]string{
		"schema": "1", "run": "a", "sample": "1", "sm": "0", "graph": "grid:100x400", "graph_digest": "01" + strings.Repeat("00", 31),
		"nodes": "40000", "edges": "159000", "seeds": "1", "rounds": "3", "repetitions": "64",
		"naive_ns": "144420000000000", "best_other": "back to back_ _as is_", "resident_ns": "7620000000000", "setup_ns": "1",
		"naive_allocs": "192", "naive_uploads": "256", "naive_waits": "256", "strong_waits": "192", "resident_launches": "64",
		"resident_uploads": "0", "resident_allocs": "0", "resident_waits": "0", "resident_fallbacks": "0",
		"digest": "00000000000000010000000000000002", "digest_mismatches": "0",
	} {
		if got := row.Field(field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if !strings.HasPrefix(row.Field("device"), "cpu") {
		t.Errorf("device is %s", row.Field("device"))
	}
}

// A rehearsal passes but for what the interpreter allocates.
func TestMeasuredRowsPass(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	if err := evidence.Write(&text, []evidence.Row{b.row(1), b.row(2)}); err != nil {
		t.Fatal(err)
	}
	_, err := evidence.Gate{AnyDevice: true}.Check(strings.NewReader(text.String()))
	for _, r := range reasons(t, err) {
		if r.Field != "resident_heap_allocs" {
			t.Error(r)
		}
	}
	_, err = evidence.Gate{}.Check(strings.NewReader(text.String()))
	expect(t, err, evidence.Error{Code: evidence.Scale, Line: 2, Field: "sm", Text: "sm is 0"})
}

func TestResidentRegionIsWatched(t *testing.T) {
	b := newBench(t)
	for field, fault := range map[string]func() error{
		"resident_waits":       func() error { return run(b.sequence(b.launch)) },
		"resident_uploads":     func() error { return driver.Write(context.Background(), driver.All(b.state), make([]byte, 4)) },
		"resident_allocs":      func() error { return b.alloc().Close() },
		"resident_heap_allocs": func() error { leak = append([]byte{1}, leak...); return nil },
		"resident_fallbacks": func() error {
			again := b.sequence(func(s *driver.Sequence) { s.Upload(driver.All(b.state), make([]byte, 4), driver.IfChanged) })
			return errors.Join(run(again), run(again))
		},
	} {
		t.Run(field, func(t *testing.T) {
			b.fault = fault
			defer func() { b.fault = nil }()
			if row := b.row(1); row.Field(field) == "0" {
				t.Errorf("%s is 0", field)
			}
		})
	}
	if row := b.row(2); row.Field("resident_waits") != "0" {
		t.Errorf("without a fault, afterwards: %s waits", row.Field("resident_waits"))
	}
}

var leak []byte

func TestMeasureRefuses(t *testing.T) {
	b := newBench(t)
	s := b.sample(1)
	says := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	says("out of turn", s.Measure(b.region(evidence.Resident)), "evidence: sample 1 of run a, graph grid:100x400: region 1 is resident, want naive: protocols alternate")
	_, err := s.Row()
	says("too early", err, "0 of 8 regions were measured")
	none := b.region(evidence.Naive)
	none.Repetitions = 0
	says("nothing to do", s.Measure(none), "naive with 0 repetitions")
	broken := b.region(evidence.Naive)
	broken.Do = func() error { return errors.New("the work went wrong") }
	says("broken", s.Measure(broken), "the work went wrong")
	short := b.region(evidence.Naive)
	short.Results = func() (uint64, [][2]uint64, error) { return rounds, make([][2]uint64, 3), nil }
	says("results missing", s.Measure(short), "naive has 3 digests of 32 repetitions")
	open := b.sequence(b.launch)
	var flying *driver.Pending
	started := b.region(evidence.Naive)
	started.Do = func() error {
		p, err := open.Start(context.Background())
		flying = &p
		return err
	}
	says("not over", s.Measure(started), "naive ended with 1 runs in flight")
	if _, err := (*flying).Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	// The same sample is measured after all that.
	if err := b.measure(s, nil); err != nil {
		t.Fatal(err)
	}
	if row, err := s.Row(); err != nil || row.Field("naive_waits") != "256" {
		t.Errorf("%s waits, %v", row.Field("naive_waits"), err)
	}
	says("too late", s.Measure(b.region(evidence.Naive)), "it is complete")
}

func TestRunsWithoutDeviceTimeAreRefused(t *testing.T) {
	b := newBench(t)
	err := b.measure(b.sample(1), func(turn int, r *evidence.Region) {
		if r.Protocol == evidence.Resident {
			r.Do = func() error { return run(b.sequence(func(s *driver.Sequence) { b.launch(s); s.NoDeviceTime() })) }
		}
	})
	if err == nil || !strings.Contains(err.Error(), "0 of 1 runs of the resident region have a time on the device") {
		t.Errorf("got %v", err)
	}
}

func TestVoidSamples(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name   string
		change func(turn int, r *evidence.Region)
		want   string
	}{
		{"halves differ", func(turn int, r *evidence.Region) {
			if turn == 4 {
				b.takes = hours[evidence.Resident] + 10*time.Minute
			}
		}, "void: the halves of resident took 1h3m0s and 1h10m0s, more than 10 % apart"},
		{"rounds differ", func(turn int, r *evidence.Region) {
			if turn == 6 {
				r.Results = func() (uint64, [][2]uint64, error) { return rounds + 1, make([][2]uint64, reps), nil }
			}
		}, "rounds of naive are 3 and 3, of strong 3 and 4"},
		{"repetitions differ", func(turn int, r *evidence.Region) {
			if turn == 5 {
				r.Repetitions--
				r.Results = func() (uint64, [][2]uint64, error) { return rounds, make([][2]uint64, reps-1), nil }
			}
		}, "best other has 32 and 31 repetitions, naive 32"},
		{"names differ", func(turn int, r *evidence.Region) {
			if turn == 5 {
				r.Name = "while node"
			}
		}, `and "while node"`},
		{"no name", func(turn int, r *evidence.Region) { r.Name = "" }, `best_other is "", want a name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := b.sample(1)
			if err := b.measure(s, c.change); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Row(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestWrongResultsAreCounted(t *testing.T) {
	b := newBench(t)
	s := b.sample(1)
	err := b.measure(s, func(turn int, r *evidence.Region) {
		results := r.Results
		r.Results = func() (uint64, [][2]uint64, error) {
			n, all, err := results()
			all[turn][1]++
			return n, all, err
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Row()
	if err != nil || row.Field("digest_mismatches") != "8" {
		t.Errorf("%s mismatches, %v, want one in each of 8 regions", row.Field("digest_mismatches"), err)
	}
}

// A wait that closes a region of naive or strong is not counted, and no other is left out for it.
func TestClosingWaitIsNotCounted(t *testing.T) {
	b := newBench(t)
	s := b.sample(1)
	err := b.measure(s, func(turn int, r *evidence.Region) {
		if r.Protocol == evidence.Strong {
			do := r.Do
			r.Closes = true
			r.Do = func() error { return errors.Join(do(), run(b.sequence(b.launch))) }
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := s.Row(); err != nil || row.Field("strong_waits") != "192" || row.Field("naive_waits") != "256" {
		t.Errorf("%s waits of strong, %s of naive, %v, want 192 and 256", row.Field("strong_waits"), row.Field("naive_waits"), err)
	}
}

// A rehearsal may have halves that differ, and never passes.
func TestRehearsal(t *testing.T) {
	b := newBench(t)
	subject := evidence.Subject{Run: "a", Sample: 1, Graph: "g", Nodes: 1 << 20, Edges: 1 << 20, Digest: right, Rehearsal: true}
	s := evidence.NewSample(b.dev, subject)
	s.SetClock(func() time.Time { return b.clock })
	turn := 0
	for p, more := s.Next(); more; p, more = s.Next() {
		if p != order[turn] {
			t.Errorf("turn %d is %v, want %v", turn, p, order[turn])
		}
		b.takes = time.Duration(turn+1) * time.Hour
		if err := s.Measure(b.region(p)); err != nil {
			t.Fatal(err)
		}
		turn++
	}
	row, err := s.Row()
	if err != nil || turn != len(order) || !strings.HasPrefix(row.Field("device"), "rehearsal on cpu") {
		t.Fatalf("after %d turns: %v, device %q", turn, err, row.Field("device"))
	}
	var text strings.Builder
	if err := evidence.Write(&text, []evidence.Row{row}); err != nil {
		t.Fatal(err)
	}
	_, err = evidence.Gate{AnyDevice: true}.Check(strings.NewReader(text.String()))
	expect(t, err, evidence.Error{Code: evidence.Scale, Line: 2, Field: "device", Text: "a rehearsal is no evidence"})
}

// What could not pass is known before.
func TestWorth(t *testing.T) {
	b := newBench(t)
	large := evidence.Subject{Graph: "g", Nodes: 10_000, Edges: 80_000}
	if err := (evidence.Gate{AnyDevice: true}).Worth(b.dev, large, 64, 2); err != nil {
		t.Error(err)
	}
	small, rehearsal := large, large
	small.Nodes, small.Edges = 9_999, 79_999
	rehearsal.Rehearsal = true
	for field, err := range map[string]error{
		"sm":          evidence.Gate{}.Worth(b.dev, large, 64, 2),
		"nodes":       evidence.Gate{AnyDevice: true}.Worth(b.dev, small, 64, 2),
		"edges":       evidence.Gate{AnyDevice: true}.Worth(b.dev, small, 64, 2),
		"repetitions": evidence.Gate{AnyDevice: true}.Worth(b.dev, large, 63, 2),
		"sample":      evidence.Gate{AnyDevice: true}.Worth(b.dev, large, 64, 1),
		"device":      evidence.Gate{AnyDevice: true}.Worth(b.dev, rehearsal, 64, 2),
	} {
		found := false
		for _, r := range reasons(t, err) {
			found = found || r.Field == field
		}
		if !found {
			t.Errorf("%s is not among %v", field, err)
		}
	}
}
