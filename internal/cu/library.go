//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the driver of the system.
type library struct {
	path    string
	addr    [numFns]uintptr
	lacking [numGroups]bool
	frames  sync.Pool
	links   sync.Map // LinkState to *linkCall: what the driver writes to until the link ends
}

// loaded keeps libraries by path: a library is opened once a process and never closed, for
// the driver keeps threads and handlers that outlive any use of it.
var loaded struct {
	sync.Mutex
	by map[string]*library
}

// Load binds the driver library at path, or the one of the system if path is empty. It
// fails with a *MissingError. It makes no call into the driver.
func Load(path string) (Driver, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if l := loaded.by[path]; l != nil {
		return l, nil
	}
	handle, name, tried, err := open(path)
	if err != nil {
		return nil, &MissingError{Reason: "no CUDA driver: " + err.Error(), Tried: tried,
			Fix: "install the NVIDIA driver; in a container, start it with access to the GPU"}
	}
	l := &library{path: name}
	l.frames.New = func() any { return new(frame) }
	for f, s := range symbols {
		l.addr[f] = lookup(handle, s.name)
		if l.addr[f] != 0 {
			continue
		}
		if s.group == Core {
			return nil, &MissingError{Reason: name + " has no function " + s.name, Fix: "update the NVIDIA driver to 470 or newer"}
		}
		l.lacking[s.group] = true
	}
	if loaded.by == nil {
		loaded.by = map[string]*library{}
	}
	loaded.by[path] = l
	return l, nil
}

func (l *library) Path() string     { return l.path }
func (l *library) Has(g Group) bool { return !l.lacking[g] }

// frame holds the arguments of one call and room for what it returns. It lives on the heap:
// the driver is given addresses in it, and stacks move.
type frame struct {
	args [11]uintptr
	out  [2]uint64
	ptr  unsafe.Pointer // an address outside of Go's heap that the driver stored
	text [256]byte
	node [32]uint64 // the structure that describes a node, see layout.go
	many batch
}

func (l *library) frame() *frame { return l.frames.Get().(*frame) }

// address returns p as an argument. The caller keeps what it points to alive until the call has
// returned. That must not lie on the stack, which moves when it grows, and only the escape
// analysis decides about that: the store that never happens makes it choose the heap.
func address[T any](p *T) uintptr {
	if escaped != nil {
		escaped = unsafe.Pointer(p)
	}
	return uintptr(unsafe.Pointer(p))
}

// escaped is nil for good.
var escaped unsafe.Pointer

// call calls f with the first n words of the frame and gives the frame back.
func (l *library) call(f fn, fr *frame, n int) error {
	err := l.try(f, fr, n)
	l.frames.Put(fr)
	return err
}

// try is call without giving the frame back.
func (l *library) try(f fn, fr *frame, n int) error {
	if res := l.raw(f, fr, n); res != Success {
		return &CallError{symbols[f].name, res}
	}
	return nil
}

func (l *library) raw(f fn, fr *frame, n int) Result {
	if l.addr[f] == 0 {
		return NotSupported // the caller did not ask Has
	}
	return Result(int32(uint32(l.cross(l.addr[f], fr, n)))) // it fills the low half of the register
}

// cross calls the C function at addr with the first n words of the frame.
func (l *library) cross(addr uintptr, fr *frame, n int) uintptr {
	r, _, _ := purego.SyscallN(addr, fr.args[:n]...)
	runtime.KeepAlive(fr)
	return r
}

// query calls f with one word and tells "not yet" from an error.
func (l *library) query(f fn, word uintptr) (bool, error) {
	fr := l.frame()
	fr.args[0] = word
	res := l.raw(f, fr, 1)
	l.frames.Put(fr)
	if res != Success && res != NotReady {
		return false, &CallError{symbols[f].name, res}
	}
	return res == Success, nil
}

// do calls f with the given words.
func (l *library) do(f fn, words ...uintptr) error {
	fr := l.frame()
	n := copy(fr.args[:], words)
	return l.call(f, fr, n)
}

// word calls f with the address of a result, then the given words, and returns the result.
func (l *library) word(f fn, words ...uintptr) (uint64, error) {
	fr := l.frame()
	fr.out[0] = 0
	fr.args[0] = address(&fr.out[0])
	n := copy(fr.args[1:], words)
	err := l.try(f, fr, n+1)
	v := fr.out[0]
	l.frames.Put(fr)
	return v, err
}
