package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

// Budgets that are held against a number and not against C.

// allocations counts the objects that warm operations allocate: P8.
func (b *bench) allocations() (err error) {
	dev, n := b.env.dev, b.samples
	s, g := b.launching(1, false), b.launching(2, false)
	buf, err := dev.Alloc(4096, driver.AllocOptions{Label: "allocations"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(), g.Close(), buf.Close()) }()
	src, dst := make([]byte, 4096), make([]byte, 4096)
	up := dev.NewSequence("up")
	in := up.Upload(driver.All(buf), src, driver.Always)
	step := up.Launch(b.env.copy, driver.Groups(4), driver.Part(buf, 0, 2048), driver.Part(buf, 2048, 2048))
	out := up.Read(driver.All(buf), dst)
	defer func() { err = errors.Join(up.Close(), err) }()
	if err := errors.Join(s.Prepare(), up.Prepare()); err != nil {
		return err
	}
	graph, err := g.Capture(driver.CaptureOptions{})
	if err != nil {
		return err
	}
	pool := dev.NewPool(driver.PoolOptions{})
	defer func() { err = errors.Join(pool.Close(), err) }()
	arg := driver.Arg(driver.Part(buf, 0, 2048))
	for _, op := range []struct {
		name string
		do   func() error
	}{
		{"run", func() error { _, err := s.Run(b.ctx); return err }},
		{"start-wait", func() error {
			p, err := s.Start(b.ctx)
			if err == nil {
				_, err = p.Wait(b.ctx)
			}
			return err
		}},
		{"graph-run", func() error { _, err := graph.Run(b.ctx); return err }},
		{"copies", func() error { _, err := up.Run(b.ctx); return err }},
		{"pool", func() error {
			b, err := pool.Get(4096)
			if err == nil {
				err = pool.Put(b)
			}
			return err
		}},
		{"set", func() error {
			return errors.Join(in.Set(src), out.Set(dst), step.SetArg(0, arg), step.SetGrid(driver.Groups(4)))
		}},
	} {
		name := "P8-" + op.name
		once := func() (float64, error) { return 0, op.do() }
		if _, err := take(once, 10); err != nil { // warm
			return fmt.Errorf("%s: %w", name, err)
		}
		blk, err := take(once, n)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.out.number(name, "allocs", blk.allocs, 0, blk.allocs == 0)
	}
	return nil
}

// number prints a value that is held against a bound.
func (p *printer) number(name, what string, v, limit float64, ok bool) {
	verdict := "pass"
	if !ok {
		verdict = "fail"
		p.failed++
	}
	p.measured++
	p.linef("name=%s %s=%.6g bound=%.6g verdict=%s %s", name, what, v, limit, verdict, p.suffix)
}

