package memory

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
)

const (
	// guardBytes is what a buffer has in front of it and behind it that nobody may write, with
	// the switch memcheck.
	guardBytes = 256
	// poison is what is there, in new buffers, and in memory that nobody has.
	poison = 0xA5
	// lookBytes is what is fetched at a time to be looked at.
	lookBytes = 1 << 20
)

// checker finds writes outside of buffers, by looking after each run. It works by copies, so
// it is the same on a GPU and on a simulated one. Without the switch it does nothing.
type checker struct {
	gpu  *primary.Context
	pool *pinned.Pool
	on   bool

	mu     sync.Mutex
	stream cu.Stream
	mem    pinned.Memory
	clean  []byte // lookBytes of poison
}

// guard returns the bytes to add in front of a buffer and behind it.
func (c *checker) guard() int64 {
	if c.on {
		return guardBytes
	}
	return 0
}

// open obtains what looking takes. The lock is held, and the context is current.
func (c *checker) open() (err error) {
	if c.stream == 0 {
		if c.stream, err = c.gpu.Driver.StreamCreate(cu.StreamNonBlocking); err != nil {
			return err
		}
	}
	if c.mem.Size == 0 {
		if c.mem, err = c.pool.Get(lookBytes); err != nil {
			return err
		}
		c.clean = bytes.Repeat([]byte{poison}, lookBytes)
	}
	return nil
}

// poison fills memory that nothing uses. The context is current.
func (c *checker) poison(at cu.Ptr, n int64) error {
	if !c.on || n == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(); err != nil {
		return err
	}
	if err := c.gpu.Driver.MemsetD8Async(at, poison, n, c.stream); err != nil {
		return err
	}
	return c.gpu.Driver.StreamSynchronize(c.stream)
}

// look returns the offset of the first byte that is not poison, and that byte; -1 if all are.
// What was written is poison again then, so that it is found once.
func (c *checker) look(at cu.Ptr, n int64) (first int64, was byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(); err != nil {
		return 0, 0, err
	}
	drv := c.gpu.Driver
	for from := int64(0); from < n; from += lookBytes {
		size := min(lookBytes, n-from)
		if err := drv.MemcpyDtoHAsync(c.mem.At, at+cu.Ptr(from), size, c.stream); err != nil {
			return 0, 0, err
		}
		if err := drv.StreamSynchronize(c.stream); err != nil {
			return 0, 0, err
		}
		got := c.mem.Bytes(size)
		if bytes.Equal(got, c.clean[:size]) {
			continue
		}
		i := 0
		for got[i] == poison {
			i++
		}
		if err := drv.MemcpyHtoDAsync(at+cu.Ptr(from), unsafe.Pointer(&c.clean[0]), size, c.stream); err != nil {
			return 0, 0, err
		}
		return from + int64(i), got[i], drv.StreamSynchronize(c.stream)
	}
	return -1, 0, nil
}

// Checks reports whether runs are looked after, with the switch memcheck.
func (m *Heap) Checks() bool { return m.check.on }

// Check looks around the buffers that a run used, and into the memory that nobody has. What was
// written there is made an error by found. The context is current.
func (m *Heap) Check(uses []driver.Use, found func(what string) error) error {
	for _, u := range uses {
		b := u.Buffer.(*Buffer)
		if b.mem.Size == 0 {
			continue
		}
		name := b.Label()
		if i, was, err := m.check.look(b.mem.At, guardBytes); err != nil {
			return err
		} else if i >= 0 {
			return found(fmt.Sprintf("%d bytes in front of buffer %q was written, with %#02x", guardBytes-i, name, was))
		}
		if i, was, err := m.check.look(b.at()+cu.Ptr(b.size), guardBytes); err != nil {
			return err
		} else if i >= 0 {
			return found(fmt.Sprintf("byte %d of buffer %q of %d bytes was written, with %#02x", b.size+i, name, b.size, was))
		}
	}
	var bad error
	err := m.each(func(b Block) error {
		i, was, err := m.check.look(b.At, b.Size)
		if err == nil && i >= 0 && bad == nil {
			bad = found(fmt.Sprintf("free memory at %#x was written, with %#02x", uint64(b.At)+uint64(i), was))
		}
		return err
	})
	if err != nil {
		return err
	}
	return bad
}

// each visits every idle block that nothing uses. While it is visited nobody gets it.
func (m *Heap) each(visit func(Block) error) error {
	m.mu.Lock()
	n := m.free.Len()
	m.mu.Unlock()
	// Taking the oldest and putting it back as the newest, once for each, keeps the order.
	for range n {
		m.mu.Lock()
		at, size, fresh, ok := m.free.TakeOldest(nil)
		if !ok {
			m.unlock()
			return nil
		}
		m.ledger.move(idle, internal, size)
		m.unlock()
		var err error
		if fresh {
			err = visit(Block{at, size})
		} else {
			err = m.check.poison(at, size)
		}
		m.mu.Lock()
		m.ledger.move(internal, idle, size)
		m.free.Put(at, size, nil)
		m.unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// watch tells a driver that checks accesses what of a block is in use, and as what. Not with
// memcheck, which looks at all of it.
func (c *checker) watch(b Block, bytes int64, label string) {
	if c.on {
		return
	}
	if w, ok := c.gpu.Driver.(cu.Watcher); ok && b.Size > 0 {
		w.Watch(b.At, bytes, label)
	}
}

// drop gives back what looking took; a lost context has taken it.
func (c *checker) drop(note func(error)) {
	if c.gpu.Lost() {
		c.pool.Abandon(c.mem)
	} else {
		if c.stream != 0 {
			note(c.gpu.Driver.StreamDestroy(c.stream))
		}
		note(c.pool.Put(c.mem))
	}
	c.stream, c.mem = 0, pinned.Memory{}
}
