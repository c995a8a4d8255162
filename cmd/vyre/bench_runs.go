package main

import (
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
	b.run.Close()
	if b.restore != nil {
		b.restore.Close()
	}
}
