//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu

import (
	"bytes"
	"runtime"
	"unsafe"
)

// Options of the driver's compiler (CUjit_option).
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
	jitOptLevel     = 7
	jitTarget       = 9
	jitLineInfo     = 13
)

// The sizes of the logs; the compiler cuts off what goes beyond.
const (
	infoLogBytes  = 16 << 10
	errorLogBytes = 64 << 10
)

// jitCall is what the driver reads and writes during a compilation, in one heap object.
type jitCall struct {
	options [8]uint32
	values  [8]uintptr
	n       int
	info    [infoLogBytes]byte
	errors  [errorLogBytes]byte
}

func (c *jitCall) add(option uint32, value uintptr) {
	c.options[c.n], c.values[c.n] = option, value
	c.n++
}

// newJITCall lays the options out. Only a link is told the target: a load compiles for its device.
func newJITCall(jit *JIT, link bool) *jitCall {
	c := &jitCall{}
	c.add(jitInfoLog, address(&c.info[0]))
	c.add(jitInfoLogSize, infoLogBytes)
	c.add(jitErrorLog, address(&c.errors[0]))
	c.add(jitErrorLogSize, errorLogBytes)
	c.add(jitOptLevel, 4)
	if jit.LineInfo {
		c.add(jitLineInfo, 1)
	}
	if link && jit.Target != 0 {
		c.add(jitTarget, uintptr(jit.Target))
	}
	return c
}

// tell copies the logs out.
func (c *jitCall) tell(jit *JIT) {
	jit.Info, jit.Errors = cText(c.info[:]), cText(c.errors[:])
	runtime.KeepAlive(c)
}

func (l *library) ModuleLoadDataEx(image []byte, jit *JIT) (Module, error) {
	c := newJITCall(jit, false)
	v, err := l.word(fnModuleLoadDataEx, address(unsafe.SliceData(image)), uintptr(c.n), address(&c.options[0]), address(&c.values[0]))
	runtime.KeepAlive(image)
	c.tell(jit)
	return Module(v), err
}

func cText(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(bytes.TrimSpace(text))
}