// remembering times a graph of one kernel with 4 KiB in and out that remembers its result, and one with 1 MiB of inputs
// that do not change, of which nothing may be sent.
func (b *bench) remembering() error {
	for _, m := range []struct {
		name    string
		size    int64
		entries int
		most    float64 // nanoseconds; 0 is no limit
	}{{"P11", 4096, 1, 1500}, {"P11-unchanged", 1 << 20, 0, 0}} {
		if err := b.replayed(m.name, m.size, m.entries, m.most); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

func (b *bench) replayed(name string, size int64, entries int, most float64) (err error) {
	src, dst := make([]byte, size), make([]byte, size)
	for i := range src {
		src[i] = byte(i * 7)
	}
	s := b.env.dev.NewSequence(name)
	defer func() { err = errors.Join(err, s.Close()) }()
	in, out := s.Scratch(size), s.Scratch(size)
	s.Upload(driver.All(in), src, driver.IfChanged)
	s.Launch(b.env.copy, driver.Groups(uint32(size/1024)), driver.Arg(driver.All(in)), driver.Arg(driver.All(out)))
	s.Read(driver.All(out), dst)
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		return err
	}
	if entries > 0 {
		if err := g.Memoize(entries, 1<<20); err != nil {
			return err
		}
	}
	sample := func() (float64, error) {
		begin := time.Now()
		r, err := g.Run(b.ctx)
		t := since(begin)
		if err == nil && r.Memoized != (entries > 0) {
			err = fmt.Errorf("that the result was remembered is %v", r.Memoized)
		}
		return t, err
	}
	if _, err := g.Run(b.ctx); err != nil {
		return err
	}
	before := b.env.dev.Stats().Get(metric.UploadBytes)
	var blocks []block
	for i := -1; i < b.blocks; i++ {
		one, err := take(sample, b.samples)
		if err != nil {
			return err
		}
		if i >= 0 {
			blocks = append(blocks, one)
		}
	}
	all := together(blocks)
	b.out.side(name, "vyre", all)
	sent := b.env.dev.Stats().Get(metric.UploadBytes) - before
	b.out.number(name+"-sent", "bytes", float64(sent), 0, sent == 0)
	if most > 0 {
		b.out.number(name+"-ns", "ns", all.p50, most, all.p50 <= most)
	}
	if !bytes.Equal(dst, src) {
		err = errors.New("the copy is wrong")
	}
	return err
}

// compiling times Compile by the driver and from the cache on disk: P9. Each has a device of its own, with nothing in memory.
func (b *bench) compiling() (err error) {
	dir, err := os.MkdirTemp("", "budget")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	was, set := os.LookupEnv("VYRE_CACHE_DIR")
	if err := os.Setenv("VYRE_CACHE_DIR", dir); err != nil {
		return err
	}
	defer func() {
		if set {
			err = errors.Join(err, os.Setenv("VYRE_CACHE_DIR", was))
		} else {
			err = errors.Join(err, os.Unsetenv("VYRE_CACHE_DIR"))
		}
	}()
	cold, _, err := b.compileAll(dir)
	if err != nil {
		return err
	}
	warm, disk, err := b.compileAll("")
	if err != nil {
		return err
	}
	var times [2][]float64 // of the programs whose images are kept
	for i, found := range disk {
		if found {
			times[0], times[1] = append(times[0], cold[i]), append(times[1], warm[i])
		}
	}
	switch {
	case len(times[0]) == 0:
		b.out.skip("P9", "of %d programs no image is as good as the loaded text", len(cold))
		return nil
	case b.env.dev.Caps().Simulated:
		b.out.skip("P9", "the simulated driver does not compile")
		return nil
	}
	before, after := blockOf(times[0]), blockOf(times[1])
	b.out.side("P9-cold", "vyre", before)
	b.out.side("P9", "vyre", after)
	b.out.ratio("P9", after.p50/before.p50, 0.1, after.p50 <= 0.1*before.p50)
	b.out.number("P9-ms", "ms", after.p50/1e6, 3, after.p50 <= 3e6)
	return nil
}

// compileAll compiles the programs, and says how long each took, and whether it was found on disk. With a directory it
// waits after each until the device has decided what it keeps there.
func (b *bench) compileAll(dir string) (times []float64, disk []bool, err error) {
	dev, err := driver.Open(b.device, driver.OpenOptions{})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	for seed := range uint64(b.size.programs) {
		p := conform.Random(seed + 1).Program
		begin := time.Now()
		k, err := dev.Compile(b.ctx, p, driver.Options{})
		times = append(times, since(begin))
		if err != nil {
			return nil, nil, err
		}
		a := k.Artifact()
		disk = append(disk, a.Origin == "disk")
		if err := k.Close(); err != nil {
			return nil, nil, err
		}
		if dir != "" {
			decided(dir, a.Key)
		}
	}
	return times, disk, nil
}

// decided waits until the file of an image is there, for a second at most: an image that could not be made has none.
func decided(dir string, key [32]byte) {
	name := hex.EncodeToString(key[:])
	for range 1000 {
		if _, err := os.Stat(filepath.Join(dir, "cubin", name[:2], name+".bin")); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

const countText = `vyre 1
kernel @count workgroup(256) {
  param @out: buf<u32> wo
  param %n: u32
  %g = global.x
  %sum = loop ^l (%i: u32 = 0_u32, %s: u32 = %g) -> (u32) {
    %end = eq.u32 %i, %n
    if %end { break ^l (%s) }
    %x = mul.u32 %s, 1664525_u32
    %y = xor.u32 %x, %i
    %k = add.u32 %i, 1_u32
    continue ^l (%k, %y)
  }
  store @out[%g], %sum
}`

// simulating counts the lane-instructions that the simulated driver runs in a second on one core: P10.
func (b *bench) simulating() (err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	dev, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	k, err := dev.Compile(b.ctx, program(countText), driver.Options{})
	if err != nil {
		return err
	}
	out := make([]byte, 4*256)
	run := func() error {
		_, err := driver.Dispatch(b.ctx, k, driver.Groups(1), driver.Out(out), driver.U32(b.size.steps))
		return err
	}
	if err := run(); err != nil {
		return err
	}
	before, begin := sim.Report().Lanes, time.Now()
	if err := run(); err != nil {
		return err
	}
	rate := float64(sim.Report().Lanes-before) / time.Since(begin).Seconds()
	b.out.number("P10", "lanes_per_s", rate, 20e6, rate >= 20e6)
	return k.Close()
}
