// Command columns measures the passes over columns on a device beside the same passes in Go.
//
//	columns -device cuda -o columns.csv
//
// Programs are random ones, up to a million rows of them, which larger arenas have again and again. All forms optimise
// the same arena and have to give the same bytes before a time is told. "resident" is the device's time from the
// uploaded columns to the compact ones, "with transfers" all from the host's arena to the host's, "with sealing" what
// makes sealed programs of that too. "opt.Run" are the host's passes fold, gvn and dce on its own programs, lowerings
// and sealing included. "checks" verifies the programs on the device; "verify.Seal" verifies a copy, and seals it.
// "passes and checks" are both side by side, "heads" what reads the counts alone, and "launched" has a launch for each
// layer of work in place of one for all. A line tells rows, programs, form, cores, the least and the median nanoseconds,
// the number of runs, how often any 32 rows were numbered at most, rows that stay, the digest, and launches of a run.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/columns"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
	"github.com/govyre/vyre/megakernel"
)

func main() {
	device := flag.String("device", "cuda", "device to measure on")
	most := flag.Int("most", 10_000_000, "rows of the largest arena")
	runs := flag.Int("runs", 9, "runs on the device; a third as many on the host")
	csv := flag.String("o", "", "write the lines to this file, too")
	flag.Parse()
	if err := run(context.Background(), *device, *most, *runs, *csv); err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, device string, most, runs int, csv string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	if csv == "" {
		return lines(ctx, os.Stdout, dev, most, runs)
	}
	return atomicfile.Write(ctx, csv, func(w io.Writer) error { return lines(ctx, io.MultiWriter(os.Stdout, w), dev, most, runs) })
}

// bench is a device, and where the lines go.
type bench struct {
	ctx      context.Context
	out      io.Writer
	dev      vyre.Device
	on       *columns.Passes
	launched *columns.Passes // a layer at a time
	cores    int
	runs     int
	programs []*ir.Program // that are distinct
	ways     [3]crossover  // resident, with transfers, with sealing
}

// crossover is from how many rows on the device wins; 0: nowhere yet.
type crossover struct {
	name string
	from int
}

// times are those of some runs.
type times []time.Duration

func (t times) median() time.Duration { return slices.Sorted(slices.Values(t))[len(t)/2] }

// lines measures everything, and writes a line about each quantity.
func lines(ctx context.Context, out io.Writer, dev vyre.Device, most, runs int) error {
	on, err := columns.Open(ctx, dev, columns.Options{})
	if err != nil {
		return err
	}
	defer on.Close()
	launched, err := columns.Open(ctx, dev, columns.Options{Topology: megakernel.BackToBack})
	if err != nil {
		return err
	}
	defer launched.Close()
	b := &bench{ctx: ctx, out: out, dev: dev, on: on, launched: launched, cores: runtime.GOMAXPROCS(0), runs: max(1, runs)}
	b.ways = [3]crossover{{name: "resident"}, {name: "with transfers"}, {name: "with sealing, beside opt.Run"}}
	for rows, seed := 0, uint64(1); rows < min(most, 1_000_000); seed++ {
		p := conform.Random(seed).Program
		if !columns.Checkable(p.Edit()) {
			continue
		}
		b.programs = append(b.programs, p)
		rows += p.Rows()
	}
	fmt.Fprintf(out, "# %s, driver %v, %d cores\n", dev.Caps().Model, dev.Caps().DriverVersion, b.cores)
	fmt.Fprintln(out, "rows,programs,form,cores,least ns,median ns,runs,rounds,live rows,digest,launches")
	for n := min(most, 10_000); n <= most; n *= 10 {
		if err := b.size(n); err != nil {
			return fmt.Errorf("%d rows: %w", n, err)
		}
		runtime.GC()
	}
	for _, w := range b.ways {
		if w.from == 0 {
			fmt.Fprintf(out, "# crossover %s: none up to %d rows\n", w.name, most)
		} else {
			fmt.Fprintf(out, "# crossover %s: at %d rows\n", w.name, w.from)
		}
	}
	return nil
}

