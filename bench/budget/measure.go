package main

import (
	"cmp"
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
	library   string // the same of sides of libraries; empty if they have no way for it
	bound     bound
	most      float64 // nanoseconds that ours may take; 0 is no bound
	// part divides the samples of a block: measures that take long have fewer.
	part int
	// also lists further sides to hold ours against.
	also []rival
	// unless says why the measure means nothing on this machine.
	unless func(*bench) string
}

// rival is a side of another kind, judged under its own name: of C, or another way of ours.
type rival struct {
	name, reference string
	bound           bound // without one the side is printed and not judged
	side            string
	ours            setup // nil for C's
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
		rivals = append([]rival{{name: m.name, reference: m.reference, bound: m.bound}}, rivals...)
	}
	takes, ends, err := b.ways(rivals)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, errors.Join(err, done()))
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
			if takes[k] != nil {
				c, err = take(takes[k], n)
			} else {
				c, none[k] = b.theirs(r.reference, n)
			}
			if none[k] == nil && err == nil && i >= 0 {
				theirs[k] = append(theirs[k], c)
			}
		}
		for k, library := range b.libraries {
			name, args, _ := strings.Cut(m.library, " ")
			if m.library == "" || err != nil {
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
	for _, end := range append(ends, done) {
		err = errors.Join(err, end())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	b.judge(m, rivals, together(ours), libraries, theirs, none)
	return nil
}

// ways sets up the rivals that are ways of ours.
func (b *bench) ways(rivals []rival) (takes []func() (float64, error), ends []func() error, err error) {
	takes = make([]func() (float64, error), len(rivals))
	for k, r := range rivals {
		if r.ours == nil || err != nil {
			continue
		}
		var end func() error
		if takes[k], end, err = r.ours(b); err == nil {
			ends = append(ends, end)
		}
	}
	if err != nil {
		for _, end := range ends {
			err = errors.Join(err, end())
		}
	}
	return takes, ends, err
}

// noTimes is why nothing of a simulated device alone is judged.
const noTimes = "a simulated device has no times of its own"

// judge prints what all sides took, and judges ours.
func (b *bench) judge(m measure, rivals []rival, mine block, libraries, theirs [][]block, none []error) {
	b.out.side(m.name, "vyre", mine)
	simulated := b.env.dev.Caps().Simulated
	switch {
	case m.most > 0 && simulated:
		b.out.skip(m.name+"-ns", noTimes)
	case m.most > 0:
		b.out.number(m.name+"-ns", "ns", mine.p50, m.most, mine.p50 <= m.most)
	}
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
		b.out.side(r.name, cmp.Or(r.side, "c"), c)
		switch {
		case r.bound == (bound{}):
		case r.side != "" && simulated:
			b.out.skip(r.name, noTimes)
		default:
			ratio, limit, ok := r.bound.judge(mine.p50, c.p50)
			b.out.ratio(r.name, ratio, limit, ok)
		}
	}
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
