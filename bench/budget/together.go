package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/govyre/vyre/driver"
)

// Budgets of what runs at the same time: rows of a batch, launches that do not depend on each other.

// together lists P12 and P13.
func (b *bench) together() []measure {
	rows, n := b.size.rows, b.size.apart
	chain := func(name string, k launched, n int, bound bound) []rival {
		return []rival{{name: name, side: "chain", ours: apart(k, n, false), bound: bound}}
	}
	return []measure{
		{name: "P12", ours: batches(rows), part: 20, library: fmt.Sprint("batch ", rows, " 4096"),
			also: []rival{{name: "P12", side: "dispatch", ours: rowByRow(rows), bound: bound{speed: 5}}}},
		{name: "P13-empty", ours: apart(empties, n, true), part: 20, most: 250, also: chain("P13-empty", empties, n, bound{})},
		{name: "P13-spin", ours: apart(spins, n, true), part: 50, most: 750, also: chain("P13-spin", spins, n, bound{})},
		{name: "P13-few", ours: apart(empties, 10, true), also: chain("P13-few", empties, 10, bound{most: 1})},
		{name: "P16", ours: profiled(true), part: 50, also: []rival{{name: "P16", side: "without", ours: profiled(false), bound: bound{most: 1.03}}}},
	}
}

// profiled times Run of a launch of twenty times P13's, under a profile or without, each, once the sequence has its graph.
func profiled(on bool) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		s := b.env.dev.NewSequence("profiled")
		s.Launch(b.env.spin, driver.Groups(uint32(b.env.dev.Caps().Units)), driver.U64(20*b.size.spin))
		if err := s.Prepare(); err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
		const warming, runs = 3, 5
		return func() (_ float64, err error) {
			if on {
				stop, e := driver.Profile(b.env.dev, io.Discard)
				if e != nil {
					return 0, e
				}
				defer func() { err = errors.Join(err, stop()) }()
			}
			for range warming {
				if _, err = s.Run(b.ctx); err != nil {
					return 0, err
				}
			}
			begin := time.Now()
			for range runs {
				if _, err = s.Run(b.ctx); err != nil {
					return 0, err
				}
			}
			return since(begin) / runs, nil
		}, s.Close, nil
	}
}

// rowsOf makes rows of 4 KiB in and out, which differ.
func rowsOf(n int) []driver.Row {
	rows := make([]driver.Row, n)
	for i := range rows {
		in := make([]byte, 4096)
		for j := range in {
			in[j] = byte(i + j*7)
		}
		rows[i] = driver.Row{Inputs: [][]byte{in}, Outputs: [][]byte{make([]byte, len(in))}}
	}
	return rows
}

// copied checks the outputs, after what took the sample, and makes all inputs others for the next one.
func copied(rows []driver.Row, err error) error {
	for i, r := range rows {
		in, out := r.Inputs[0], r.Outputs[0]
		if err == nil && !bytes.Equal(in, out) {
			err = fmt.Errorf("the copy of row %d is wrong", i)
		}
		in[4092]++
	}
	return err
}

// batches times RunBatch of rows of 4 KiB in, a kernel, and 4 KiB out, each.
func batches(n int) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		rows := rowsOf(n)
		s := b.env.dev.NewSequence("batch")
		in, out := s.Scratch(4096), s.Scratch(4096)
		s.Upload(driver.All(in), rows[0].Inputs[0], driver.IfChanged)
		s.Launch(b.env.copy, driver.Groups(4), driver.All(in), driver.All(out))
		s.Read(driver.All(out), rows[0].Outputs[0])
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
		return func() (float64, error) {
			begin := time.Now()
			_, err := g.RunBatch(b.ctx, rows)
			t := since(begin) / float64(n)
			return t, copied(rows, err)
		}, s.Close, nil
	}
}

// rowByRow times the same by Dispatch.
func rowByRow(n int) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		rows := rowsOf(n)
		var args [][]driver.Arg
		for _, r := range rows {
			args = append(args, []driver.Arg{driver.In(r.Inputs[0]), driver.Out(r.Outputs[0])})
		}
		return func() (float64, error) {
			begin := time.Now()
			var err error
			for _, a := range args {
				if err == nil {
					_, err = driver.Dispatch(b.ctx, b.env.copy, driver.Groups(4), a...)
				}
			}
			t := since(begin) / float64(n)
			return t, copied(rows, err)
		}, func() error { return nil }, nil
	}
}

// launched records one launch that depends on no other.
type launched func(b *bench, s *driver.Sequence) (record func(), err error)

func empties(b *bench, s *driver.Sequence) (func(), error) {
	return func() { s.Launch(b.env.empty, driver.Groups(1)) }, nil
}

// spins is a launch on every unit that takes as long as P13 says.
func spins(b *bench, s *driver.Sequence) (func(), error) {
	units := driver.Groups(uint32(b.env.dev.Caps().Units))
	return func() { s.Launch(b.env.spin, units, driver.U64(b.size.spin)) }, nil
}

// apart times a replay of n launches that do not depend on each other, each: overlapping, or as a chain.
func apart(k launched, n int, overlap bool) setup {
	return func(b *bench) (func() (float64, error), func() error, error) {
		s := b.env.dev.NewSequence("apart")
		s.NoDeviceTime()
		record, err := k(b, s)
		if err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
		for range n {
			record()
		}
		g, err := s.Capture(driver.CaptureOptions{Overlap: overlap})
		if err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
		return func() (float64, error) {
			begin := time.Now()
			_, err := g.Run(b.ctx)
			return since(begin) / float64(n), err
		}, s.Close, nil
	}
}
