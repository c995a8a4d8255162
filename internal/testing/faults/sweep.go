package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/long"
)

// Object is something that works on a device again and again: a queue, a plan, a session. Its functions compare what
// they come to with what is right, and return ErrWrong if a call without an error is not right.
type Object struct {
	// Run sets all that a run needs and runs, whatever came of the calls before.
	Run func(ctx context.Context) error
	// Resume goes on after a Run or a Resume that failed; nil if there is no such thing. It may refuse, with an error of
	// kind InvalidArgument, or of kind DeviceFault: then the work is lost, and said to be.
	Resume func(ctx context.Context) error
	Close  func() error
	// Kinds is how many kinds of runs take turns, as the questions to a session; 0 is one.
	Kinds int
}

// Maker makes an object on a device. Where it fails, Close is of what there is.
type Maker func(ctx context.Context, dev driver.Device) (Object, error)

// Steps makes an object that sets the memory of a run, runs, and compares what that leaves, each of which may fail. What
// failed before the run is set again, and what failed behind it is compared again.
func Steps(set, run, resume, compare func(ctx context.Context) error, closing func() error) Object {
	at := 0
	do := func(ctx context.Context, steps ...func(ctx context.Context) error) error {
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return err
			}
			at++
		}
		return nil
	}
	o := Object{Close: closing}
	o.Run = func(ctx context.Context) error {
		at = 0
		if err := do(ctx, set); err != nil {
			return err
		}
		return do(ctx, run, compare)
	}
	if resume != nil {
		o.Resume = func(ctx context.Context) error {
			if at == 0 {
				return o.Run(ctx)
			}
			return do(ctx, []func(ctx context.Context) error{resume, compare}[at-1:]...)
		}
	}
	return o
}

// Sweep lets calls of the driver fail in the middle of the work of objects, before and after their effect. After a failure
// an object is resumed, and in any case used again.
type Sweep struct {
	Config cusim.Config
	// Make makes the object, and again where the device was lost.
	Make Maker
	// Faults is how many runs with a fault there are.
	Faults int
	// Seed says which.
	Seed uint64
}

// Tally is what a sweep came to.
type Tally struct {
	Faults  int // runs in which a call failed
	Errors  int // of them, that returned an error
	Resumed int // of these, that went on and were right
	Refused int // that said that there is nothing to go on with
	Lost    int // that cost the device
}

func (n Tally) String() string {
	return fmt.Sprintf("%d runs with faults: %d errors, %d resumed, %d refused to, %d devices lost", n.Faults, n.Errors, n.Resumed, n.Refused, n.Lost)
}

// results that calls fail with. Those that no context survives are rare: what comes after the others is looked at.
var results = []cu.Result{cu.OutOfMemory, cu.OutOfMemory, 1, 701, 909, 999}

const fatal, fatalOf = cu.Result(719), 30

// Sizes is how many faults a sweep has: a few in quick tests, a fiftieth of all with -long, and all with -exhaustive.
func Sizes(quick, all int) int {
	if testing.Short() && !long.Enabled() {
		return quick / 2
	}
	return long.Count(quick, max(quick, all/50), all)
}

// Run sweeps.
func (s Sweep) Run(t *testing.T) (n Tally) {
	t.Helper()
	begin := time.Now()
	w := &sweeper{Sweep: s, rng: rand.New(rand.NewPCG(s.Seed, 30)), n: &n}
	for tries := 0; n.Faults < s.Faults && !t.Failed(); tries++ {
		if tries > 10*s.Faults+100 {
			t.Fatalf("%d tries, and %v", tries, n)
		}
		if err := w.try(); err != nil {
			t.Errorf("seed %d, %d tries: %v: %v", s.Seed, tries, w.rules, err)
		}
	}
	if err := w.shut(); err != nil && !t.Failed() {
		t.Logf("closing: %v", err)
	}
	t.Logf("%v, in %v", n, time.Since(begin).Round(time.Millisecond))
	return n
}

// sweeper is a sweep that is under way.
type sweeper struct {
	Sweep
	n      *Tally
	rng    *rand.Rand
	driver *cusim.Driver
	dev    driver.Device
	object Object
	turn   int   // of the object's runs
	calls  []int // of a run of each kind without an error, as far as there was one
	rules  []cusim.Rule
}

// patience is how long a run may take. The simulator needs some milliseconds.
const patience = 3 * time.Minute

