// Command columns measures the passes over columns on a device beside the same passes in Go.
//
//	columns -device cuda -o columns.csv
//
// Programs are random ones, up to a million rows of them, which larger arenas have again and again. All forms optimise
// the same arena and have to give the same bytes before a time is told. "resident" is the device's time from the
// uploaded columns to the compact ones, "with transfers" all from the host's arena to the host's, "with sealing" what
// makes sealed programs of that too. "opt.Run" are the host's passes fold, gvn and dce on its own programs, lowerings
// and sealing included. A line tells rows, programs, form, cores, the least and the median nanoseconds, the number of
// runs, rounds, rows that stay, and the digest.
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
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
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
	on       *columns.Optimiser
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
	on, err := columns.Open(ctx, dev, columns.Options{Rounds: 1 << 16})
	if err != nil {
		return err
	}
	defer on.Close()
	b := &bench{ctx: ctx, out: out, on: on, cores: runtime.GOMAXPROCS(0), runs: max(1, runs)}
	b.ways = [3]crossover{{name: "resident"}, {name: "with transfers"}, {name: "with sealing, beside opt.Run"}}
	for rows, seed := 0, uint64(1); rows < min(most, 1_000_000); seed++ {
		p := conform.Random(seed).Program
		b.programs = append(b.programs, p)
		rows += p.Rows()
	}
	fmt.Fprintf(out, "# %s, driver %v, %d cores\n", dev.Caps().Model, dev.Caps().DriverVersion, b.cores)
	fmt.Fprintln(out, "rows,programs,form,cores,least ns,median ns,runs,rounds,live rows,digest")
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

// size measures an arena of at least n rows.
func (b *bench) size(n int) error {
	a, programs := new(columns.Arena), []*ir.Program(nil)
	began := time.Now()
	for i := 0; len(a.Rows) < n; i++ {
		p := b.programs[i%len(b.programs)]
		if err := a.Add(p); err != nil {
			return err
		}
		programs = append(programs, p)
	}
	adding := times{time.Since(began)}
	plain := new(columns.Plain)
	var host [2]times
	want := uint64(0)
	for k, cores := range []int{1, b.cores} {
		for range 1 + max(1, b.runs/3) { // the first run makes memory
			began := time.Now()
			r := plain.Run(a, cores)
			host[k] = append(host[k], time.Since(began))
			if d := digest(r); want != 0 && d != want {
				return fmt.Errorf("%d cores have digest %016x, before it was %016x", cores, d, want)
			} else {
				want = d
			}
		}
		host[k] = host[k][1:]
	}
	var resident, wall, sealed times
	r, err := b.on.Run(b.ctx, a)
	if err != nil {
		return err
	}
	if d := digest(r); d != want || !r.Closed {
		return fmt.Errorf("the device has digest %016x, the host %016x", d, want)
	}
	for range b.runs {
		began := time.Now()
		if r, err = b.on.Run(b.ctx, a); err != nil {
			return err
		}
		wall, resident = append(wall, time.Since(began)), append(resident, r.Timing.Device)
	}
	if digest(r) != want {
		return fmt.Errorf("the device's last run has digest %016x, the host %016x", digest(r), want)
	}
	line := func(form string, cores int, t times) {
		fmt.Fprintf(b.out, "%d,%d,%s,%d,%d,%d,%d,%d,%d,%016x\n", len(a.Rows), a.Len(), form, cores, slices.Min(t).Nanoseconds(), t.median().Nanoseconds(), len(t), r.Rounds, live(r), want)
	}
	line("columns into the arena", 1, adding)
	line("resident", 0, resident)
	line("with transfers", 0, wall)
	line("plain Go", 1, host[0])
	line("plain Go", b.cores, host[1])
	best := min(host[0].median(), host[1].median())
	fmt.Fprintf(b.out, "# %d rows: resident %.2f ns a row, the faster form in Go %.2f, ratio %.2f\n", len(a.Rows), each(resident, a), float64(best)/float64(len(a.Rows)),
		float64(best)/float64(resident.median()))
	b.ways[0].won(len(a.Rows), resident.median(), best)
	b.ways[1].won(len(a.Rows), wall.median(), best)
	if len(programs) > 2*len(b.programs) {
		return nil // what sealing costs is known
	}
	seal := func(i int) error {
		_, err := a.Program(r, i)
		return err
	}
	choice, err := compile.Parse("0,+fold,+gvn,+dce")
	if err != nil {
		return err
	}
	run := func(i int) error {
		_, _, err := opt.Run(programs[i], opt.Options{Passes: choice})
		return err
	}
	took, err := parallel(b.cores, len(programs), seal)
	if err != nil {
		return err
	}
	sealed = times{adding[0] + wall.median() + took}
	line("with columns and sealing", b.cores, sealed)
	for _, cores := range []int{1, b.cores} {
		if took, err = parallel(cores, len(programs), run); err != nil {
			return err
		}
		line("opt.Run", cores, times{took})
	}
	b.ways[2].won(len(a.Rows), sealed[0], took)
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
