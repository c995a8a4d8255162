package cuda_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// tallied is what commands count up in: memory of the device whose contents a run adds to, so that what is done twice shows.
type tallied struct {
	d            driver.Device
	noted, count driver.Kernel
	y            driver.Buffer
	base         uint32 // in each word of y, before a run
	adds         uint32 // to them, by a run
}

// set begins a run with another number than the ones before.
func (c *tallied) set(ctx context.Context) error {
	if c.base += 1000; c.base > 1<<20 {
		c.base = 1000
	}
	return driver.Write(ctx, driver.All(c.y), words(32, c.base))
}

func (c *tallied) compare(ctx context.Context) error {
	got := make([]byte, 128)
	if err := driver.ReadInto(ctx, driver.All(c.y), got); err != nil {
		return err
	}
	return c.same("y", got, words(32, c.base+c.adds))
}

func (c *tallied) same(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%w: %s is %d, want %d", faults.ErrWrong, what, binary.LittleEndian.Uint32(got), binary.LittleEndian.Uint32(want))
}

func (c *tallied) add(q *driver.Sequence, n uint32) *driver.Step {
	c.adds += n
	return q.Launch(c.noted, driver.Groups(1), driver.All(c.y), driver.U32(n))
}

// prepared are the ways to run that are kept: each makes what runs, and says what an attempt does.
var prepared = []struct {
	name string
	make func(ctx context.Context, c *tallied, q *driver.Sequence) (run func(ctx context.Context) error, err error)
}{
	{"a sequence", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		c.add(q, 1)
		c.add(q, 2)
		return func(ctx context.Context) error { return runOnce(ctx, q) }, nil
	}},
	{"one that is started", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		c.add(q, 1)
		got := make([]byte, 128)
		q.Read(driver.All(c.y), got)
		return func(ctx context.Context) error {
			if err := q.Settle(ctx); err != nil {
				return err
			}
			p, err := q.Start(ctx)
			if err != nil {
				return err
			}
			if _, err := p.Wait(ctx); err != nil {
				return err
			}
			return c.same("what was read", got, words(32, c.base+c.adds))
		}, nil
	}},
	{"uploads that may be left out", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		x, got := q.Scratch(128), make([]byte, 128)
		once := q.Upload(driver.Part(x, 0, 64), words(16, 7), driver.Static)
		in := q.Upload(driver.Part(x, 64, 64), words(16, 0), driver.IfChanged)
		sum := q.Scratch(128)
		q.Copy(driver.All(sum), driver.All(x))
		q.Launch(c.noted, driver.Groups(1), driver.All(sum), driver.U32(1))
		q.Read(driver.All(sum), got)
		c.add(q, 1)
		times := uint32(0)
		return func(ctx context.Context) error {
			times++
			static := words(16, 7)
			if times%5 == 0 {
				if err := once.Set(static); err != nil {
					return err
				}
			}
			if err := in.Set(words(16, times/3)); err != nil {
				return err
			}
			if err := runOnce(ctx, q); err != nil {
				return err
			}
			return c.same("what was uploaded", got, append(words(16, 8), words(16, times/3+1)...))
		}, nil
	}},
	{"a sequence with arguments", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		st := c.add(q, 1)
		n := 0
		l := q.Repeat(3, func() { q.Launch(c.noted, driver.Groups(1), driver.All(c.y), driver.U32(5)) })
		return func(ctx context.Context) error {
			n++
			by, rounds := n/4%3, n/8%4
			c.adds = uint32(by + 5*rounds)
			if err := errors.Join(st.SetArg(1, driver.U32(uint32(by))), l.SetCount(rounds)); err != nil {
				return err
			}
			return runOnce(ctx, q)
		}, nil
	}},
	{"a graph", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		st := c.add(q, 1)
		q.Repeat(2, func() { c.add(q, 1) })
		c.adds += 1
		g, err := q.Capture(driver.CaptureOptions{})
		n := uint32(0)
		return func(ctx context.Context) error {
			n++
			c.adds = 2 + n/4%3
			if err := st.SetArg(1, driver.U32(n/4%3)); err != nil {
				return err
			}
			_, err := g.Run(ctx)
			return err
		}, err
	}},
	{"loops", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		f, n := q.Scratch(4), q.Scratch(4)
		got := make([]byte, 4)
		q.Fill(driver.All(f), 3, 4)
		q.Fill(driver.All(n), 0, 4)
		q.While(driver.All(f), 10, func() {
			q.Launch(c.count, driver.Groups(1), driver.All(f), driver.All(n))
			q.Launch(c.noted, driver.Groups(1), driver.All(c.y), driver.U32(1))
		})
		c.adds = 3
		q.Read(driver.All(n), got)
		return func(ctx context.Context) error {
			if err := runOnce(ctx, q); err != nil {
				return err
			}
			return c.same("n", got, words(1, 3))
		}, nil
	}},
	{"a batch", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		x := q.Scratch(128)
		q.Upload(driver.All(x), words(32, 0), driver.IfChanged)
		q.Launch(c.noted, driver.Groups(1), driver.All(x), driver.U32(1))
		q.Read(driver.All(x), make([]byte, 128))
		g, err := q.Capture(driver.CaptureOptions{})
		return func(ctx context.Context) error {
			var rows []driver.Row
			for i := range uint32(7) { // two chunks in turn, and one that is smaller
				rows = append(rows, driver.Row{Inputs: [][]byte{words(32, c.base+i)}, Outputs: [][]byte{make([]byte, 128)}})
			}
			results, err := g.RunBatch(ctx, rows)
			if err == nil && len(results) != len(rows) {
				err = fmt.Errorf("%d results of %d rows", len(results), len(rows))
			}
			for i := range results {
				err = errors.Join(err, c.same("a row", rows[i].Outputs[0], words(32, c.base+uint32(i)+1)))
			}
			return err
		}, err
	}},
	{"dispatch", func(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
		return func(ctx context.Context) error {
			x := words(32, c.base)
			if _, err := driver.Dispatch(ctx, c.noted, driver.Groups(1), driver.InOut(x), driver.U32(4)); err != nil {
				return err
			}
			return c.same("x", x, words(32, c.base+4))
		}, nil
	}},
	{"a graph that remembers", remembering},
}

