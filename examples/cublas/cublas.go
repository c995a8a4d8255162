//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/govyre/vyre/driver"
)

// cuBLAS is NVIDIA's library, with a stream and memory in the primary context of a GPU, as every library on the CUDA runtime has them.
type cuBLAS struct {
	calls   map[string]uintptr
	device  uintptr
	context uintptr
	handle  uintptr
	stream  uintptr
	z       uintptr
}

// openCuBLAS opens it on a GPU, or says why it cannot.
func openCuBLAS(ordinal int) (library, error) {
	c := &cuBLAS{calls: map[string]uintptr{}, device: uintptr(ordinal)}
	blas, err := uintptr(0), error(nil)
	for _, name := range blasNames {
		if blas, err = open(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	cuda, err := open(driverName)
	if err != nil {
		return nil, err
	}
	for lib, names := range map[uintptr][]string{
		blas: {"cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasSgemm_v2"},
		cuda: {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuStreamCreate", "cuStreamDestroy_v2", "cuMemAlloc_v2", "cuMemFree_v2"},
	} {
		for _, name := range names {
			if c.calls[name], err = find(lib, name); err != nil {
				return nil, err
			}
		}
	}
	if err := c.call("cuDevicePrimaryCtxRetain", place(&c.context), c.device); err != nil {
		return nil, err
	}
	const nonBlocking = 1
	err = c.current(func() error {
		return first(
			func() error { return c.call("cuStreamCreate", place(&c.stream), nonBlocking) },
			func() error { return c.call("cuMemAlloc_v2", place(&c.z), 4*h*w) },
			func() error { return c.call("cublasCreate_v2", place(&c.handle)) },
			func() error { return c.call("cublasSetStream_v2", c.handle, c.stream) })
	})
	if err != nil {
		_ = c.close() // the first error is the one to report
		return nil, err
	}
	return c, nil
}

func (c *cuBLAS) address() uint64     { return uint64(c.z) }
func (c *cuBLAS) turns() driver.Turns { return driver.Turns{Stream: c.stream} }

// multiply puts z = x·y into the stream. cuBLAS takes matrices by columns, so it is told to make the transpose of z, which is that of y
// times that of x.
func (c *cuBLAS) multiply(x, y uint64) error {
	const asItIs = 0
	alpha, beta := new(float32), new(float32)
	*alpha = 1
	return c.current(func() error {
		err := c.call("cublasSgemm_v2", c.handle, asItIs, asItIs, w, h, n, place(alpha), uintptr(y), w, uintptr(x), n, place(beta), c.z, w)
		runtime.KeepAlive(alpha)
		runtime.KeepAlive(beta)
		return err
	})
}

// close gives back what there is.
func (c *cuBLAS) close() error {
	return first(
		func() error {
			return c.current(func() (err error) {
				for _, end := range []struct {
					call string
					of   uintptr
				}{{"cublasDestroy_v2", c.handle}, {"cuMemFree_v2", c.z}, {"cuStreamDestroy_v2", c.stream}} {
					if end.of != 0 && err == nil {
						err = c.call(end.call, end.of)
					}
				}
				return err
			})
		},
		func() error { return c.call("cuDevicePrimaryCtxRelease_v2", c.device) })
}

// current makes calls with the context current on the thread, as the driver and cuBLAS want it.
func (c *cuBLAS) current(calls func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return first(func() error { return c.call("cuCtxSetCurrent", c.context) }, calls)
}

// call calls a function of C, all of which answer 0 for success.
func (c *cuBLAS) call(name string, args ...uintptr) error {
	if r, _, _ := purego.SyscallN(c.calls[name], args...); int32(r) != 0 {
		return fmt.Errorf("%s answers %d", name, int32(r))
	}
	return nil
}

// kept makes place move what it gets to the heap, where it stays.
var kept unsafe.Pointer

// place passes the address of a value for the time of a call.
func place[T any](p *T) uintptr {
	kept = unsafe.Pointer(p)
	return uintptr(kept)
}

// first makes calls until one fails.
func first(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}
