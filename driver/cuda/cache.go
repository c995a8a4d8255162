package cuda

import (
	"context"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/opt"
	"github.com/govyre/vyre/ptx"
	"lukechampine.com/blake3"
)

// key is what decides the module of a program: all of it, names and positions included, for
// these appear in traps.
type key struct {
	program [32]byte
	passes  string
	target  ptx.Target
	label   string
}

// cache keeps loaded modules. Whoever asks for one first starts its compilation, which goes
// on when that caller leaves; everyone else waits for it.
type cache struct {
	dev       *Device
	mu        sync.Mutex
	entries   map[key]*compiled
	clock     uint64
	most      int // modules kept loaded; those in use are kept beyond it
	compiling sync.WaitGroup
}

// maxKernels is how many modules a device keeps loaded.
const maxKernels = 512

func (c *cache) init(d *Device) { c.dev, c.entries, c.most = d, map[key]*compiled{}, maxKernels }

// get returns the module of a program, held by one more handle.
func (c *cache) get(ctx context.Context, p *ir.Program, passes opt.Options, t ptx.Target, label string) (*compiled, error) {
	wire, err := ir.Encode(p)
	if err != nil {
		return nil, err
	}
	k := key{blake3.Sum256(wire), passes.String(), t, label}
	c.mu.Lock()
	c.clock++
	e := c.entries[k]
	if e != nil {
		c.dev.Count(driver.CompilesMemory, 1)
	} else {
		e = &compiled{program: p, passes: passes, key: k, ready: make(chan struct{})}
		c.entries[k] = e
		c.dev.Count(driver.CompilesFresh, 1)
		c.compiling.Add(1)
		go c.compile(e)
	}
	e.handles++
	e.used = c.clock
	c.mu.Unlock()

	select {
	case <-e.ready:
	default:
		select {
		case <-e.ready:
		case <-ctx.Done():
			c.put(e)
			return nil, &driver.Error{Op: "compile", Device: c.dev.Name(), Kind: driver.Canceled, Msg: "the compilation goes on for the next who asks", Err: ctx.Err()}
		}
	}
	if e.err != nil {
		c.put(e)
		return nil, e.err
	}
	return e, nil
}

// compile makes the module of a new entry.
func (c *cache) compile(e *compiled) {
	defer c.compiling.Done()
	begin := time.Now()
	e.err = c.dev.build(e)
	c.dev.Count(driver.CompileNS, uint64(time.Since(begin)))
	var old []*compiled
	c.mu.Lock()
	if e.err != nil { // failures are not kept
		delete(c.entries, e.key)
	} else {
		old = c.evict()
	}
	c.mu.Unlock()
	close(e.ready)
	for _, o := range old {
		c.dev.unload(o)
	}
}

// put gives up one handle.
func (c *cache) put(e *compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.handles--
}

// evict takes out what was used longest ago and is not in use, until the rest is within
// bounds. Nothing runs a module without a handle, so it may be unloaded at once.
func (c *cache) evict() (old []*compiled) {
	for len(c.entries) > c.most {
		var oldest *compiled
		for _, e := range c.entries {
			if e.handles == 0 && (oldest == nil || e.used < oldest.used) {
				oldest = e
			}
		}
		if oldest == nil {
			break
		}
		delete(c.entries, oldest.key)
		old = append(old, oldest)
	}
	return old
}

// wait waits for the compilations under way.
func (c *cache) wait() { c.compiling.Wait() }

// drop unloads every module. The context is current, unless it is lost.
func (c *cache) drop(note func(error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.module != 0 && c.dev.lost.Load() == nil {
			note(c.dev.drv.ModuleUnload(e.module))
		}
	}
	clear(c.entries)
}
