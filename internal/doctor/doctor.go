package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// State is how a check went.
type State string

// The states.
const (
	OK   State = "ok"
	Warn State = "warn"
	Fail State = "FAIL"
)

// Check is one line of the report. Its texts may hold anything that a driver, a path or the environment holds.
type Check struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Found string `json:"found"`
	Fix   string `json:"fix,omitempty"`
}

// String is the line, without its end.
func (c Check) String() string {
	s := fmt.Sprintf("%s %s: %s", c.State, c.Name, c.Found)
	if c.Fix != "" {
		s += "; fix: " + c.Fix
	}
	return s
}

// Subject is what is looked at.
type Subject struct {
	Device string    // as for driver.Open; empty or "auto" names none
	Driver cu.Driver // instead of the library of the system
}

// Examine makes the checks, and calls each for every one of them in turn. It returns the name of the device that was opened,
// "" if there was none. When ctx ends, it returns early with the context's error.
func Examine(ctx context.Context, s Subject, each func(Check)) (device string, err error) {
	e := &exam{ctx: ctx, asked: asked{name: s.Device}, drv: s.Driver, handed: s.Driver, each: each, blocked: map[string]string{}}
	defer e.close()
	if e.named = e.name != "" && e.name != "auto"; !e.named {
		e.name = os.Getenv(driver.EnvDevice)
		if e.named = e.name != "" && e.name != "auto"; !e.named {
			e.name = cuda.Name
		}
	}
	e.kind, e.selector, _ = strings.Cut(e.name, ":")
	if e.kind == cudasim.Name && e.drv == nil {
		var c cusim.Config
		if m := cusim.Named(e.selector); m != nil { // the only GPU of a driver of its own
			c.Models, e.model, e.selector = []cusim.Model{m}, e.name, ""
		}
		e.handed = cusim.New(c)
	}
	if e.kind == cuda.Name || e.kind == cudasim.Name {
		if err := e.run(gpuChecks); err != nil || !e.absent {
			return e.opened(), err
		}
		e.name, e.drv = cpu.Name, nil
	}
	err = e.run(otherChecks)
	return e.opened(), err
}

// exam is an examination under way. Checks leave here what later ones use.
type exam struct {
	ctx context.Context
	asked
	each    func(Check)
	blocked map[string]string // from a check that failed or did not run to the one that failed
	lost    string            // check during which the device was lost

	handed  cu.Driver // not nil: instead of the library
	drv     cu.Driver
	absent  bool // there is no GPU, and none was asked for
	gpu     cu.Device
	version int

	dev   driver.Device
	saxpy driver.Kernel
	kept  bool // the sample was found in the cache
}

// asked is the device that is looked for.
type asked struct {
	name           string
	kind, selector string
	model          string // the name again, of a simulated GPU that has no number
	named          bool   // by the caller or the environment
}

// check is how one of the checks is made.
type check struct {
	name  string
	needs []string // checks without which it makes no sense
	make  func(*exam) finding
}

// finding is what a check comes to.
type finding struct {
	state      State
	found, fix string
}

func good(format string, args ...any) finding { return finding{OK, fmt.Sprintf(format, args...), ""} }

func warning(fix, format string, args ...any) finding {
	return finding{Warn, fmt.Sprintf(format, args...), fix}
}

func failing(fix, format string, args ...any) finding {
	return finding{Fail, fmt.Sprintf(format, args...), fix}
}

// failed is the finding of an error. Its fix is said once.
func failed(err error) finding {
	f := finding{Fail, err.Error(), ""}
	var e *driver.Error
	var missing *cu.MissingError
	switch {
	case errors.As(err, &e):
		f.fix = e.Fix
		f.found = strings.TrimPrefix(strings.Replace(f.found, "; fix: "+e.Fix, "", 1), "vyre: ")
	case errors.As(err, &missing):
		f.fix = cmp.Or(missing.Fix, "use device cpu")
	}
	return f
}

// run makes the checks of a list. It ends where it turns out that there is no GPU, and none is needed.
func (e *exam) run(list []check) error {
	for _, c := range list {
		if err := context.Cause(e.ctx); err != nil {
			return err
		}
		f := e.blockedBy(c)
		if f.state == "" {
			if f = c.make(e); f.state == Fail {
				e.blocked[c.name] = c.name
			}
		}
		if e.dev != nil && e.lost == "" && e.dev.Err() != nil {
			e.lost = c.name
		}
		if e.ctx.Err() != nil {
			return context.Cause(e.ctx) // what it found may be that it was interrupted
		}
		e.each(Check{c.name, f.state, f.found, f.fix})
		if e.absent && f.state == Warn {
			return nil
		}
	}
	return nil
}

// blockedBy is the finding of a check that cannot be made, empty if it can.
func (e *exam) blockedBy(c check) finding {
	if c.needs == nil {
		return finding{}
	}
	by := e.lost
	for _, need := range c.needs {
		by = cmp.Or(by, e.blocked[need])
	}
	if by == "" {
		return finding{}
	}
	e.blocked[c.name] = by
	return warning("", "not checked, because %s failed", by)
}

func (e *exam) opened() string {
	if e.dev == nil {
		return ""
	}
	return e.dev.Name()
}

// close gives the device back. Whatever that says, the checks are made.
func (e *exam) close() {
	if e.dev != nil {
		_ = e.dev.Close()
	}
}
