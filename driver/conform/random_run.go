package conform

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir/text"
)

// shrinkTries bounds the work spent on making a failing program small.
const shrinkTries = 3000

// stuckAfter is how long RunRandom waits for runs that go on though their context has ended.
const stuckAfter = time.Second

// RunRandom compares n random programs, from seed on, on each device with the interpreter: through text
// and back, then run. Failing programs are shrunk and stand in the summary's failures as text. It
// uses all processors if the device allows concurrent runs. When ctx ends, its error names the programs
// under way; goroutines whose runs do not end then are left behind.
func RunRandom(ctx context.Context, seed, n uint64, workers int, s *Summary, step func(), devices ...Device) error {
	var mu sync.Mutex // for what follows, and for s and step
	underWay := map[uint64]bool{}
	over := false
	var wg sync.WaitGroup
	next := make(chan uint64, 64)
	for range max(1, workers) {
		wg.Go(func() {
			for seed := range next {
				if ctx.Err() != nil {
					continue
				}
				mu.Lock()
				underWay[seed] = true
				mu.Unlock()
				err := tryRandom(ctx, seed, devices)
				mu.Lock()
				if over || ctx.Err() != nil {
					mu.Unlock()
					continue
				}
				delete(underWay, seed)
				s.Cases++
				if err == nil {
					s.Passed++
				} else {
					s.Failed++
					if len(s.Failures) < 100 {
						s.Failures = append(s.Failures, Failure{&Case{Family: "random", Name: fmt.Sprint(seed)}, err})
					}
				}
				step()
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range n {
			if ctx.Err() != nil {
				break
			}
			select {
			case next <- seed + i:
			case <-ctx.Done():
			}
		}
		close(next)
		wg.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(stuckAfter):
		}
	}
	mu.Lock()
	defer mu.Unlock()
	over = true
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w, with programs %d under way", err, slices.Sorted(maps.Keys(underWay)))
	}
	return nil
}

// tryRandom compares one program, and shrinks it if it fails.
func tryRandom(ctx context.Context, seed uint64, devices []Device) error {
	r := Random(seed)
	err := r.Agree(ctx, devices...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if again := r.Agree(ctx, devices...); again == nil {
		return fmt.Errorf("%w; a second run of the same program agreed\n%s", err, r.Describe())
	}
	small := Shrink(r, shrinkTries, func(c *RandomProgram) bool { return ctx.Err() == nil && c.Agree(ctx, devices...) != nil })
	again := small.Agree(ctx, devices...)
	if again == nil {
		again = fmt.Errorf("%w; a smaller program fails now and then", err)
	}
	return fmt.Errorf("%w\n%s", again, small.Describe())
}

// Agree runs the program on the interpreter, going forward and with every detector, and, read back from
// its text, on every device. It returns how they differ, or what the detectors found.
func (r *RandomProgram) Agree(ctx context.Context, devices ...Device) error {
	oracle := Interp(interp.Options{Detect: interp.Races | interp.Undefined})
	want, err := oracle.Run(ctx, r.Program, r.Launch)
	if err != nil {
		return fmt.Errorf("on the interpreter: %w", err)
	}
	for _, rep := range want.Reports {
		return fmt.Errorf("a program made to be free of findings has one: %s", rep.Text)
	}
	back, err := text.Parse("random", text.Of(r.Program))
	if err != nil {
		return fmt.Errorf("its text is refused: %w", err)
	}
	if back[0].Digest() != r.Program.Digest() {
		return fmt.Errorf("its text is another program")
	}
	for _, d := range devices {
		got, err := d.Run(ctx, back[0], r.Launch)
		if err != nil {
			return fmt.Errorf("on %s: %w", d.Name(), err)
		}
		if err := r.differ(got, want); err != nil {
			return fmt.Errorf("on %s: %w", d.Name(), err)
		}
	}
	return nil
}

// differ compares two outcomes. After a trap a device may have ended early, so then
// only the trap counts.
func (r *RandomProgram) differ(got, want Outcome) error {
	switch {
	case want.Trap == nil && got.Trap != nil:
		return fmt.Errorf("trap %d with %d, want none", got.Trap.Code, got.Trap.Value)
	case want.Trap != nil && got.Trap == nil:
		return fmt.Errorf("no trap, want %d with %d", want.Trap.Code, want.Trap.Value)
	case want.Trap != nil:
		g, w := *got.Trap, *want.Trap
		if g.Code != w.Code || g.Value != w.Value || g.Group != w.Group || g.Local != w.Local {
			return fmt.Errorf("trap %+v, want %+v", g, w)
		}
		return nil
	}
	for i, w := range want.Buffers {
		p := r.Program.Params()[i]
		if !p.IsBuffer() || bytes.Equal(got.Buffers[i], w) {
			continue
		}
		if err := compare(p.Type, got.Buffers[i], w, nil); err != nil {
			return fmt.Errorf("buffer %s: %w", p.Name, err)
		}
	}
	return nil
}

// Describe prints the program and its launch in the form of a case file.
func (r *RandomProgram) Describe() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "-- program --\n%s-- launch --\ngrid %d %d %d\n", text.Of(r.Program), r.Launch.Grid[0], r.Launch.Grid[1], r.Launch.Grid[2])
	for i, p := range r.Program.Params() {
		fmt.Fprintf(&b, "arg %s =", p.Name)
		if !p.IsBuffer() {
			fmt.Fprintf(&b, " %#x\n", r.Launch.Args[i].Bits&p.Type.Mask())
			continue
		}
		data := r.Launch.Args[i].Data
		if len(bytes.Trim(data, "\x00")) == 0 {
			fmt.Fprintf(&b, " zeros %d\n", len(data)/p.Type.Size())
			continue
		}
		for at := 0; at < len(data); at += p.Type.Size() {
			fmt.Fprintf(&b, " %#x", bitsOf(p.Type, data[at:]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
