package code

import (
	"container/list"
	"sync"

	"github.com/govyre/vyre/internal/ptx"
)

// emitted is the texts of all devices of the process: a program that eight equal GPUs compile is optimised once, and
// so is one for a device that is opened again.
var emitted = texts{entries: make(map[[32]byte]*made)}

// mostTextBytes bounds the texts that are kept for other devices. The programs that belong to them take a few times as
// much beside that.
const mostTextBytes = 8 << 20

// texts keeps what programs were compiled to before any driver saw it, by the key of the module: everything that a text
// depends on is in that. The least recently used go first.
type texts struct {
	mu      sync.Mutex
	entries map[[32]byte]*made
	recent  list.List // of *made, the least recently used first
	bytes   int
}

// made is one of them, or one in the making.
type made struct {
	key    [32]byte
	module func() (*ptx.Module, error) // makes it, for the first who asks
	bytes  int                         // 0 while it is in the making
	at     *list.Element
}

// of returns the module kept under a key, or what emit makes of it, once however many ask at a time. An error is not kept.
// The module is the caller's to change; its kernels are not.
func (t *texts) of(key [32]byte, emit func() (*ptx.Module, error)) (m *ptx.Module, err error) {
	t.mu.Lock()
	e := t.entries[key]
	if e == nil {
		e = &made{key: key, module: sync.OnceValues(emit)}
		t.entries[key], e.at = e, t.recent.PushBack(e)
	} else {
		t.recent.MoveToBack(e.at)
	}
	t.mu.Unlock()

	bytes := 0
	defer func() { t.settle(e, bytes) }() // what panics is not kept either
	if m, err = e.module(); err != nil {
		return nil, err
	}
	bytes = len(m.Text)
	own := *m
	return &own, nil
}

// settle counts the bytes of a text that was made, and drops one that was not, and those that are too many.
func (t *texts) settle(e *made, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[e.key] != e {
		return
	}
	t.bytes += bytes - e.bytes
	if e.bytes = bytes; bytes == 0 {
		t.drop(e)
	}
	for t.bytes > mostTextBytes {
		t.drop(t.recent.Front().Value.(*made))
	}
}

func (t *texts) drop(e *made) {
	t.bytes -= e.bytes
	t.recent.Remove(e.at)
	delete(t.entries, e.key)
}
