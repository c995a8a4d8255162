package main

import (
	"errors"
	"slices"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// bench is a launch that is run again and again on one device, from the same contents of its buffers each time.
type bench struct {
	t      *terminal
	j      *job
	dev    driver.Device
	kernel driver.Kernel

	bufs    []driver.Buffer
	kept    []driver.Buffer // copies of what is restored
	run     *driver.Sequence
	restore *driver.Sequence // gives what the kernel reads and writes its first contents again; nil if there is no such thing

	wall, device []time.Duration // of warm runs; device is shorter if one had none
}

// setUp uploads and runs once, and notes what that took.
func (b *bench) setUp(m *measuredJSON) error {
	args, bufs, err := b.j.bind(b.dev)
	if err != nil {
		return err
	}
	b.bufs = bufs
	start := time.Now()
	up := b.dev.NewSequence(b.j.name + " upload")
	defer up.Close()
	for i, buf := range bufs {
		if buf != nil {
			up.Upload(driver.All(buf), b.j.data[i], driver.Always)
		}
	}
	if _, err := up.Run(b.t.ctx); err != nil {
		return err
	}
	m.Cold.Upload = time.Since(start)
	if err := b.keep(); err != nil {
		return err
	}
	start = time.Now()
	b.run = b.dev.NewSequence(b.j.name)
	b.run.Launch(b.kernel, b.j.grid, args...)
	if _, err := b.run.Run(b.t.ctx); err != nil {
		return err
	}
	m.Cold.First = time.Since(start)
	return nil
}

// keep copies the buffers that the kernel both reads and writes, so that every run can start from the same.
func (b *bench) keep() error {
	save := b.dev.NewSequence(b.j.name + " keep")
	defer save.Close()
	n := 0
	for i, p := range b.j.params {
		if !p.IsBuffer() || p.Access != ir.RW || len(b.j.data[i]) == 0 {
			continue
		}
		kept, err := b.dev.Alloc(int64(len(b.j.data[i])), driver.AllocOptions{Label: p.Name + " at first"})
		if err != nil {
			return err
		}
		b.kept = append(b.kept, kept)
		if b.restore == nil {
			b.restore = b.dev.NewSequence(b.j.name + " restore")
		}
		save.Copy(driver.All(kept), driver.All(b.bufs[i]))
		b.restore.Copy(driver.All(b.bufs[i]), driver.All(kept))
		n++
	}
	if n == 0 {
		return nil
	}
	_, err := save.Run(b.t.ctx)
	return err
}

// maxRuns bounds what is kept of a measurement.
const maxRuns = 1 << 20

// warm runs n times, or while time lasts and at least three times.
func (b *bench) warm(n int, lasts time.Duration) error {
	end := time.Now().Add(lasts)
	more := func() bool {
		if n > 0 {
			return len(b.wall) < n
		}
		return len(b.wall) < 3 || len(b.wall) < maxRuns && time.Now().Before(end)
	}
	for more() {
		if b.restore != nil {
			if _, err := b.restore.Run(b.t.ctx); err != nil {
				return err
			}
		}
		res, err := b.run.Run(b.t.ctx)
		if err != nil {
			return err
		}
		b.wall = append(b.wall, res.Wall)
		if res.HasDevice {
			b.device = append(b.device, res.Device)
		}
	}
	return nil
}

// terms chooses the terms of the pass search by the time of the kernel, and writes them as a bank.
func (c *benchCmd) terms(t *terminal, j *job, dev driver.Device, bank *sink) (list []termsJSON, err error) {
	compile := func() (driver.Kernel, error) {
		return j.compile(t, dev, driver.Options{Label: j.name, Optimise: c.Optimise})
	}
	all, file, err := t.finder.Choose(func() error {
		k, err := compile()
		if err != nil {
			return err
		}
		return k.Close()
	}, func(use []func()) (times []time.Duration, err error) {
		var tried []*bench
		defer func() {
			for _, b := range tried {
				err = errors.Join(err, b.end())
			}
		}()
		for _, put := range use {
			put()
			k, err := compile()
			if err != nil {
				return nil, err
			}
			tried = append(tried, &bench{t: t, j: j, dev: dev, kernel: k})
			if err := tried[len(tried)-1].setUp(new(measuredJSON)); err != nil {
				return nil, err
			}
		}
		// The clock of a simulated device is exact.
		for began, n := time.Now(), 1; n <= 3 || !dev.Caps().Simulated && n < maxTurns && time.Since(began) < c.Time; n++ {
			for _, b := range tried {
				if err := b.warm(n, 0); err != nil {
					return nil, err
				}
			}
		}
		for _, b := range tried {
			all := b.wall
			if len(b.device) == len(b.wall) {
				all = b.device
			}
			slices.Sort(all)
			times = append(times, all[len(all)/2])
		}
		return times, nil
	})
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		to := termsJSON{Root: m.Root, AsItIs: m.AsItIs, Chosen: m.Chosen}
		for i, p := range m.Terms {
			to.Terms = append(to.Terms, termJSON{p.Term, p.Proof, m.Times[i]})
		}
		list = append(list, to)
	}
	return list, bank.write(file)
}

// maxTurns bounds the runs of each term.
const maxTurns = 1000

// outputs reads what the last run wrote.
func (b *bench) outputs() ([]outputJSON, error) {
	seq := b.dev.NewSequence(b.j.name + " read")
	defer seq.Close()
	data := make([][]byte, len(b.bufs))
	for i, p := range b.j.params {
		if p.IsBuffer() && p.Access.Writes() {
			data[i] = make([]byte, len(b.j.data[i]))
			seq.Read(driver.All(b.bufs[i]), data[i])
		}
	}
	_, err := seq.Run(b.t.ctx)
	return b.j.written(data), err
}

func (b *bench) close() {
	if b.run != nil {
		b.run.Close()
	}
	if b.restore != nil {
		b.restore.Close()
	}
}

// end gives all back that a bench has, if it is one of several.
func (b *bench) end() (err error) {
	b.close()
	for _, buf := range append(b.bufs, b.kept...) {
		if buf != nil {
			err = errors.Join(err, buf.Close())
		}
	}
	return errors.Join(err, b.kernel.Close())
}
