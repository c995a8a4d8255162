package driver

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/spans"
)

// Core is the part of a device that is the same for all: its name, what is open on it, its
// host memory by address, and its counters. A device embeds a *Core.
type Core struct {
	device  Device
	name    string
	timeout time.Duration
	origin  Choice
	debug   Debug
	Counters
	observer Observer
	ranges   Ranges
	cache    OpenOptions // its CacheDir and CacheBytes
	measured measured
	costing  costing
	shapeUse cacheUse
	profile  atomic.Pointer[profile]
	timeline atomic.Pointer[timeline]

	mu     sync.Mutex
	closed bool
	until  time.Time // how long the Close of the device waits
	leaves map[*Leaf]struct{}
	roots  map[*Sequence]struct{}
	pools  map[*Pool]struct{}
	kept   error // of giving something back, for Close

	hosts hosts
}

// NewCore returns the core of a device that is being opened, and which embeds it from then on. It fails if the options, or the
// environment in their place, ask for what there is not.
func NewCore(d Device, name string, o OpenOptions) (*Core, error) {
	debug, err := o.debug()
	if err == nil {
		err = o.negative()
	}
	if err != nil {
		err.(*Error).Label = name
		return nil, err
	}
	c := &Core{device: d, name: name, timeout: cmp.Or(o.CloseTimeout, defaultCloseTimeout), origin: Choice{Name: name}, debug: debug, hosts: hosts{device: name}, cache: o,
		leaves: map[*Leaf]struct{}{}, roots: map[*Sequence]struct{}{}, pools: map[*Pool]struct{}{}}
	if o.Observer != nil {
		c.observer = *o.Observer
	}
	return c, nil
}

// negative refuses limits that are below zero, which would be taken for none.
func (o OpenOptions) negative() error {
	for _, n := range []struct {
		what string
		is   int64
	}{{"MemoryLimit", o.MemoryLimit}, {"IdleLimit", o.IdleLimit}, {"CloseTimeout", int64(o.CloseTimeout)}} {
		if n.is < 0 {
			return &Error{Op: "open", Kind: InvalidArgument, Msg: fmt.Sprintf("%s of %d", n.what, n.is), Fix: "leave it 0 for the default"}
		}
	}
	return nil
}

// core lets the package reach the Core of every Device, and keeps other packages from making
// a Device without one.
//
//lint:ignore U1000 devices call it by embedding Core
func (c *Core) core() *Core { return c }

// Name returns what Open would take to get the device.
func (c *Core) Name() string { return c.name }

// Origin says which device was chosen and why not another.
func (c *Core) Origin() Choice { return c.origin }

// CloseTimeout returns how long a Close waits for runs, for all of them together.
func (c *Core) CloseTimeout() time.Duration { return c.timeout }

// patience returns until when a Close that begins now waits for runs: as long as that of the device, if it is closing.
func (c *Core) patience() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.until
	}
	return time.Now().Add(c.timeout)
}

// Patience returns how much of its time the Close of the device has left, or how long it would wait if it began now.
func (c *Core) Patience() time.Duration { return max(0, time.Until(c.patience())) }

// Stats returns the counters and gauges as they are now.
func (c *Core) Stats() *Stats { return c.snapshot(c.name) }

// ResetStats starts the counters anew; gauges stay.
func (c *Core) ResetStats() { c.reset() }

// Alive returns nil, or the error of kind Closed that any use of the closed device gets.
func (c *Core) Alive(op, label string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return closedDevice(c, op, label)
	}
	return nil
}

func closedDevice(c *Core, op, label string) *Error {
	return &Error{Op: op, Label: label, Device: c.name, Kind: Closed, Msg: "device was closed"}
}

// Fail counts an error by its kind and returns it.
//
//go:noinline
func (c *Core) Fail(err error) error {
	c.note(err)
	return err
}

func (c *Core) note(err error) {
	var e *Error
	if errors.As(err, &e) {
		c.Count(errorsMetric(e.Kind), 1)
		if e.Kind == Trap {
			c.Count(metric.Traps, 1)
		}
		if f := c.observer.Error; f != nil {
			f(e)
		}
	}
}

// keep takes an error of giving something back that nobody else is told of. The first one stands for all.
func (c *Core) keep(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = err
	}
}

func (c *Core) enter(l *Leaf) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		op := "alloc"
		if l.what == "kernel" {
			op = "compile"
		}
		return closedDevice(c, op, l.label)
	}
	c.leaves[l] = struct{}{}
	return nil
}

func (c *Core) leave(l *Leaf) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.leaves, l)
}

func (c *Core) enterRoot(s *Sequence) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return closedDevice(c, "record", s.label)
	}
	c.roots[s] = struct{}{}
	c.Gauge(metric.Sequences, 1)
	return nil
}

func (c *Core) leaveRoot(s *Sequence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, in := c.roots[s]; in {
		delete(c.roots, s)
		c.Gauge(metric.Sequences, -1)
	}
}

// enterPool reports false if the device was closed.
func (c *Core) enterPool(p *Pool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.pools[p] = struct{}{}
	}
	return !c.closed
}

func (c *Core) leavePool(p *Pool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pools, p)
}

// Shut marks the device closed, waits for its sequences, no longer for all than for one, and frees everything made on it.
// It reports false if the device was closed before.
func (c *Core) Shut() (first bool, err error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return false, nil
	}
	c.closed, c.until = true, time.Now().Add(c.timeout)
	if c.timeline.Load() != nil {
		spans.Watch(c.device.Caps(), false)
	}
	roots, leaves, pools, kept := c.roots, c.leaves, c.pools, c.kept
	c.pools = map[*Pool]struct{}{}
	c.roots, c.leaves = map[*Sequence]struct{}{}, map[*Leaf]struct{}{}
	c.mu.Unlock()

	c.reportLeaks(roots, leaves)
	errs := []error{kept}
	for s := range roots {
		c.Gauge(metric.Sequences, -1)
		errs = append(errs, s.closeBy(c.until))
	}
	for l := range leaves {
		l.revoke()
	}
	for p := range pools {
		p.revoke()
	}
	return true, errors.Join(errs...)
}
