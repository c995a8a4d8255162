// Package guard lets a panic, and a fault of memory that a file is mapped into, come back to somebody who waits.
//
//	f ──Run──▶ nil, or what f panicked with
//	f ──Go───▶ a goroutine; what f panicked with goes to a function
//	f ──Group.Go──▶ goroutines ──Wait──▶ panics, on the goroutine that waits, with what the first of them panicked with
//
// A file that somebody truncates or writes in place while it is mapped makes any load from it fail, or return other words
// than those that were checked. On a goroutine of the caller's that is a panic to recover from at best; on one that nobody
// waits for it ends the process. So every goroutine of packages that read graphs is started here.
//
// # Invariants
//
// While a function runs, faults panic (debug.SetPanicOnFault) on its goroutine alone; afterwards that is as it was. A Panic
// that was raised again keeps the stack of where it began.
package guard

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic is what a function panicked with.
type Panic struct {
	Value any
	Stack []byte
}

// Of makes one of what recover returned, which is not nil.
func Of(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{v, debug.Stack()}
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Fault returns the address of the load that failed, if that is what it was.
func (p *Panic) Fault() (address uintptr, ok bool) {
	if f, is := p.Value.(interface{ Addr() uintptr }); is {
		return f.Addr(), true
	}
	return 0, false
}

// OfRuntime reports whether Go's runtime found what is wrong: a fault, an index, the bounds of a slice.
func (p *Panic) OfRuntime() bool {
	_, ok := p.Value.(runtime.Error)
	return ok
}

// Run calls f, and returns what it panicked with, or nil.
func Run(f func()) (p *Panic) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			p = Of(v)
		}
	}()
	f()
	return nil
}

// Go calls f on a goroutine of its own. If f panics, failed is called there with it.
func Go(f func(), failed func(*Panic)) {
	go func() {
		if p := Run(f); p != nil {
			failed(p)
		}
	}()
}

// Group is goroutines that somebody waits for. The zero value has none.
type Group struct {
	running sync.WaitGroup
	first   atomic.Pointer[Panic]
}

// Go calls f on a goroutine of its own.
func (g *Group) Go(f func()) {
	g.running.Add(1)
	go func() {
		defer g.running.Done()
		if p := Run(f); p != nil {
			g.first.CompareAndSwap(nil, p)
		}
	}()
}

// Wait returns when all are over. If one of them panicked, so does Wait, with a *Panic.
func (g *Group) Wait() {
	g.running.Wait()
	if p := g.first.Swap(nil); p != nil {
		panic(p)
	}
}
