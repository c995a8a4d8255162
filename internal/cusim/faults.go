package cusim

import (
	"iter"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// Faults are calls that fail.
type Faults []Rule

// Rule lets one call fail.
type Rule struct {
	// Call is the driver's name of the function, such as "cuMemAlloc_v2"; empty stands for all of them.
	Call string
	// Nth is which of these calls fails, from 1.
	Nth    int
	Result cu.Result
	// Err is what the call returns instead: a driver of the caller's own may fail with errors that are none of CUDA's.
	Err error
	// After lets the call do its work first.
	After bool
	// Sticky lets the context not survive it, whatever the result is.
	Sticky bool
}

// inject fails a call by the rules. A result that no context survives breaks the one of the thread.
func (d *Driver) inject(call string, after bool) error {
	for _, r := range d.config.Faults {
		n := d.calls
		if r.Call != "" {
			n = d.counts[call]
		}
		if r.After != after || n != r.Nth || r.Call != "" && r.Call != call {
			continue
		}
		if r.Err != nil {
			return r.Err
		}
		err := &cu.CallError{Call: call, Result: r.Result}
		if v := d.bearer(d.current[threadID()]); v != nil && v.sticky == nil && (r.Sticky || sticky(r.Result)) {
			v.sticky = err
		}
		return err
	}
	return nil
}

// Fail adds a rule that counts calls from now on.
func (d *Driver) Fail(r Rule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.Nth += d.count(r.Call)
	d.config.Faults = append(d.config.Faults, r)
}

// Count returns how many calls there were, of one name or of all.
func (d *Driver) Count(call string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count(call)
}

func (d *Driver) count(call string) int {
	if call == "" {
		return d.calls
	}
	return d.counts[call]
}

// leave ends a call that has done its work.
func (d *Driver) leave(call string) error {
	if d.config.Eager {
		for _, v := range d.devices {
			v.drain()
		}
	}
	return d.inject(call, true)
}

// sticky reports whether a context does not survive the result.
func sticky(r cu.Result) bool {
	return r == illegalAddress || r == timeout || r == 710 || r >= 714 && r <= 719 || r == 214 || r == 220 || r == 226
}

// resultOf is the result that a broken context answers with.
func resultOf(cause error) cu.Result {
	switch c := cause.(type) {
	case *cu.CallError:
		return c.Result
	case *machine.Fault:
		switch c.Kind {
		case machine.IllegalAddress:
			return illegalAddress
		case machine.Misaligned:
			return misaligned
		case machine.Deadlock, machine.Budget:
			return timeout
		}
	}
	return launchFailed
}

// Attempt is one run of a scenario in which one call failed.
type Attempt struct {
	Rule
	Driver *Driver
	Err    error // of the scenario
}

// EachCall runs a scenario once on a driver of the configuration, then once for the call that it made with the number first,
// from 1, for each that comes a multiple of every later, and for each result, on a fresh driver that lets that call fail. Of a
// number that is more than there are calls, what is left over counts, so that one fails if there is any. If the run without
// faults fails, it is the only one.
func EachCall(c Config, first, every int, scenario func(*Driver) error, results ...cu.Result) iter.Seq[Attempt] {
	return func(yield func(Attempt) bool) {
		c.Record = true
		clean := New(c)
		if err := scenario(clean); err != nil {
			yield(Attempt{Driver: clean, Err: err})
			return
		}
		calls := clean.Calls()
		first = (first-1)%max(len(calls), 1) + 1
		for i, call := range calls {
			if n := i + 1; n < first || (n-first)%every != 0 {
				continue
			}
			for _, result := range results {
				r := Rule{Nth: i + 1, Result: result}
				c.Faults = Faults{r}
				r.Call = call
				d := New(c)
				err := scenario(d)
				if made := d.Calls(); i < len(made) { // a scenario with several threads may come to another call
					r.Call = made[i]
				}
				if !yield(Attempt{Rule: r, Driver: d, Err: err}) {
					return
				}
			}
		}
	}
}

// Heal takes all faults out, so that what comes after them can be looked at: the next context is that of
// another process, in effect.
func (d *Driver) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.config.Faults = nil
	for _, v := range d.devices {
		v.lasts = nil
	}
}
