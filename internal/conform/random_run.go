package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
)

// shrinkTries bounds the work spent on making a failing program small.
const shrinkTries = 3000

// shrinkTriesAlone bounds it where each try is a process, with a context of its own.
const shrinkTriesAlone = 250

// shrinkFor bounds it in time, for devices on which a try takes long.
const shrinkFor = 20 * time.Second

// stuckAfter is how long a RandomRun waits for runs that go on though their context has ended.
const stuckAfter = 3 * time.Second

// ClockSeed returns a first seed that no run has had: the clock, spread over all seeds, so that runs that
// begin together go over different ones.
func ClockSeed() uint64 { return uint64(time.Now().UnixNano()) * 0x9E37_79B9_7F4A_7C15 }

// RandomRun compares random programs on each device with the interpreter: through text and back, then run. Failing
// programs are shrunk and stand in the summary's failures as text.
type RandomRun struct {
	Seed, N uint64                           // the first program, and how many
	Make    func(seed uint64) *RandomProgram // RandomShapes or RandomGo, say; nil is Random
	Workers int                              // goroutines; 0 is one
	Step    func()                           // called after each program; may be nil
	// Stop ends the run early once it is closed, without an error: nothing more is begun, and what is under way gets a
	// verdict. Nil never does.
	Stop <-chan struct{}
	// Alone tries the program of some decisions on the same devices in a process of its own, where a lost device harms
	// nobody. It is how a program that loses a device is found and made small; nil leaves those that were under way
	// without a verdict. See InProcess.
	Alone func(ctx context.Context, choices []uint16) error
}

// RunRandom is a RandomRun of n programs from seed on, in this process alone.
func RunRandom(ctx context.Context, seed, n uint64, workers int, s *Summary, step func(), devices ...Device) error {
	return RandomRun{Seed: seed, N: n, Workers: workers, Step: step}.Run(ctx, s, devices...)
}

// LostError says that a random program lost its device, and with it those under way.
type LostError struct {
	UnderWay []uint64 // seeds without a verdict; none if each was tried alone
	Next     uint64   // the first seed that was not begun
	Err      error
}

func (e *LostError) Error() string {
	if len(e.UnderWay) == 0 {
		return fmt.Sprintf("a program lost the device, seeds from %d on were not begun: %v", e.Next, e.Err)
	}
	return fmt.Sprintf("one of the programs %d lost the device, seeds from %d on were not begun: %v", e.UnderWay, e.Next, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// randomRun is a run under way.
type randomRun struct {
	RandomRun
	devices []Device

	mu       sync.Mutex // for what follows, and for the summary and Step
	s        *Summary
	next     uint64 // programs begun
	underWay map[uint64]bool
	over     bool
	lost     error    // the first that lost a device
	suspects []uint64 // that have failed since
}

// Run tries the programs. It uses as many goroutines as there are workers, if the devices allow concurrent runs. When
// ctx ends, its error names the programs under way, which are no failures; goroutines whose runs do not end then are
// left running. When a device is lost, the programs under way are tried alone, and the rest is left: a *LostError.
func (o RandomRun) Run(ctx context.Context, s *Summary, devices ...Device) error {
	r := &randomRun{RandomRun: o, devices: devices, s: s, underWay: map[uint64]bool{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var workers sync.WaitGroup
		for range max(1, o.Workers) {
			workers.Go(func() {
				for seed, ok := r.begin(ctx); ok; seed, ok = r.begin(ctx) {
					p := r.make(seed)
					err := p.Agree(ctx, devices...)
					if ctx.Err() != nil {
						return // what the end of ctx has to do with it is not known
					}
					if err != nil && !errors.Is(err, driver.DeviceLost) {
						err = shrunk(ctx, p, err, devices)
					}
					r.end(seed, p, err)
				}
			})
		}
		workers.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(stuckAfter):
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w, with programs %d under way", err, slices.Sorted(maps.Keys(r.underWay)))
	}
	if r.lost != nil {
		return r.accuse(ctx)
	}
	return nil
}

// make makes the program of a seed.
func (o RandomRun) make(seed uint64) *RandomProgram {
	if o.Make != nil {
		return o.Make(seed)
	}
	return Random(seed)
}

// begin returns the next seed, if there is one to try.
func (r *randomRun) begin(ctx context.Context) (uint64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.Stop:
		return 0, false
	default:
	}
	if r.next == r.N || ctx.Err() != nil || r.lost != nil {
		return 0, false
	}
	seed := r.Seed + r.next
	r.next++
	r.underWay[seed] = true
	return seed, true
}

// end notes what came of a program. What fails once a device is lost is no verdict.
func (r *randomRun) end(seed uint64, p *RandomProgram, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	delete(r.underWay, seed)
	if err != nil && (r.lost != nil || errors.Is(err, driver.DeviceLost)) {
		r.lost = cmp.Or(r.lost, err)
		r.suspects = append(r.suspects, seed)
		return
	}
	r.count(seed, p, err)
}

func (r *randomRun) count(seed uint64, p *RandomProgram, err error) {
	r.s.Cases++
	r.s.Shapes += p.shapes
	r.s.Values += p.shapes * int(p.Invocations())
	if err == nil {
		r.s.Passed++
	} else {
		r.s.Failed++
		if len(r.s.Failures) < 100 {
			r.s.Failures = append(r.s.Failures, Failure{&Case{Family: p.Family, Name: fmt.Sprint(seed)}, err})
		}
	}
	if r.Step != nil {
		r.Step()
	}
}

// accuse tries each suspect alone, and shrinks those that fail there.
func (r *randomRun) accuse(ctx context.Context) error {
	lost := &LostError{UnderWay: r.suspects, Next: r.Seed + r.next, Err: r.lost}
	if r.Alone == nil {
		return lost
	}
	lost.UnderWay = nil
	for _, seed := range r.suspects {
		p := r.make(seed)
		err := r.Alone(ctx, p.Choices())
		if ctx.Err() != nil {
			lost.UnderWay = append(lost.UnderWay, seed)
			continue
		}
		if err != nil {
			small := Shrink(ctx, p, shrinkTriesAlone, func(c *RandomProgram) bool {
				return ctx.Err() == nil && r.Alone(ctx, c.Choices()) != nil && ctx.Err() == nil
			})
			err = fmt.Errorf("loses the device, also alone: %w\n%s", err, small.Describe())
		}
		r.count(seed, p, err)
	}
	return lost
}

// shrunk describes a program that has failed with err, made as small as the time allows. However soon ctx ends, it has
// failed.
func shrunk(ctx context.Context, r *RandomProgram, err error, devices []Device) error {
	whole := fmt.Errorf("%w\n%s", err, r.Describe())
	ctx, cancel := context.WithTimeout(ctx, shrinkFor)
	defer cancel()
	fails := func(c *RandomProgram) error {
		if err := c.Agree(ctx, devices...); ctx.Err() == nil {
			return err
		}
		return nil
	}
	if fails(r) == nil && ctx.Err() == nil {
		return fmt.Errorf("%w; a second run of the same program agreed\n%s", err, r.Describe())
	}
	last := whole
	small := Shrink(ctx, r, shrinkTries, func(c *RandomProgram) bool {
		err := fails(c)
		if err == nil || errors.Is(err, driver.DeviceLost) {
			return false
		}
		last = err
		return true
	})
	if last == whole {
		return whole
	}
	return fmt.Errorf("%w\n%s", last, small.Describe())
}
