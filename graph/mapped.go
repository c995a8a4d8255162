package graph

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/guard"
)

// A graph that Open mapped is in memory that others can write or take away. Three things follow. Who reads it holds it, so
// that Close does not unmap what is being read. Whatever reads it does so through package guard, on every goroutine, so that
// memory that is gone is an error. And when it is done, the file is asked whether it was written meanwhile: words that changed
// under a search give an answer without any fault.

// ChangedError is the error of a graph whose file was truncated, or was written in place, while the graph was open. Nothing
// of the graph can be read any more.
type ChangedError struct {
	File string
	Err  error // how it was noticed
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("graph: the file %s changed or was truncated while the graph was open (%v); fix: open it again, "+
		"and have whoever writes it write another file and rename that", e.File, e.Err)
}

func (e *ChangedError) Unwrap() error { return e.Err }

// stamp tells whether a file was written since.
type stamp struct {
	size    int64
	written time.Time
}

func stampOf(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.Size(), info.ModTime()}, nil
}

// mapped returns the file whose mapping arrays of the graph are in, nil if all are in memory that is the process's own.
func (g *CSR) mapped() *file {
	switch {
	case g.file != nil && g.file.unmap != nil:
		return g.file
	case g.lender != nil && g.lender.unmap != nil:
		return g.lender
	}
	return nil
}

// Mapped reports whether arrays of the graph are in the mapping of a file, where a read fails once the file is truncated.
func (g *CSR) Mapped() bool { return g.mapped() != nil }

// Changed returns a *ChangedError if the graph's file changed since it was opened; else nil, as of a graph in memory. cause is
// the error of a call that read the arrays outside of Read, or nil.
func (g *CSR) Changed(cause error) error {
	f := g.mapped()
	if f == nil {
		return nil
	}
	var p *guard.Panic
	errors.As(cause, &p)
	return f.after(p)
}

// Hold keeps the graph's file mapped until release is called, which may be called again. Meanwhile Close answers Busy and names
// who holds it. A graph in memory has nothing to be held. Sessions hold their graph.
//
// Errors: a graph that Close gave back, of kind driver.Closed; *ChangedError.
func (g *CSR) Hold(who string) (release func(), err error) {
	f := g.mapped()
	if f == nil {
		return func() {}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin(); err != nil {
		return nil, err
	}
	f.end() // what is in holders keeps it as well
	if f.holders == nil {
		f.holders = make(map[string]int)
	}
	f.holders[who]++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.holders[who]--; f.holders[who] == 0 {
			delete(f.holders, who)
		}
	}), nil
}

// gone is what calls are counted from when the file is unmapped.
const gone = math.MinInt64 / 2

// begin counts a call that reads the mapping until end.
func (f *file) begin() error {
	if f.calls.Add(1) < 0 {
		f.end()
		return &driver.Error{Op: "graph", Label: f.name, Kind: driver.Closed, Msg: "the graph is closed", Fix: "open it again, and close it when nothing uses it any more"}
	}
	if changed := f.changed.Load(); changed != nil {
		f.end()
		return changed
	}
	return nil
}

func (f *file) end() { f.calls.Add(-1) }

// close unmaps the file unless it is used.
func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	users := slices.Sorted(maps.Keys(f.holders))
	if len(users) == 0 && f.calls.CompareAndSwap(0, gone) {
		return errors.Join(f.unmap(), f.from.Close())
	}
	if f.calls.Load() < 0 {
		return nil
	}
	if len(users) == 0 {
		users = []string{"a call that goes over its arcs"}
	}
	return &driver.Error{Op: "graph", Label: f.name, Kind: driver.Busy, Msg: "it is used by " + strings.Join(users, ", "), Fix: "close what uses it first, and the graph again"}
}

// Read calls do, which may read what the graph's arrays hold: those of Row, Targets, Masks, Offsets and Data. The graph stays
// open meanwhile, and if its file changed, the error is a *ChangedError, whatever do returned or panicked with. Goroutines that
// do starts are not looked after. If do panics for another reason, so does Read.
//
// Errors: a graph that Close gave back, of kind driver.Closed; *ChangedError; those of do.
func (g *CSR) Read(do func() error) (err error) {
	f := g.mapped()
	if f == nil {
		return do()
	}
	if err := f.begin(); err != nil {
		return err
	}
	defer f.end()
	p := guard.Run(func() { err = do() })
	if changed := f.after(p); changed != nil {
		return changed
	}
	if p != nil {
		panic(p)
	}
	return err
}

// glance is Read for little that has no error to return, and does not ask the file: after a fault the result is nothing, and
// Verify returns the error.
func (g *CSR) glance(do func()) {
	f := g.mapped()
	if f == nil {
		do()
		return
	}
	if f.begin() != nil {
		return
	}
	defer f.end()
	if p := guard.Run(do); p != nil && f.faulted(p) == nil {
		panic(p)
	}
}

// after returns a *ChangedError if the file changed since it was opened. p is what the reader panicked with, or nil.
func (f *file) after(p *guard.Panic) error {
	if p != nil {
		if changed := f.faulted(p); changed != nil {
			return changed
		}
	}
	now, err := stampOf(f.from)
	if err != nil {
		return f.fails(err)
	}
	f.mu.Lock()
	same := now == f.seen
	f.mu.Unlock()
	if changed := f.changed.Load(); changed != nil {
		return changed
	}
	if same && (p == nil || !p.OfRuntime()) {
		return nil
	}
	// Somebody wrote it, or set its time; or wrote it through a mapping, of which the time may come later.
	if p := guard.Run(func() { err = f.check(unending()) }); p != nil {
		err = fmt.Errorf("%v", p.Value)
	}
	if err != nil {
		return f.fails(err)
	}
	f.mu.Lock()
	f.seen = now
	f.mu.Unlock()
	return nil
}

// faulted returns a *ChangedError if what a reader panicked with is a fault of the mapping.
func (f *file) faulted(p *guard.Panic) error {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(f.bytes)))
	if at, ok := p.Fault(); ok && at >= first && at-first < uintptr(len(f.bytes)) {
		return f.fails(fmt.Errorf("byte %d cannot be read", at-first))
	}
	return nil
}

// fails notes for all that follows that the file changed.
func (f *file) fails(why error) error {
	f.changed.CompareAndSwap(nil, &ChangedError{f.name, why})
	return f.changed.Load()
}
