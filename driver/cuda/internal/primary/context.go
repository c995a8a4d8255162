package primary

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// Context is the primary context of one GPU. It is shared with whatever else the process does there.
type Context struct {
	*driver.Core
	Driver cu.Driver
	Device cu.Device
	Handle cu.Context
	Caps   driver.Caps
	// Restore says that threads keep the context that they had.
	Restore bool

	lost atomic.Pointer[driver.Error] // the first error that the context did not survive
	life sync.RWMutex                 // held for reading by whoever may be surprised by Close
	gone bool                         // the context was given back
}

// Retain takes the primary context. One that a fault in this process left broken is reset first; where
// that does not help either, only another process has one that works.
func (c *Context) Retain() error {
	for try := 0; ; try++ {
		err := c.try()
		if err == nil {
			c.share()
			return nil
		}
		first := ErrorOf("open", c.Name(), err)
		if !first.Sticky {
			return first
		}
		if try > 0 {
			first.Sticky, first.Kind = false, driver.Unavailable
			first.Msg = "its context does not work: " + first.Msg
			first.Fix = restart
			return first
		}
		c.loseOthers(first)
		// A reset can only fail for the reason that is reported already.
		_ = c.Driver.DevicePrimaryCtxReset(c.Device)
	}
}

// try takes the primary context and gives it back if it does not work.
func (c *Context) try() error {
	h, err := c.Driver.DevicePrimaryCtxRetain(c.Device)
	if err != nil {
		return err
	}
	c.Handle = h
	runtime.LockOSThread()
	if err = c.bind(); err != nil {
		runtime.UnlockOSThread()
	} else {
		_, err = c.Driver.StreamQuery(0) // never blocks, and fails in a broken context
		c.Leave()
	}
	if err != nil {
		_ = c.Driver.DevicePrimaryCtxRelease(c.Device) // the first error is the one to report
	}
	return err
}

// Enter makes the context current on the calling thread, until Leave.
func (c *Context) Enter(op, label string) error {
	if lost := c.LostError(op, label); lost != nil {
		return lost
	}
	runtime.LockOSThread()
	if err := c.bind(); err != nil {
		e := c.ErrorOf(op, label, err)
		runtime.UnlockOSThread()
		return e
	}
	return nil
}

// Leave ends what Enter began.
func (c *Context) Leave() {
	if c.Restore {
		// What is under it can only be out of reach with the context on top, which tells that to
		// whoever uses it next.
		_, _ = c.Driver.CtxPopCurrent()
	}
	runtime.UnlockOSThread()
}

// bind makes the context current on the thread: for good, or over the one that the thread has.
func (c *Context) bind() error {
	if c.Restore {
		return c.Driver.CtxPushCurrent(c.Handle)
	}
	return c.Driver.CtxSetCurrent(c.Handle)
}

// Hold is Enter for what Close of the device does not wait for; it keeps the context until LetGo. It
// fails if the device was closed.
func (c *Context) Hold(op, label string) error {
	c.life.RLock()
	err := c.Alive(op, label)
	if err == nil {
		err = c.Enter(op, label)
	}
	if err != nil {
		c.life.RUnlock()
	}
	return err
}

// LetGo ends what Hold began.
func (c *Context) LetGo() {
	c.Leave()
	c.life.RUnlock()
}

// Keep keeps the context, which stays as it is on every thread, until Unkeep. It reports false, and
// keeps nothing, where the context was given back; wait says whether to wait for a Close under way.
func (c *Context) Keep(wait bool) bool {
	if wait {
		c.life.RLock()
	} else if !c.life.TryRLock() {
		return false
	}
	gone := c.gone
	if gone {
		c.life.RUnlock()
	}
	return !gone
}

// Unkeep ends what Keep began.
func (c *Context) Unkeep() { c.life.RUnlock() }

// Closing gives something back for a Close that has no error to give: the device counts what fails,
// and is lost where the context does not survive it. Where the context is gone, or lost, abandon is
// called instead. Back is called even where the context cannot be made current.
func (c *Context) Closing(label string, back func() error, abandon func()) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.gone || c.Lost() {
		abandon()
		return
	}
	if err := c.Enter("close", label); err != nil {
		_ = c.Fail(err)
	} else {
		defer c.Leave()
	}
	if err := back(); err != nil {
		_ = c.Fail(c.Complete("close", label, err))
	}
}

// End runs f when nobody holds or keeps the context, and marks it given back.
func (c *Context) End(f func() error) error {
	c.life.Lock()
	defer c.life.Unlock()
	defer func() { c.gone = true }()
	return f()
}

// Release gives the context back. That ends what still runs in it, which a driver may take its time
// for, or never return from.
func (c *Context) Release(running bool) error {
	released := make(chan error, 1)
	if !running {
		c.release(released)
		return <-released
	}
	patience := c.Patience() + 2*time.Second
	go c.release(released)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case err := <-released:
		return err
	case <-ctx.Done():
		return &driver.Error{Op: "close", Device: c.Name(), Kind: driver.Closed,
			Msg: fmt.Sprintf("the driver had not ended them %v later", patience.Round(time.Millisecond)), Fix: "end the process"}
	}
}

// release may not return before the process ends, if something in the context does not.
func (c *Context) release(released chan<- error) {
	c.unshare()
	if err := c.Driver.DevicePrimaryCtxRelease(c.Device); err != nil {
		released <- ErrorOf("close", c.Name(), err)
		return
	}
	released <- nil
}

// Say tells who debugs what happens, if anybody listens.
func (c *Context) Say(format string, args ...any) {
	if debug := c.Debug(); debug.Log {
		fmt.Fprintf(debug.Output, "vyre: "+c.Name()+": "+format+"\n", args...)
	}
}
