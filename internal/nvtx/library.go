//go:build !vyre_nocuda && linux && (amd64 || arm64)

package nvtx

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is the profilers' library. It is safe for concurrent use.
type Library struct{ start, end uintptr }

// Load binds the library at path, or the one of the system if path is empty. It fails with a
// *MissingError. The library stays loaded as long as the process runs.
func Load(path string) (*Library, error) {
	if path == "" {
		path = "libnvToolsExt.so.1"
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, &MissingError{err.Error()}
	}
	l := &Library{}
	for name, at := range map[string]*uintptr{"nvtxRangeStartA": &l.start, "nvtxRangeEnd": &l.end} {
		if *at, err = purego.Dlsym(handle, name); err != nil {
			return nil, &MissingError{err.Error()}
		}
	}
	return l, nil
}

// Start begins a range that any thread may end.
func (l *Library) Start(text string) (id uint64) {
	b := make([]byte, len(text)+1) // with the zero that ends it
	copy(b, text)
	var pin runtime.Pinner // keeps it off the stack, which moves
	pin.Pin(&b[0])
	defer pin.Unpin()
	r, _, _ := purego.SyscallN(l.start, uintptr(unsafe.Pointer(&b[0])))
	return uint64(r)
}

// End ends a range.
func (l *Library) End(id uint64) { purego.SyscallN(l.end, uintptr(id)) }
