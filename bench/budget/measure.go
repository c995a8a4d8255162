package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// measure is one thing that both sides do.
type measure struct {
	name string
	// ours returns what takes one sample and returns nanoseconds, and what to do when all are taken.
	ours func(*bench) (sample func() (float64, error), done func() error, err error)
	// reference is the C side's name of the measure with its arguments; empty if it cannot be measured there.
	reference string
	libraries bool // other libraries can do it, too
	bound     bound
	// part divides the samples of a block: measures that take long have fewer.
	part int
	// also lists further C sides to hold ours against.
	also []rival
	// unless says why the measure means nothing on this machine.
	unless func(*bench) string
}

// rival is a C side of another kind, judged under its own name.
type rival struct {
	name, reference string
	bound           bound
}

// bench is one run.
type bench struct {
	options
	ctx       context.Context
	began     time.Time
	size      sizes
	env       *environment
	reference *reference
	none      error        // why the C side is missing
	libraries []*reference // sides of libraries, which a run judges nothing by
	out       *printer
}

// run measures and judges one measure.
func (b *bench) run(m measure) error {
	if b.late() {
		b.out.skip(m.name, "the time was over after %v", b.limit)
		return nil
	}
	if m.unless != nil {
		if reason := m.unless(b); reason != "" {
			b.out.skip(m.name, "%s", reason)
			return nil
		}
	}
	sample, done, err := m.ours(b)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	n := max(1, b.samples/max(1, m.part))
	libraries := make([][]block, len(b.libraries))
	rivals := m.also
	if m.reference != "" {
		rivals = append([]rival{{m.name, m.reference, m.bound}}, rivals...)
	}
	var ours []block
	theirs, none := make([][]block, len(rivals)), make([]error, len(rivals))
	// One block of each side is not counted: it warms both up.
	for i := -1; i < b.blocks && err == nil; i++ {
		var mine block
		if mine, err = take(sample, n); err == nil && i >= 0 {
			ours = append(ours, mine)
		}
		for k, r := range rivals {
			if none[k] != nil || err != nil {
				continue
			}
			var c block
			if c, none[k] = b.theirs(r.reference, n); none[k] == nil && i >= 0 {
				theirs[k] = append(theirs[k], c)
			}
		}
		for k, library := range b.libraries {
			name, args, _ := strings.Cut(m.reference, " ")
			if !m.libraries || err != nil {
				continue
			}
			c, none := library.block(name, n, args)
			switch {
			case none == nil && i >= 0:
				libraries[k] = append(libraries[k], c)
			case none != nil && !errors.Is(none, errNoReference):
				err = none
			}
		}
		if b.late() && i >= 0 {
			break // what there is counts, with its n
		}
	}
	if err = errors.Join(err, done()); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	mine := together(ours)
	b.out.side(m.name, "vyre", mine)
	for k, library := range b.libraries {
		if len(libraries[k]) > 0 {
			b.out.side(m.name, library.name, together(libraries[k]))
		}
	}
	for k, r := range rivals {
		if len(theirs[k]) == 0 || none[k] != nil {
			b.out.skip(r.name, "%v", none[k])
			continue
		}
		c := together(theirs[k])
		b.out.side(r.name, "c", c)
		ratio, limit, ok := r.bound.judge(mine.p50, c.p50)
		b.out.ratio(r.name, ratio, limit, ok)
	}
	return nil
}

// theirs takes a block on the C side.
func (b *bench) theirs(command string, n int) (block, error) {
	if b.reference == nil {
		return block{}, b.none
	}
	name, args, _ := strings.Cut(command, " ")
	return b.reference.block(name, n, args)
}

// late reports whether the time for measuring is over. Only between blocks: a sample is never cut short.
func (b *bench) late() bool { return b.limit > 0 && time.Since(b.began) > b.limit }

// take takes a block of samples.
func take(sample func() (float64, error), n int) (block, error) {
	samples := make([]float64, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range samples {
		t, err := sample()
		if err != nil {
			return block{}, err
		}
		samples[i] = t
	}
	runtime.ReadMemStats(&after)
	blk := blockOf(samples)
	blk.allocs = float64((after.Mallocs - before.Mallocs) / uint64(n))
	return blk, nil
}

// since returns nanoseconds.
func since(begin time.Time) float64 { return float64(time.Since(begin).Nanoseconds()) }