// sumOfTwo stores x + y.
const sumOfTwo = `vyre 1
kernel @sum_of_two workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> ro
  param @z: buf<u32> wo
  %i = global.x
  %a = load @x[%i]
  %b = load @y[%i]
  %s = add.u32 %a, %b
  store @z[%i], %s
}`

// remembering goes through few inputs, alone and in batches, so that some are remembered whatever failed before: a result
// that is not that of its input, and of what y holds, shows.
func remembering(ctx context.Context, c *tallied, q *driver.Sequence) (func(ctx context.Context) error, error) {
	ps, err := text.Parse("sum", sumOfTwo)
	if err != nil {
		return nil, err
	}
	k, err := c.d.Compile(ctx, ps[0], driver.Options{})
	if err != nil {
		return nil, err
	}
	x, z, got := q.Scratch(128), q.Scratch(128), make([]byte, 128)
	in := q.Upload(driver.All(x), words(32, 0), driver.IfChanged)
	q.Launch(k, driver.Groups(1), driver.All(x), driver.All(c.y), driver.All(z))
	q.Read(driver.All(z), got)
	g, err := q.Capture(driver.CaptureOptions{})
	if err != nil {
		return nil, err
	}
	n := uint32(0)
	return func(ctx context.Context) error {
		for range 3 {
			n++
			clear(got)
			if err := in.Set(words(32, n%2)); err != nil {
				return err
			}
			if _, err := g.Run(ctx); err != nil {
				return err
			}
			if err := c.same("a replay", got, words(32, c.base+n%2)); err != nil {
				return err
			}
		}
		var rows []driver.Row
		for i := range uint32(7) {
			rows = append(rows, driver.Row{Inputs: [][]byte{words(32, (n+i)%5)}, Outputs: [][]byte{make([]byte, 128)}})
		}
		results, err := g.RunBatch(ctx, rows)
		for i := range results {
			err = errors.Join(err, c.same("a row", rows[i].Outputs[0], words(32, c.base+(n+uint32(i))%5)))
		}
		return err
	}, g.Memoize(4, 1<<20)
}

func runOnce(ctx context.Context, q *driver.Sequence) error {
	_, err := q.Run(ctx)
	return err
}

// The class: an error does not say that nothing was done. Every way to run commands is used again after a call failed, before its
// effect or after it; what is reported without an error was done once.
func TestWhatRunsAgainAfterAFailureRunsOnce(t *testing.T) {
	programs := []*ir.Program{parse(t, noted), parse(t, countDown)}
	first := long.Seed(t, 1)
	for i, p := range prepared {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				eager bool
				lacks []cu.Group
			}{{}, {eager: true}, {lacks: []cu.Group{cu.MemOp, cu.Pool, cu.Cond, cu.Loading, cu.Pointer}}} {
				s := faults.Sweep{Config: cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: c.eager, Lacks: c.lacks}, Faults: faults.Sizes(8, 3400), Seed: first + uint64(i)}
				s.Make = func(ctx context.Context, d driver.Device) (o faults.Object, err error) {
					c := &tallied{d: d}
					if c.noted, err = d.Compile(ctx, programs[0], driver.Options{}); err != nil {
						return o, err
					}
					if c.count, err = d.Compile(ctx, programs[1], driver.Options{}); err != nil {
						return o, err
					}
					if c.y, err = d.Alloc(128, driver.AllocOptions{Label: "y"}); err != nil {
						return o, err
					}
					q := d.NewSequence(p.name)
					again, err := p.make(ctx, c, q)
					return faults.Steps(c.set, again, nil, c.compare, q.Close), err
				}
				s.Run(t)
			}
		})
	}
}

// The class: closing a helper is no part of the work. What a write has done stays done where its sequence cannot be given back, and Close
// of the device says what that was.
func TestWhatCannotBeGivenBackIsToldByTheDevice(t *testing.T) {
	kept := 0
	for nth := 1; ; nth++ {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
		d, err := cuda.Open(cuda.Options{Driver: sim})
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Alloc(128, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before := sim.Count("")
		sim.Fail(cusim.Rule{Nth: nth, Result: cu.OutOfMemory})
		err = driver.Write(ctx, driver.All(b), words(32, 5))
		fired := sim.Count("")-before >= nth
		sim.Heal()
		if err == nil {
			got := make([]byte, 128)
			if err := errors.Join(driver.ReadInto(ctx, driver.All(b), got), differ("what was written", got, words(32, 5))); err != nil {
				t.Error(err)
			}
		}
		if e := d.Close(); e != nil && err == nil {
			if kept++; !errors.Is(e, driver.OutOfMemory) {
				t.Errorf("call %d: %v", nth, e)
			}
		} else if e != nil {
			t.Errorf("call %d: %v, and closing: %v", nth, err, e)
		}
		if !fired {
			break
		}
	}
	if kept == 0 {
		t.Error("no call of closing the sequence failed")
	}
}
