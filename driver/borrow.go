package driver

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// Foreign describes device memory that another library of the process owns, for Borrow.
type Foreign struct {
	Address uint64 // in the device's own terms, as Buffer.Address returns it; a multiple of 16
	Bytes   int64
	Label   string // appears in errors
	// Owner is kept reachable until the buffer is closed and no run uses it. If it has a method Release(), that is called then, once; it
	// must not use the device. Of a run that was given up, the device finds the end at a later Alloc, Borrow, Trim or Close.
	Owner any
	Turns
}

// Turns orders the runs over a buffer with the work of another library on the same GPU. The handles are CUDA's, of objects in the
// device's primary context, which stay the other library's, and have to live as long as the buffer or the loan. Zero is none.
// Nobody waits on the host, neither for a run nor for the other library:
//
//	a run over b is started  ·  the library puts work on Stream  ·  a run over b is started  ·  Wait
//
// takes effect in this order. Work of the library that is not in Stream, or behind Ready, is not waited for.
type Turns struct {
	// Stream is a queue of the other library (CUstream), such as cublasSetStream takes; 1 is the legacy default stream. A run waits for
	// what is in it when the run is started. What gets into it after Start has returned waits for the run.
	Stream uintptr
	// Ready is an event (CUevent) that a run waits for, as it was recorded last.
	Ready uintptr
	// Done is an event that every run records at its end. Who waits for it waits for all runs over the buffer that were started before.
	Done uintptr
}

// Borrower is what a device is, too, if it can use memory of other libraries. Borrow and Lend have checked the arguments.
type Borrower interface {
	// Borrow returns a buffer of the memory, ordered by its Turns. It calls ended once the buffer is closed and no run uses it.
	Borrow(f Foreign, ended func()) (Buffer, error)
	// Share orders runs over a buffer of the device, those in flight too, until end is called or the buffer is closed.
	Share(b Buffer, t Turns) (end func(), err error)
}

// foreignAlign is what the address of borrowed memory is a multiple of: enough for everything but parameters that ask for more.
// maxSkew is a multiple of every alignment that a parameter can ask for.
const (
	foreignAlign = 16
	maxSkew      = 1 << 12
)

// lent is memory that a device has borrowed.
type lent struct {
	from, to uint64
	label    string
	buffer   Buffer // nil until there is one
}

// meets returns what was borrowed of [from, to), nil if nothing was. The lock is held.
func (h *hosts) meets(from, to uint64) *lent {
	for _, o := range h.lent {
		if o.from < to && from < o.to {
			return o
		}
	}
	return nil
}

// Borrow returns a buffer of device memory that another library of the process owns. It is used like any other: runs that share it
// are ordered, and Close refuses while a prepared sequence refers to it. What is borrowed is never freed, kept, poisoned or counted as the
// device's. An upload to it is never skipped, because the owner may have written there.
//
// Memory that shares bytes with another buffer of the device is refused. So is what the driver says is too short, freed, of another
// device, or of the host. Device cpu borrows memory of the process by its address, which cannot be checked, and the owner's work has to be
// over before a run is started, and begin after its Wait. So Turns are Unsupported there.
func Borrow(d Device, f Foreign) (Buffer, error) {
	if d == nil {
		return nil, &Error{Op: "borrow", Label: f.Label, Kind: InvalidArgument, Msg: "the device is nil"}
	}
	c := d.core()
	no := func(kind Kind, fix, format string, args ...any) (Buffer, error) {
		return nil, c.Fail(&Error{Op: "borrow", Label: f.Label, Device: c.name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix})
	}
	lender, can := c.device.(Borrower)
	end := f.Address + uint64(f.Bytes)
	switch {
	case c.Alive("borrow", f.Label) != nil:
		return nil, c.Fail(c.Alive("borrow", f.Label))
	case !can:
		return no(Unsupported, "copy it through the host", "the device cannot use memory of other libraries")
	case f.Bytes < 0:
		return no(InvalidArgument, "", "size is %d bytes", f.Bytes)
	case f.Bytes == 0:
	case f.Address == 0 || end < f.Address:
		return no(InvalidArgument, "", "%d bytes at %#x are no memory", f.Bytes, f.Address)
	case f.Address%foreignAlign != 0:
		return no(InvalidArgument, "borrow the whole allocation and pass a Part of it", "%#x is not a multiple of %d", f.Address, foreignAlign)
	}
	l := &lent{from: f.Address, to: end, label: f.Label}
	if err := c.hosts.borrow(l); err != nil {
		return nil, c.Fail(err)
	}
	var once sync.Once
	owner := f.Owner
	b, err := lender.Borrow(f, func() {
		once.Do(func() {
			c.hosts.giveBack(l)
			if r, ok := owner.(interface{ Release() }); ok {
				r.Release()
			}
			owner = nil
		})
	})
	if err != nil {
		c.hosts.giveBack(l)
		return nil, c.Fail(err)
	}
	c.hosts.lends(l, b)
	return b, nil
}