// try lets one run fail, or two.
func (w *sweeper) try() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w.rules = nil
	if w.dev == nil {
		if err := w.open(ctx); err != nil {
			return err
		}
	}
	w.fail()
	before := w.driver.Count("")
	err := w.run(ctx)
	fired := w.driver.Count("")-before >= w.rules[0].Nth
	if fired {
		w.n.Faults++
	}
	if err != nil {
		w.n.Errors++
		if w.resumes() {
			err = w.resumed(ctx, err)
		}
	}
	w.driver.Heal()
	switch {
	case errors.Is(err, ErrWrong) || ctx.Err() != nil:
		return errors.Join(err, ctx.Err())
	case err != nil && !typed(err):
		return fmt.Errorf("the error is not one of the device: %w", err)
	}
	// What comes after it is right, or the device is lost, of which the run itself need not have heard.
	again := w.after(ctx)
	switch {
	case again == nil:
		return nil
	case errors.Is(again, driver.DeviceLost) && w.sticky():
		w.n.Lost++
		_ = w.shut() // with the device went what there was to close
		return nil
	}
	return fmt.Errorf("the next run fails: %w, after %w", again, err)
}

// after is what the object's next run comes to that calls the driver. One that does not, as a question that the host answers,
// says nothing about a device that was lost.
func (w *sweeper) after(ctx context.Context) error {
	before := w.driver.Count("")
	for range w.calls {
		if err := w.run(ctx); err != nil || w.driver.Count("") > before {
			return err
		}
	}
	return nil
}

// resumes draws whether what failed is resumed.
func (w *sweeper) resumes() bool { return w.object.Resume != nil && w.rng.IntN(4) != 0 }

// resumed goes on after an error for as long as there is one.
func (w *sweeper) resumed(ctx context.Context, err error) error {
	for range 8 {
		if err == nil || errors.Is(err, ErrWrong) || errors.Is(err, driver.DeviceLost) {
			break
		}
		err = w.object.Resume(ctx)
		switch {
		case err == nil:
			w.n.Resumed++
		case errors.Is(err, driver.InvalidArgument) && !injected(err), errors.Is(err, driver.DeviceFault) && !injected(err):
			w.n.Refused++
			return err
		}
	}
	return err
}

// injected reports whether an error came of a call.
func injected(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Call != ""
}

func typed(err error) bool {
	var e *driver.Error
	return errors.As(err, &e)
}

// sticky reports whether a rule has a result that the context may not survive: what says so is unknown, or a call that fails
// again while it is asked about the first failure.
func (w *sweeper) sticky() bool {
	for _, r := range w.rules {
		if r.Result == fatal || r.Result == 999 || r.Result == 909 {
			return true
		}
	}
	return len(w.rules) > 1
}

// firstCalls is taken for the calls of a run until there was one without an error.
const firstCalls = 60

// run is the next run of the object.
func (w *sweeper) run(ctx context.Context) error {
	at, before := w.turn%len(w.calls), w.driver.Count("")
	w.turn++
	err := w.object.Run(ctx)
	if err == nil {
		w.calls[at] = w.driver.Count("") - before
	}
	return err
}

// fail draws what fails: one call, or in every third run a second one, as far after it as the first from the beginning.
func (w *sweeper) fail() {
	calls := w.calls[w.turn%len(w.calls)]
	if calls == 0 {
		calls = firstCalls
	}
	for at := 0; ; {
		at += 1 + w.rng.IntN(calls)
		r := cusim.Rule{Nth: at, Result: results[w.rng.IntN(len(results))], After: w.rng.IntN(2) == 0}
		if w.rng.IntN(fatalOf) == 0 {
			r.Result = fatal
		}
		w.driver.Fail(r)
		if w.rules = append(w.rules, r); len(w.rules) == 2 || w.rng.IntN(3) != 0 {
			return
		}
	}
}

// open opens a device and makes the object.
func (w *sweeper) open(ctx context.Context) error {
	w.driver = cusim.New(w.Config)
	dev, err := cuda.Open(cuda.Options{Driver: w.driver, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second, CacheDir: driver.CacheOff}})
	if err != nil {
		return err
	}
	w.dev = dev
	if w.object, err = w.Make(ctx, dev); err != nil {
		return err
	}
	w.turn, w.calls = 0, make([]int, max(w.object.Kinds, 1))
	return nil
}

func (w *sweeper) shut() (err error) {
	if w.dev != nil {
		if w.object.Close != nil {
			err = w.object.Close()
		}
		err = errors.Join(err, w.dev.Close())
	}
	w.dev, w.object = nil, Object{}
	return err
}
