//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import (
	"runtime"
	"unsafe"
)

// linkCall is a link that has begun: the driver writes to the call's logs until it is destroyed.
type linkCall struct {
	*jitCall
	jit *JIT
}

// inputPTX is the type of text among the inputs of a link (CUjitInputType).
const inputPTX = 1

func (l *library) LinkCreate(jit *JIT) (LinkState, error) {
	c := newJITCall(jit, true)
	fr := l.frame()
	fr.out[0] = 0
	fr.args[0], fr.args[1], fr.args[2] = uintptr(c.n), address(&c.options[0]), address(&c.values[0])
	fr.args[3] = address(&fr.out[0])
	err := l.try(fnLinkCreate, fr, 4)
	s := LinkState(fr.out[0])
	l.frames.Put(fr)
	c.tell(jit)
	if err != nil {
		return 0, err
	}
	l.links.Store(s, &linkCall{c, jit})
	return s, nil
}

// hear gives the JIT of a link what its logs hold.
func (l *library) hear(s LinkState) {
	if c, ok := l.links.Load(s); ok {
		c := c.(*linkCall)
		c.tell(c.jit)
	}
}

func (l *library) LinkAddData(s LinkState, text []byte, name string) error {
	label := append([]byte(name), 0)
	err := l.do(fnLinkAddData, uintptr(s), inputPTX, address(unsafe.SliceData(text)), uintptr(len(text)), address(&label[0]), 0, 0, 0)
	runtime.KeepAlive(text)
	runtime.KeepAlive(label)
	l.hear(s)
	return err
}

func (l *library) LinkComplete(s LinkState) ([]byte, error) {
	fr := l.frame()
	fr.ptr, fr.out[0] = nil, 0
	fr.args[0], fr.args[1], fr.args[2] = uintptr(s), address(&fr.ptr), address(&fr.out[0])
	err := l.try(fnLinkComplete, fr, 3)
	var image []byte
	if err == nil {
		image = unsafe.Slice((*byte)(fr.ptr), fr.out[0]) // the driver's memory, until LinkDestroy
	}
	fr.ptr = nil
	l.frames.Put(fr)
	l.hear(s)
	return image, err
}

func (l *library) LinkDestroy(s LinkState) error {
	err := l.do(fnLinkDestroy, uintptr(s))
	l.hear(s)
	l.links.Delete(s)
	return err
}
