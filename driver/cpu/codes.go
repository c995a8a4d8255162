package cpu

import (
	"container/list"
	"slices"
	"sync"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// codes keeps machine code for all devices of the process. It is the same for each of them, and passes take most of the
// time that compiling does: who opens a device again finds what was compiled on the last one.
type codes struct {
	mu      sync.Mutex
	entries map[[32]byte][]*code // by digest; programs that say other things to a person are kept apart
	idle    list.List            // of *code that no device uses, in the order in which the last user left
}

var shared = codes{entries: map[[32]byte][]*code{}}

// code is the machine code of a program for a target after some passes, and how many devices use it.
type code struct {
	program *ir.Program
	wanted  engineWish
	kernel  *native.Kernel // nil: there is none, and reason says why
	reason  string
	ready   chan struct{} // closed when kernel or reason is there
	users   int
	idle    *list.Element // nil while there are users
}

// maxIdle bounds the programs whose code is kept though no device uses it.
const maxIdle = 64

// get returns machine code, or why there is none. Who asks first makes it, everyone else waits. put gives it back.
func (c *codes) get(p *ir.Program, w engineWish) *code {
	c.mu.Lock()
	list := c.entries[p.Digest()]
	if i := slices.IndexFunc(list, func(m *code) bool { return m.wanted == w && sameText(m.program, p) }); i >= 0 {
		m := list[i]
		if m.idle != nil {
			c.idle.Remove(m.idle)
			m.idle = nil
		}
		m.users++
		c.mu.Unlock()
		<-m.ready
		return m
	}
	m := &code{program: p, wanted: w, ready: make(chan struct{}), users: 1}
	c.entries[p.Digest()] = append(list, m)
	c.mu.Unlock()
	m.reason = "compiling it panicked" // unless it returns; who waits goes on in either case
	defer func() {
		if m.kernel == nil { // perhaps there is memory for it the next time
			c.mu.Lock()
			c.remove(m)
			c.mu.Unlock()
		}
		close(m.ready)
	}()
	m.kernel, m.reason = machineCode(p, w)
	return m
}

// put says that a device uses the code no more.
func (c *codes) put(m *code) {
	if m.kernel == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.users--; m.users > 0 {
		return
	}
	m.kernel.Rest()
	m.idle = c.idle.PushBack(m)
	if c.idle.Len() <= maxIdle {
		return
	}
	oldest := c.idle.Remove(c.idle.Front()).(*code)
	c.remove(oldest)
	oldest.kernel.Close()
}

func (c *codes) remove(m *code) {
	key := m.program.Digest()
	left := slices.DeleteFunc(c.entries[key], func(o *code) bool { return o == m })
	if c.entries[key] = left; len(left) == 0 {
		delete(c.entries, key)
	}
}

// machineCode makes machine code of a program, or says why there is none.
func machineCode(p *ir.Program, w engineWish) (*native.Kernel, string) {
	chosen, err := compile.Parse(w.passes)
	if err != nil {
		return nil, err.Error()
	}
	if p, err = opt.AtOnce(p); err != nil {
		return nil, err.Error()
	}
	q, _, err := opt.Run(p, opt.Options{Passes: chosen.ForCPU()})
	if err != nil {
		return nil, err.Error()
	}
	k, err := native.New(q, native.Options{Target: w.target})
	if err != nil {
		return nil, err.Error()
	}
	return k, ""
}
