//go:build !vyre_nocuda && linux && (amd64 || arm64)

package nvtx

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the library of version 2, which toolkits had until 12.8.
type library struct{ start, end uintptr }

// Load binds the library of version 2 at path, or the one of the system if path is empty. It fails with a
// *MissingError. The library stays loaded as long as the process runs.
func Load(path string) (Ranges, error) {
	if path == "" {
		path = "libnvToolsExt.so.1"
	}
	missing := func(err error) (Ranges, error) {
		return nil, &MissingError{err.Error(), "run the program in Nsight Systems, or install a CUDA toolkit before 12.9, which has libnvToolsExt.so.1"}
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return missing(err)
	}
	l := &library{}
	for name, at := range map[string]*uintptr{"nvtxRangeStartA": &l.start, "nvtxRangeEnd": &l.end} {
		if *at, err = purego.Dlsym(handle, name); err != nil {
			return missing(err)
		}
	}
	return l, nil
}

// Start starts a range that any thread may end.
func (l *library) Start(text string) (id uint64) {
	b := ended(text)
	var pin runtime.Pinner // keeps it off the stack, which moves
	pin.Pin(&b[0])
	defer pin.Unpin()
	r, _, _ := purego.SyscallN(l.start, uintptr(unsafe.Pointer(&b[0])))
	return uint64(r)
}

// End ends a range.
func (l *library) End(id uint64) { purego.SyscallN(l.end, uintptr(id)) }

// ended is a text with the zero that ends it. What follows a zero in it is cut off by whoever reads it.
func ended(text string) []byte {
	b := make([]byte, len(text)+1)
	copy(b, text)
	return b
}
