package code

import (
	"container/list"
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
	"weak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/wire"
)

// how is what decides a module beside the program.
type how struct {
	passes    compile.Choice
	target    ptx.Target
	registers int
	lines     bool
	entry     string // what the code is called, if not as the program
	checks    bool   // it finds accesses out of bounds
}

// wish is a program, by identity, and how somebody wants it compiled. A sealed program does not change, so what
// it was compiled to once is found again without looking at it.
type wish struct {
	program weak.Pointer[ir.Program]
	options driver.Options
}

// keyOf returns the key of a module. Of the program everything counts, names and positions
// included, for these appear in traps.
func keyOf(p *ir.Program, h how) ([32]byte, error) {
	wire, err := wire.Encode(p)
	if err != nil {
		return [32]byte{}, err
	}
	options := fmt.Sprintf("passes=%v;regs=%d;line=%t", h.passes, h.registers, h.lines)
	if h.checks {
		options += ";checks"
	}
	return identity.Key("vyre.kernel.v1", uint64(number(h.target)), 0, wire, []byte(options), []byte(h.entry)), nil
}

// cache keeps loaded modules. Whoever asks for one first starts its compilation, which goes
// on when that caller leaves; everyone else waits for it.
type cache struct {
	c         *Compiler
	deferred  *timeline.Deferred
	mu        sync.Mutex
	entries   map[[32]byte]*compiled
	granted   map[wish]*compiled // what was granted; programs may be gone, and modules be no entries any more
	mostGrant int                // how many of these there are before they are looked through
	bytes     int                // of the images of entries
	idle      list.List          // of *compiled without handles, in the order in which the last was given up
	compiling sync.WaitGroup
	closed    bool // nothing is compiled any more
}

// find returns the module that a wish was granted before, held by one more handle; nil if there is none.
func (c *cache) find(w wish) *compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.granted[w]
	if e == nil || c.entries[e.key] != e {
		return nil
	}
	c.c.gpu.Count(metric.CompilesMemory, 1)
	c.hold(e)
	return e
}

// hold adds a handle.
func (c *cache) hold(e *compiled) {
	e.handles++
	if e.idle != nil {
		c.idle.Remove(e.idle)
		e.idle = nil
	}
}

// grant remembers what a wish led to, which a handle holds.
func (c *cache) grant(w wish, e *compiled) {
	const least = 64
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.granted) >= max(c.mostGrant, least) {
		maps.DeleteFunc(c.granted, func(w wish, e *compiled) bool { return w.program.Value() == nil || c.entries[e.key] != e })
		c.mostGrant = 2 * len(c.granted)
	}
	c.granted[w] = e
}

// get returns the module of a key, held by one more handle, and whether it was there. If not, fresh says what to make,
// unless the device has closed since its caller looked.
func (c *cache) get(ctx context.Context, k [32]byte, fresh func() *compiled) (e *compiled, found bool, err error) {
	c.mu.Lock()
	e = c.entries[k]
	if found = e != nil; found {
		c.c.gpu.Count(metric.CompilesMemory, 1)
	} else if c.closed {
		c.mu.Unlock()
		return nil, false, c.c.gpu.Alive("compile", "")
	} else {
		e = fresh()
		e.key, e.ready, e.handles = k, make(chan struct{}), 1
		c.entries[k] = e
		c.compiling.Add(1)
		go c.compile(e)
	}
	c.hold(e)
	c.mu.Unlock()

	select {
	case <-e.ready:
	default:
		select {
		case <-e.ready:
		case <-ctx.Done():
			c.put(e)
			return nil, false, &driver.Error{Op: "compile", Device: c.c.gpu.Name(), Kind: driver.Canceled, Msg: "the compilation goes on for the next who asks", Err: ctx.Err()}
		}
	}
	if e.err != nil {
		c.put(e)
		return nil, false, e.err
	}
	return e, found, nil
}

// compile makes the module of a new entry.
func (c *cache) compile(e *compiled) {
	defer c.compiling.Done()
	begin := time.Now()
	c.c.keeper.begin()
	defer c.c.keeper.end()
	e.err = e.making()
	c.c.gpu.Count(e.origin, 1)
	c.c.gpu.Count(metric.CompileNS, uint64(time.Since(begin)))
	var old []*compiled
	c.mu.Lock()
	if e.err != nil { // failures are not kept
		delete(c.entries, e.key)
	} else {
		c.bytes += e.bytes
		old = c.evict(c.c.Most, c.c.MostBytes)
	}
	c.mu.Unlock()
	c.put(e)
	close(e.ready)
	for _, o := range old {
		_ = c.c.unload(o) // nobody waits for it; the device counts it
	}
}

// put gives up one handle. Whoever has the last of them, the compilation is over.
func (c *cache) put(e *compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.handles--; e.handles == 0 && e.err == nil {
		e.idle = c.idle.PushBack(e)
	}
}

// evict takes out what is not in use, and has not been for longest, until the rest is within
// bounds. Nothing runs a module without a handle, so it may be unloaded at once, unless there are
// runs that were given up.
func (c *cache) evict(most, bytes int) (old []*compiled) {
	if c.deferred.Any() {
		return nil
	}
	for c.idle.Len() > 0 && (len(c.entries) > most || c.bytes > bytes) {
		oldest := c.idle.Remove(c.idle.Front()).(*compiled)
		delete(c.entries, oldest.key)
		c.bytes -= oldest.bytes
		old = append(old, oldest)
	}
	return old
}

// kept returns how many modules are loaded, and the bytes of their images.
func (c *cache) kept() (n, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.bytes
}

// flush takes out what is not in use.
func (c *cache) flush() []*compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.evict(0, 0)
}

// stop waits for the compilations under way, and begins no other.
func (c *cache) stop() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.compiling.Wait()
}

// drop unloads every module. The context is current, unless it is lost.
func (c *cache) drop(note func(error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.module != 0 && !c.c.gpu.Lost() {
			note(c.c.gpu.Driver.ModuleUnload(e.module))
			c.c.gpu.Count(metric.ModulesUnloaded, 1)
		}
	}
	clear(c.entries)
	clear(c.granted)
	c.idle.Init()
}
