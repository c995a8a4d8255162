package cuda

import (
	"errors"

	"github.com/govyre/vyre/driver"
)

// number gives the loops that become part of a graph their control records.
func (r *runner) number(cmds []driver.Cmd, inside bool) {
	for _, c := range cmds {
		c, ok := c.(*driver.LoopCmd)
		if !ok {
			continue
		}
		inside := inside || c.Lowering == driver.LoopGraph
		if inside {
			r.controls[c] = len(r.numbered)
			r.numbered = append(r.numbered, c)
		}
		r.number(c.Body, inside)
	}
}

// capture makes the executables: one of all commands of a captured plan, those of the loops that
// the device decides on of a plain one.
func (r *runner) capture(o driver.CaptureOptions) error {
	// Commands of a graph cannot be told apart from outside, so who watches gets them one by one.
	if !r.replays() {
		return r.captureLoops(r.plan.Cmds)
	}
	g, err := r.newGraph(r.plan.Cmds, true, o.Overlap)
	r.whole = g
	return err
}

// captureLoops makes executables of the outermost loops among commands that the device decides
// on. A loop that the driver does not take, for what is in it or at all, becomes the host's.
func (r *runner) captureLoops(cmds []driver.Cmd) error {
	for _, c := range cmds {
		c, ok := c.(*driver.LoopCmd)
		if !ok {
			continue
		}
		if c.While && c.Lowering == driver.LoopGraph {
			g, err := r.newGraph([]driver.Cmd{c}, false, false)
			if err == nil {
				r.loops[c] = g
				continue
			}
			if c.Forced || !r.declined(err) {
				return err
			}
			c.Lowering = driver.LoopHost
			r.dev.gpu.Say("the host decides on the loop at %s of %q: %v", c.Path, r.plan.Label, err)
		}
		if err := r.captureLoops(c.Body); err != nil {
			return err
		}
	}
	return nil
}

// declined reports whether the driver does not take a graph, as opposed to having failed.
func (r *runner) declined(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		e = r.dev.gpu.ErrorOf("prepare", r.plan.Label, err)
	}
	return !e.Sticky && e.Kind != driver.OutOfMemory
}

// decided takes over what loops say that the device decided on: how they ended, and how often
// what is in them ran.
func (r *runner) decided() {
	for i, c := range r.numbered {
		if !c.While || c.Lowering == driver.LoopHost {
			continue
		}
		last, all, converged := r.records.rounds(r.reports, i)
		r.outcome[c.Index] = driver.LoopResult{Iterations: last, Converged: converged}
		r.dev.Count(driver.LoopIterationsGraph, all)
		r.count(&r.scopes.whiles[c.Index], all)
	}
}