// borrow enters memory, or says what shares bytes with it.
func (h *hosts) borrow(l *lent) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &Error{Op: "borrow", Label: l.label, Device: h.device, Kind: InvalidArgument, Fix: "borrow memory once and pass parts of the buffer"}
	o := h.meets(l.from, l.to)
	switch {
	case l.from == l.to:
		return nil
	case o == nil:
		for _, m := range h.list {
			if uint64(m.base()) < l.to && l.from < uint64(m.end()) {
				e.Msg, e.Fix = "the bytes overlap host memory that is pinned", "close that first"
				return e
			}
		}
		h.lent = append(h.lent, l)
		return nil
	case o.buffer != nil && o.buffer.leaf().Alive("") != nil:
		e.Kind, e.Msg, e.Fix = Busy, "a run that was given up may still use it, as "+strconv.Quote(o.label), "wait until its Owner is released"
	default:
		e.Msg = fmt.Sprintf("%d bytes at %#x overlap those at %#x that were borrowed as %q", l.to-l.from, l.from, o.from, o.label)
	}
	return e
}

// lends notes the buffer that was made of borrowed memory.
func (h *hosts) lends(l *lent, b Buffer) {
	leaf := b.leaf()
	leaf.shared.Add(1)
	leaf.skew = int64(l.from % maxSkew) // no other goroutine has the buffer yet
	h.mu.Lock()
	defer h.mu.Unlock()
	l.buffer = b
}

func (h *hosts) giveBack(l *lent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lent = slices.DeleteFunc(h.lent, func(o *lent) bool { return o == l })
}

// now returns the version of a buffer: a new one each time while somebody may write the buffer who does not say so.
func (l *Leaf) now() uint64 {
	if l.shared.Load() > 0 {
		return l.version.Add(1)
	}
	return l.version.Load()
}

// Loan is the use that another library makes of a buffer.
type Loan struct {
	Address uint64 // of the buffer, until Close

	leaf *Leaf
	end  func()
	once sync.Once
}

// Lend gives a buffer's memory to another library of the process, until Close of the loan, and orders runs with its work by t. Meanwhile
// Close of the buffer answers Busy, and uploads to it are not skipped. Close of the device takes the memory away nevertheless. A buffer
// may be lent several times. Lend answers Busy while a run over it is being started. The memory of a sequence, and read-only buffers, are
// not lent.
func Lend(b Buffer, t Turns) (*Loan, error) {
	no := func(l *Leaf, kind Kind, fix, msg string) (*Loan, error) {
		e := &Error{Op: "lend", Kind: kind, Msg: msg, Fix: fix}
		if l == nil {
			return nil, e
		}
		e.Label, e.Device = l.label, l.dev.name
		return nil, l.dev.Fail(e)
	}
	if b == nil {
		return no(nil, InvalidArgument, "", "the buffer is nil")
	}
	made, ok := own(b)
	if !ok {
		return no(nil, InvalidArgument, "pass a buffer that Alloc or a pool returned", foreign(b, "buffer"))
	}
	l := made.leaf()
	lender, can := l.dev.device.(Borrower)
	if _, scratch := made.(*scratch); scratch {
		return no(l, InvalidArgument, "lend a buffer of your own", "scratch memory belongs to its sequence")
	}
	if owner := l.readOnly(); owner != "" {
		return no(l, InvalidArgument, "lend a buffer of your own", "the buffer belongs to "+owner+" and is read only")
	}
	if !can {
		return no(l, Unsupported, "copy it through the host", "the device does not share memory with other libraries")
	}
	if !l.lend(1) {
		return nil, l.dev.Fail(l.closedError("lend"))
	}
	at, err := made.Address()
	var end func()
	if err == nil {
		end, err = lender.Share(made, t)
	}
	if err != nil {
		l.lend(-1)
		return nil, l.dev.Fail(err)
	}
	return &Loan{Address: at, leaf: l, end: end}, nil
}

// lend counts a loan more or less, unless the leaf is closed.
func (l *Leaf) lend(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > 0 && l.closed {
		return false
	}
	l.loans += n
	l.shared.Add(int32(n))
	l.version.Add(1)
	return true
}

// Close ends the loan: the other library uses the memory no more, and runs that are started from now on do not wait for it. Closing again
// does nothing.
func (o *Loan) Close() error {
	o.once.Do(func() {
		o.end()
		o.leaf.lend(-1)
	})
	return nil
}
