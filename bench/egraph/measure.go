package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
)

// bench is a device, and where the lines go.
type bench struct {
	ctx  context.Context
	out  io.Writer
	dev  vyre.Device
	runs int
}

// closure is what the forms have to agree on.
type closure struct {
	rounds, unions, classes int
	digest                  uint64
}

// times are those of some runs.
type times []time.Duration

func (t times) least() time.Duration { return slices.Min(t) }

func (t times) median() time.Duration { return slices.Sorted(slices.Values(t))[len(t)/2] }

// line writes a line.
func (b *bench) line(w workload, form, quantity string, t times, c closure) {
	fmt.Fprintf(b.out, "%s,%d,%s,%s,%d,%d,%d,%d,%d,%d,%016x\n", w.name, w.n, form, quantity,
		t.least().Nanoseconds(), t.median().Nanoseconds(), len(t), c.rounds, c.unions, c.classes, c.digest)
}

// workload measures one. Nothing is told before all forms have given the same roots.
func (b *bench) workload(w workload) error {
	cores := runtime.GOMAXPROCS(0)
	forms := []func(g *egraph.Graph) (rounds []int, err error){
		func(g *egraph.Graph) ([]int, error) { return nil, g.Rebuild() },
		func(g *egraph.Graph) ([]int, error) { return g.RebuildParallel(cores) },
	}
	var host [2]times
	var want closure
	for k, form := range forms {
		took, got, err := b.onHost(w, form)
		if err != nil {
			return err
		}
		host[k] = times{took}
		if k > 0 && got.digest != want.digest {
			return fmt.Errorf("all cores have digest %016x, one has %016x", got.digest, want.digest)
		}
		want = got
	}
	on, err := b.onDevice(w, want)
	if err != nil {
		return err
	}
	for k, name := range []string{"one core", fmt.Sprintf("%d cores", cores)} {
		for n := 1; n < b.runs/3 && host[k][0]*time.Duration(n) < patience; n++ {
			took, got, err := b.onHost(w, forms[k])
			if err != nil || got.digest != want.digest {
				return fmt.Errorf("%s: digest %016x, want %016x: %w", name, got.digest, want.digest, err)
			}
			host[k] = append(host[k], took)
		}
		b.line(w, name, "rebuild", host[k], want)
	}
	best := min(host[0].median(), host[1].median())
	fmt.Fprintf(b.out, "# %s of %d: resident image to finished read-back %v, the faster CPU form %v, ratio %.2f\n", w.name, w.n,
		on.median(), best, float64(best)/float64(on.median()))
	return nil
}

// patience is after how much time of a form on the host there are no more runs of it.
const patience = 3 * time.Second

// onHost times a form on the host, and says what it came to.
func (b *bench) onHost(w workload, form func(g *egraph.Graph) ([]int, error)) (took time.Duration, c closure, err error) {
	g := w.make(w.n)
	runtime.GC()
	began := time.Now()
	unions, err := form(g)
	took = time.Since(began)
	c = closure{rounds: len(unions) - 1, classes: g.Classes(), digest: g.Digest()}
	for _, n := range unions {
		c.unions += n
	}
	return took, c, err
}

// onDevice times the device, on a new session each time, since a call closes the image.
func (b *bench) onDevice(w workload, want closure) (wall times, err error) {
	g := w.make(w.n)
	im, err := device.Build(g)
	if err != nil {
		return nil, err
	}
	var work, opening, first, second times
	for k := range 1 + b.runs {
		began := time.Now()
		s, err := device.Open(b.ctx, b.dev, im)
		took := time.Since(began)
		if err != nil {
			return nil, err
		}
		began = time.Now()
		r, err := s.Canonicalise(b.ctx, nil, device.Options{})
		all := time.Since(began)
		if err == nil {
			err = right(&r, want)
		}
		if err == nil && k > 0 { // the first run warms what comes after
			wall, work, opening = append(wall, all), append(work, r.Device), append(opening, took)
			r, err = s.Canonicalise(b.ctx, nil, device.Options{})
			second = append(second, r.Device)
		}
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
	}
	if first, err = b.firstRound(im); err != nil {
		return nil, err
	}
	b.line(w, "device", "open and upload", opening, want)
	b.line(w, "device", "resident image to finished read-back", wall, want)
	b.line(w, "device", "device time of that", work, want)
	b.line(w, "device", "device time of a closed image", second, want)
	b.line(w, "device", "device time with one round", first, want)
	begun := max(first.median()-second.median(), 1)
	fmt.Fprintf(b.out, "# %s of %d: first round %v, with the table made: %.3g rows/s; %.3g µs a round in all\n", w.name, w.n, begun,
		float64(w.n)/begun.Seconds(), float64(work.median().Nanoseconds())/1e3/float64(want.rounds))
	return wall, b.emptyRound(w, g)
}

// right compares a result with what the host has.
func right(r *device.Result, want closure) error {
	if got := (closure{r.Rounds, r.Pending + r.Unions, r.Classes, r.Digest()}); got != want {
		return fmt.Errorf("the device has %+v, the host %+v", got, want)
	}
	return nil
}

// firstRound times calls of one round on a fresh image.
func (b *bench) firstRound(im *device.Image) (t times, err error) {
	for range b.runs {
		s, err := device.Open(b.ctx, b.dev, im)
		if err != nil {
			return nil, err
		}
		r, err := s.Canonicalise(b.ctx, nil, device.Options{MaxRounds: 1})
		t = append(t, r.Device)
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// emptyRound times rounds in which one row changes: a union makes two chains equal, in a graph that is closed otherwise.
func (b *bench) emptyRound(w workload, g *egraph.Graph) error {
	ends := chained(g)
	im, err := device.Build(g)
	if err != nil {
		return err
	}
	var t times
	for range max(1, b.runs/3) {
		s, err := device.Open(b.ctx, b.dev, im)
		if err != nil {
			return err
		}
		took, err := b.marginal(s, im, ends)
		t = append(t, took)
		if err = errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	b.line(w, "device", "a round in which one row changes", t, closure{rounds: 1, unions: 1})
	return nil
}

// marginal is the device time that a round adds.
func (b *bench) marginal(s *device.Session, im *device.Image, ends [2]egraph.Class) (time.Duration, error) {
	var union [2]uint32
	for i, c := range ends {
		union[i], _ = im.Class(c)
	}
	if _, err := s.Canonicalise(b.ctx, nil, device.Options{}); err != nil {
		return 0, err
	}
	none, err := s.Canonicalise(b.ctx, nil, device.Options{})
	if err != nil {
		return 0, err
	}
	without := none.Device
	r, err := s.Canonicalise(b.ctx, [][2]uint32{union}, device.Options{})
	if err != nil {
		return 0, err
	}
	if r.Rounds != links+1 || r.Unions != links {
		return 0, fmt.Errorf("%d unions in %d rounds of a chain of %d", r.Unions, r.Rounds, links)
	}
	return max(1, (r.Device-without)/links), nil
}
