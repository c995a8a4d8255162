package driver

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// ids numbers leaves process-wide; no number is used twice, so a stale handle can never be
// taken for a new object.
var ids atomic.Uint64

// Leaf is what a device embeds in its buffers and kernels: identity, label, the sequences
// that hold it, and a Close that refuses while there are any.
type Leaf struct {
	id     uint64
	dev    *Core
	object any    // the Kernel, the Buffer or the *HostMemory that embeds the leaf
	what   string // which of these, for messages
	label  string
	free   func()
	freed  sync.Once // whoever closes the leaf second, as Close of the device may, waits until free has returned

	mu      sync.Mutex
	closed  bool
	holders []hold
	loans   int     // to other libraries
	few     [2]hold // first home of holders: a setter that binds a fresh buffer allocates nothing
	shapes  *shapes // of a kernel that was dispatched
	made    captureStack
	owner   string // that alone closes it, and keeps it from being written; empty is the user
	contents
}

// contents is what is known of the bytes of a buffer.
type contents struct {
	// version counts the runs that write a buffer, in the order of their Start. Equal versions
	// mean that nothing was written in between.
	version atomic.Uint64
	shared  atomic.Int32 // how many libraries may write the buffer without saying so
	skew    int64        // of a borrowed one: its address modulo maxSkew
}

// hold says that a sequence refers to a leaf from n places.
type hold struct {
	by *Sequence
	n  int
}

// Init makes the leaf of an object usable and enters it with its device; it fails if that is
// closed. object is the Kernel, the Buffer or the *HostMemory that embeds the leaf. free runs once,
// when the leaf is closed and nothing refers to it.
func (l *Leaf) Init(dev *Core, object any, label string, free func()) error {
	l.id, l.dev, l.object, l.label, l.free = ids.Add(1), dev, object, label, free
	switch object.(type) {
	case Kernel:
		l.what = "kernel"
	case Buffer:
		l.what = "buffer"
	default:
		l.what = "host memory"
	}
	l.holders, l.made = l.few[:0], dev.captureStack()
	return dev.enter(l)
}

// ID identifies the object within the process, for good.
func (l *Leaf) ID() uint64 { return l.id }

// Label returns the name the object was given.
func (l *Leaf) Label() string { return l.label }

func (l *Leaf) leaf() *Leaf { return l }

// Alive returns nil, or the error of kind Closed that any use of the closed object gets.
func (l *Leaf) Alive(op string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError(op)
	}
	return nil
}

func (l *Leaf) closedError(op string) *Error {
	return &Error{Op: op, Label: l.label, Device: l.dev.name, Kind: Closed, Msg: l.what + " was closed"}
}

// Close frees the object. It answers Busy, naming holders, while a prepared sequence refers
// to it. Closing again does nothing.
func (l *Leaf) Close() error {
	l.mu.Lock()
	kept := l.shapes
	l.mu.Unlock()
	// Shapes that Dispatch keeps hold the kernel too, but on nobody's behalf.
	if kept != nil {
		kept.drop(l.dev.patience())
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	if l.owner != "" {
		err := &Error{Op: "close", Label: l.label, Device: l.dev.name, Kind: Busy, Msg: l.what + " belongs to " + l.owner, Fix: "release the set"}
		l.mu.Unlock()
		l.dev.note(err)
		return err
	}
	if len(l.holders) > 0 || l.loans > 0 {
		err := &Error{Op: "close", Label: l.label, Device: l.dev.name, Kind: Busy,
			Msg: l.what + " is held by " + l.holderNames(), Fix: "close what holds it first"}
		l.mu.Unlock()
		l.dev.note(err)
		return err
	}
	l.closed = true
	l.mu.Unlock()
	l.freed.Do(l.free)
	l.dev.leave(l)
	return nil
}

// own makes the leaf somebody's, who alone closes it, or with "" the user's.
func (l *Leaf) own(by string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner = by
}

// readOnly returns who owns the leaf, if nobody may write it.
func (l *Leaf) readOnly() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner
}

// state reports whether the leaf was closed, and names the sequences that hold it.
func (l *Leaf) state() (closed bool, holders string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed, l.holderNames()
}

// revoke closes the leaf because its device closes; its sequences are gone by then. Somebody who is about to close it has done so
// when revoke returns, for what he frees is to be free before the device is.
func (l *Leaf) revoke() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.freed.Do(l.free)
}

func (l *Leaf) holderNames() string {
	const shown = 3
	var names []string
	for _, h := range l.holders[:min(len(l.holders), shown)] {
		names = append(names, fmt.Sprintf("%q", h.by.label))
	}
	s := strings.Join(names, ", ")
	if more := len(l.holders) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	if l.loans > 0 && s != "" {
		s += " and by "
	}
	if l.loans > 0 {
		s += "another library, to which it is lent"
	}
	return s
}

// hold adds a reference by s, unless the leaf is closed.
func (l *Leaf) hold(s *Sequence) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	for i := range l.holders {
		if l.holders[i].by == s {
			l.holders[i].n++
			return true
		}
	}
	l.holders = append(l.holders, hold{s, 1})
	return true
}

// drop takes back one reference by s.
func (l *Leaf) drop(s *Sequence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.holders {
		if l.holders[i].by != s {
			continue
		}
		if l.holders[i].n--; l.holders[i].n == 0 {
			last := len(l.holders) - 1
			l.holders[i] = l.holders[last]
			l.holders[last] = hold{}
			l.holders = l.holders[:last]
		}
		return
	}
	panic("BUG: " + l.what + " " + l.label + " released more often than held")
}
