// Package outside makes the error of a run from the notes of its checks, in the same words on every device.
//
// In go the sites and the tally of package memcheck; out come a *driver.Error with a *driver.BoundsError in its chain, and
// reports. The error does not depend on the order in which workers ran: it is about the first place in the kernel, and there
// about the first access of the smallest invocation.
package outside

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// Launch is a launch whose kernel was instrumented.
type Launch struct {
	Device string
	Cmd    *driver.LaunchCmd
	Sites  []memcheck.Site
}

// Findings appends a report for each place in the kernel that is out of bounds, and returns the error of the first one,
// nil without one.
func (l *Launch) Findings(found memcheck.Tally, to []driver.Report) ([]driver.Report, *driver.Error) {
	var first *driver.Error
	for i := range found {
		f := &found[i]
		if f.Times == 0 || int(f.Site) >= len(l.Sites) {
			continue
		}
		s := &l.Sites[f.Site]
		e, report := l.finding(s, f)
		if to = append(to, report); first == nil {
			first = e
		}
	}
	return to, first
}

// finding says what the checks of one place noted.
func (l *Launch) finding(s *memcheck.Site, f *memcheck.Found) (*driver.Error, driver.Report) {
	at := s.Read(f.Values)
	b := &driver.BoundsError{Kernel: l.Cmd.Kernel.Label(), Access: s.Op.String() + " " + at.Path, Object: s.Object.Name(), Index: at.Index, Len: at.Len, Count: f.Times}
	b.Group, b.Local = invocation(f.Linear, l.Cmd.Grid, l.Cmd.Kernel.Workgroup())
	fix := "compare the index with its length"
	switch {
	case at.Part:
		fix += ", which is that of a slice of " + b.Object
	case s.Object.Param != nil && at.Index >= 0 && !at.Inner:
		fix = "pass more elements as " + b.Object + ", or " + fix
	}
	e := &driver.Error{Op: "launch", Label: b.Kernel, Device: l.Device, Path: l.Cmd.Path, Kind: driver.DeviceFault, Pos: s.Pos.Where(), Msg: b.Detail(), Fix: fix, Err: b}
	return e, driver.Report{Path: l.Cmd.Path, Kernel: b.Kernel, Text: text(s, b, at.Path)}
}

// text is a finding on one line, the source position first.
func text(s *memcheck.Site, b *driver.BoundsError, path string) string {
	at := s.Pos.Where()
	if at == "" {
		at = fmt.Sprintf("row %d", s.Row)
	}
	line := fmt.Sprintf("%s: kernel %s: %s of %s out of bounds, length %d, by group %s local %s", at, b.Kernel, s.Op, path, b.Len, triple(b.Group), triple(b.Local))
	if b.Count > 1 {
		line += fmt.Sprintf("; %d times", b.Count)
	}
	return line
}

func triple(v [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }

// invocation splits a linear id in a grid, which is not empty.
func invocation(linear uint64, grid driver.Grid, size [3]uint32) (group, local [3]uint32) {
	for axis := range 3 {
		n := uint64(grid[axis]) * uint64(size[axis])
		at := linear % n
		linear /= n
		group[axis], local[axis] = uint32(at/uint64(size[axis])), uint32(at%uint64(size[axis]))
	}
	return group, local
}

// Instrument is memcheck.Instrument, with the error of a device.
func Instrument(p *ir.Program) (*ir.Program, []memcheck.Site, error) {
	q, sites, err := memcheck.Instrument(p)
	if err != nil {
		return nil, nil, &driver.Error{Op: "compile", Label: p.Name(), Kind: driver.Unsupported, Msg: "the kernel is too large for the checks of memcheck",
			Fix: "run it without memcheck, or split it", Err: err}
	}
	return q, sites, nil
}
