package graph

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/guard"
)

// A graph that Open mapped is in memory that others can write or take away. Three things follow. Who reads it holds it, so
// that Close does not unmap what is being read. Whatever reads it does so through package guard, on every goroutine, so that
// memory that is gone is an error. And when it is done, the file is asked whether it was written meanwhile: words that changed
// under a search give an answer without any fault.

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

func (f *file) bad(at int64, got, want string) error {
	return &ParseError{File: f.name, Offset: at, Got: got, Want: want}
}

// readFile is Open's way where files cannot be mapped.
func readFile(name string) ([]byte, mapping, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, mapping{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, mapping{}, err
	}
	if info.Size() > math.MaxInt-8 {
		return nil, mapping{}, fmt.Errorf("graph: %s has %d bytes, more than there are addresses", name, info.Size())
	}
	// Words of 64 bits, so that sections are aligned.
	b := bytesOf(make([]uint64, (info.Size()+7)/8))[:info.Size()]
	_, err = io.ReadFull(f, b)
	return b, mapping{}, err
}

// section returns a section's bytes, none if it is not there.
func (f *file) section(kind uint32) []byte {
	for _, s := range f.table {
		if s.kind == kind {
			return f.bytes[s.offset : s.offset+s.length : s.offset+s.length]
		}
	}
	return nil
}

// length is how many bytes a section has, none if it is not there.
func (f *file) length(kind uint32) uint64 {
	for _, s := range f.table {
		if s.kind == kind {
			return s.length
		}
	}
	return 0
}

// states reports whether the file's digest is that of g.
func (f *file) states(g *CSR) bool { return f.g == g }