// digest is one of all columns.
func digest(r *columns.Output) uint64 {
	h := fnv.New64a()
	for _, c := range [][]uint32{r.Heads, r.Tag, r.From, r.More} {
		h.Write(vyre.Bytes(c))
	}
	for _, x := range r.Rows {
		var b [16]byte
		for k, v := range x {
			binary.LittleEndian.PutUint32(b[4*k:], v)
		}
		h.Write(b[:])
	}
	return h.Sum64()
}

func live(r *columns.Output) (n uint32) {
	for i := 1; i < len(r.Heads); i += columns.HeadWords {
		n += r.Heads[i]
	}
	return n
}

// sized is an arena that is measured.
type sized struct {
	*bench
	a              *columns.Arena
	programs       []*ir.Program
	want           uint64 // digest
	r              columns.Output
	adding         times
	host           [2]times // on one core, on all
	resident, wall times
	launches       uint64 // of a run of what the next lines are about
}

// size measures an arena of at least n rows.
func (b *bench) size(n int) error {
	s := &sized{bench: b, a: new(columns.Arena)}
	began := time.Now()
	for i := 0; len(s.a.Rows) < n; i++ {
		p := b.programs[i%len(b.programs)]
		if err := s.a.Add(p); err != nil {
			return err
		}
		s.programs = append(s.programs, p)
	}
	s.adding = times{time.Since(began)}
	for _, part := range []func() error{s.onHost, s.onDevice, s.passes, s.forms, s.checks, s.sealing} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// known reports whether the programs were measured often enough for what takes them one by one.
func (s *sized) known() bool { return len(s.programs) > 2*len(s.bench.programs) }

func (s *sized) line(form string, cores int, t times) {
	launches := s.launches
	if cores > 0 {
		launches = 0
	}
	fmt.Fprintf(s.out, "%d,%d,%s,%d,%d,%d,%d,%d,%d,%016x,%d\n", len(s.a.Rows), s.a.Len(), form, cores, slices.Min(t).Nanoseconds(), t.median().Nanoseconds(), len(t),
		slices.Max(s.r.Rounds), live(&s.r), s.want, launches)
}

func (s *sized) onHost() error {
	plain := new(columns.Plain)
	for k, cores := range []int{1, s.cores} {
		for range 1 + max(1, s.runs/3) { // the first run makes memory
			began := time.Now()
			r := plain.Run(s.a, cores)
			s.host[k] = append(s.host[k], time.Since(began))
			d := digest(r)
			if s.want != 0 && d != s.want {
				return fmt.Errorf("%d cores have digest %016x, before it was %016x", cores, d, s.want)
			}
			s.want = d
		}
		s.host[k] = s.host[k][1:]
	}
	return nil
}

// timed times runs of a batch, after the first one, which makes memory.
func (s *sized) timed(on *columns.Passes, b columns.Batch) (r *columns.Outcome, resident, wall times, err error) {
	for k := range 1 + s.runs {
		before := *s.dev.Stats()
		began := time.Now()
		if r, err = on.Run(s.ctx, b); err != nil {
			return nil, nil, nil, err
		}
		if k > 0 {
			wall, resident = append(wall, time.Since(began)), append(resident, r.Timing.Device)
		}
		s.launches = s.dev.Stats().Sub(&before).Get(metric.LaunchesPlain)
	}
	if r.Verdict.Count > 0 {
		return nil, nil, nil, fmt.Errorf("the device finds %v in what is sealed", r.Verdict.First)
	}
	return r, resident, wall, nil
}

// optimised is timed for the arena, whose digest has to be the host's.
func (s *sized) optimised(on *columns.Passes, b columns.Batch) (r *columns.Outcome, resident, wall times, err error) {
	b.Arena = s.a
	if r, resident, wall, err = s.timed(on, b); err != nil {
		return nil, nil, nil, err
	}
	if d := digest(&r.Output); d != s.want {
		return nil, nil, nil, fmt.Errorf("the device has digest %016x, the host %016x", d, s.want)
	}
	return r, resident, wall, nil
}

func (s *sized) onDevice() error {
	r, resident, wall, err := s.optimised(s.on, columns.Batch{})
	if err != nil {
		return err
	}
	s.resident, s.wall, s.r = resident, wall, r.Output
	s.r.Heads, s.r.Rounds = slices.Clone(r.Output.Heads), slices.Clone(r.Output.Rounds)
	return nil
}

// passes tells what the passes took.
func (s *sized) passes() error {
	s.line("columns into the arena", 1, s.adding)
	s.line("resident", 0, s.resident)
	s.line("with transfers", 0, s.wall)
	s.line("plain Go", 1, s.host[0])
	s.line("plain Go", s.cores, s.host[1])
	rows, best := len(s.a.Rows), min(s.host[0].median(), s.host[1].median())
	fmt.Fprintf(s.out, "# %d rows: resident %.2f ns a row, the faster form in Go %.2f, ratio %.2f\n", rows, each(s.resident, s.a), float64(best)/float64(rows),
		float64(best)/float64(s.resident.median()))
	s.ways[0].won(rows, s.resident.median(), best)
	s.ways[1].won(rows, s.wall.median(), best)
	return nil
}

// forms measures the passes layer by layer, and with the counts alone read.
func (s *sized) forms() error {
	_, resident, wall, err := s.optimised(s.launched, columns.Batch{})
	if err != nil {
		return err
	}
	s.line("launched resident", 0, resident)
	s.line("launched with transfers", 0, wall)
	if err := s.a.Ask(); err != nil {
		return err
	}
	if _, resident, wall, err = s.timed(s.on, columns.Batch{Arena: s.a}); err != nil {
		return err
	}
	s.line("heads resident", 0, resident)
	s.line("heads with transfers", 0, wall)
	all := make([]int, s.a.Len())
	for i := range all {
		all[i] = i
	}
	return s.a.Ask(all...)
}

// checks measures the verifier on the device, alone and beside the passes, and sealing, which verifies.
func (s *sized) checks() error {
	if s.known() {
		return nil
	}
	codes := new(columns.Codes)
	for _, p := range s.programs {
		if err := codes.Add(p.Edit()); err != nil {
			return err
		}
	}
	_, resident, wall, err := s.timed(s.on, columns.Batch{Codes: codes})
	if err != nil {
		return err
	}
	s.line("checks resident", 0, resident)
	s.line("checks with transfers", 0, wall)
	if _, resident, wall, err = s.optimised(s.on, columns.Batch{Codes: codes}); err != nil {
		return err
	}
	s.line("passes and checks resident", 0, resident)
	s.line("passes and checks with transfers", 0, wall)
	for _, cores := range []int{1, s.cores} {
		took, err := parallel(cores, len(s.programs), func(i int) error {
			_, err := verify.Seal(s.programs[i].Edit())
			return err
		})
		if err != nil {
			return err
		}
		s.line("verify.Seal", cores, times{took})
	}
	return nil
}

// sealing measures what makes programs again, and the host's passes.
func (s *sized) sealing() error {
	if s.known() {
		return nil
	}
	choice, err := compile.Parse("0,+fold,+gvn,+dce")
	if err != nil {
		return err
	}
	r, err := s.on.Run(s.ctx, columns.Batch{Arena: s.a})
	if err != nil {
		return err
	}
	took, err := parallel(s.cores, len(s.programs), func(i int) error {
		_, err := s.a.Program(&r.Output, i)
		return err
	})
	if err != nil {
		return err
	}
	sealed := times{s.adding[0] + s.wall.median() + took}
	s.line("with columns and sealing", s.cores, sealed)
	for _, cores := range []int{1, s.cores} {
		if took, err = parallel(cores, len(s.programs), func(i int) error {
			_, _, err := opt.Run(s.programs[i], opt.Options{Passes: choice})
			return err
		}); err != nil {
			return err
		}
		s.line("opt.Run", cores, times{took})
	}
	s.ways[2].won(len(s.a.Rows), sealed[0], took)
	return nil
}

func each(t times, a *columns.Arena) float64 { return float64(t.median()) / float64(len(a.Rows)) }

func (c *crossover) won(rows int, device, host time.Duration) {
	switch {
	case device > host:
		c.from = 0
	case c.from == 0:
		c.from = rows
	}
}

// parallel calls f for the numbers below n on so many cores, and times it.
func parallel(cores, n int, f func(i int) error) (time.Duration, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, cores)
	began := time.Now()
	for k := range cores {
		all.Go(func() {
			for i := int(next.Add(1) - 1); i < n && failed[k] == nil; i = int(next.Add(1) - 1) {
				failed[k] = f(i)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	for _, err := range failed {
		if err != nil {
			return took, err
		}
	}
	return took, nil
}
