package driver

import (
	"fmt"
	"slices"
)

// memoizable returns nil if equal inputs give equal outputs in every run of the sequence, or says what may keep them
// from that.
func memoizable(s *Sequence) error {
	for _, l := range s.plan.Launches {
		if msg, fix := forgetful(l); msg != "" {
			return unremembered(s, l.Path, fix, "%s", msg)
		}
	}
	for _, u := range s.plan.Uses {
		if u.Buffer.leaf().shared.Load() > 0 {
			return unremembered(s, "", "copy it to a buffer of your own, outside the graph", "another library may write %s at any time", nameOf(u.Buffer))
		}
		if u.Writes && !holdsOf(s).isScratch(u.Buffer) {
			return unremembered(s, "", "make it scratch memory of the sequence", "a run writes %s, which others can see, and a remembered one would not", nameOf(u.Buffer))
		}
	}
	d := definitions{seq: s, written: map[Buffer][]Range{}}
	return d.list(s.plan.Cmds)
}

func unremembered(s *Sequence, path, fix, format string, args ...any) error {
	return &Error{Op: "memoize", Label: s.label, Device: s.core.name, Path: path, Kind: Unsupported, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// maxProven is how many invocations ir.Traits.Deterministic is about.
const maxProven = 1 << 31

// forgetful says why a launch may give different outputs for equal inputs, and what helps.
func forgetful(l *LaunchCmd) (msg, fix string) {
	name, flags := l.Kernel.Label(), l.Kernel.Flags()
	switch {
	case flags&Traces != 0:
		return fmt.Sprintf("kernel %s traces, and a remembered run would not", name), "take the trace out"
	case flags&(Exact|Deterministic) == 0:
		return fmt.Sprintf("results of kernel %s are not the same in every run: it is approximate, adds floats atomically, or reads the clock", name), "compute them by exact ops"
	case flags&Deterministic == 0:
		return fmt.Sprintf("kernel %s is not proven deterministic: two of its invocations may come to one element, in any order", name),
			"let each invocation store at an index of its own, or use integer atomics of one kind without their results; vyre check says which kernels are deterministic"
	case !l.Grid.Empty() && (l.Grid[1] > 1 || l.Grid[2] > 1):
		return fmt.Sprintf("kernel %s is proven deterministic for grids along x, and this one is %v", name, l.Grid), "launch it along x"
	case l.slots() > maxProven:
		return fmt.Sprintf("kernel %s is proven deterministic for %d invocations, and this launch has %d", name, uint64(maxProven), l.slots()), "launch fewer groups"
	}
	return "", ""
}

// definitions finds what a run reads of scratch memory before it has written it: what an earlier run has left there.
type definitions struct {
	seq     *Sequence
	written map[Buffer][]Range // in order, with bytes in between
}

func (d *definitions) list(cmds []Cmd) error {
	for _, c := range cmds {
		if l, loop := c.(*LoopCmd); loop {
			if err := d.loop(l); err != nil {
				return err
			}
			continue
		}
		// A command reads before it writes. A launch writes all of a range that it may not read.
		var err error
		each(c, func(r Range, reads, _ bool) {
			if err == nil && reads {
				err = d.read(r, c)
			}
		})
		if err != nil {
			return err
		}
		each(c, func(r Range, _, writes bool) {
			if writes {
				d.write(r)
			}
		})
	}
	return nil
}

// each visits the ranges of a command that is not a loop.
func each(c Cmd, visit func(r Range, reads, writes bool)) {
	l, launch := c.(*LaunchCmd)
	if !launch {
		Touches(c, func(r Range, writes bool) { visit(r, !writes, writes) })
		return
	}
	if l.Grid.Empty() {
		return
	}
	for i, a := range l.Args {
		if access := l.Kernel.Signature()[i].Access; a.Range.Buffer != nil {
			visit(a.Range, access.Reads(), access.Writes())
		}
	}
}

// loop is list for a loop: a body that may not come to run defines nothing for what follows.
func (d *definitions) loop(l *LoopCmd) error {
	before := d.written
	if l.While {
		if err := d.read(l.Flag, l); err != nil {
			return err
		}
	}
	if l.While || l.Count == 0 {
		d.written = make(map[Buffer][]Range, len(before))
		for b, rs := range before {
			d.written[b] = slices.Clone(rs)
		}
		defer func() { d.written = before }()
	}
	return d.list(l.Body)
}

func (d *definitions) read(r Range, c Cmd) error {
	if r.Len == 0 || !holdsOf(d.seq).isScratch(r.Buffer) || slices.ContainsFunc(d.written[r.Buffer], func(w Range) bool { return w.covers(r) }) {
		return nil
	}
	return unremembered(d.seq, c.where(), "fill it before", "%v is read before the run has written all of it, so that earlier runs matter", r)
}

// write adds a range, and joins those that it meets.
func (d *definitions) write(r Range) {
	rest := d.written[r.Buffer][:0:0]
	for _, w := range d.written[r.Buffer] {
		if w.Off > r.End() || w.End() < r.Off {
			rest = append(rest, w)
			continue
		}
		end := max(r.End(), w.End())
		r.Off = min(r.Off, w.Off)
		r.Len = end - r.Off
	}
	d.written[r.Buffer] = append(rest, r)
}
