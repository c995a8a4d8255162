//go:build !vyre_nocuda && linux && (amd64 || arm64)

package nvtx

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The modules of functions that a profiler looks for.
const (
	core        = 1 + iota // marks and ranges
	cudaDriver             // names of the driver's objects
	openCL                 // of OpenCL's
	cudaRuntime            // of the runtime's
	core2                  // ranges of domains
	sync2                  // synchronisation objects
	modulesEnd
	mostFunction = 16
)

// The functions of them that are used.
const (
	coreRangeStart   = 5  // u64 (text)
	coreRangeEnd     = 7  // void (id)
	domainRangeStart = 2  // u64 (domain, attributes)
	domainRangeEnd   = 3  // void (domain, id)
	domainCreate     = 12 // domain (text)
)

// sizes are those of the tables. A profiler built on CUPTI fails if one of the modules is not there.
var sizes = [modulesEnd]uint32{core: 16, cudaDriver: 9, openCL: 15, cudaRuntime: 7, core2: 16, sync2: 7}

// These are in the program's data, so that C may keep their addresses and store there at any time.
var (
	// cells are where the profiler stores its functions, by module and number.
	cells [modulesEnd][mostFunction]uintptr
	// tables have the addresses of cells; that of size n has n + 1 entries, the first and the last of which are null.
	tables [modulesEnd][mostFunction + 1]uintptr
	// listed is what table hands out, of module 1 + i.
	listed [modulesEnd - 1]struct {
		table uintptr
		size  uint64
	}
	// callbacks and versioned are what get hands out for 1 and for 3.
	callbacks [2]uint64 // size, table
	versioned [3]uint64 // size, version, set
)

// get, table and set are C functions; see inject_*.s, which has their addresses too.
//
//	const void *get(unsigned id);
//	int table(int module, void ***out, unsigned *size);
//	void set(unsigned);
//
//lint:ignore U1000 what names it is in assembly
func get()

//lint:ignore U1000 what names it is in assembly
func table()

//lint:ignore U1000 what names it is in assembly
func set()

var getEntry, tableEntry, setEntry uintptr

// injecting keeps a second injection from the cells of the first.
var injecting sync.Mutex

// injected is a profiler's library.
type injected struct{ domain uintptr }

// Inject loads the library of a profiler and lets it store its functions. It fails with a *MissingError, also where the profiler
// refuses. Only the last injection of a process works.
func Inject(path string) (Ranges, error) {
	injecting.Lock()
	defer injecting.Unlock()
	missing := func(format string, args ...any) (Ranges, error) {
		return nil, &MissingError{fmt.Sprintf(format, args...), "let the profiler set " + EnvInjection + ", or unset it"}
	}
	lay()
	handle, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
	if err != nil {
		return missing("%v", err)
	}
	initialize, err := purego.Dlsym(handle, "InitializeInjectionNvtx2")
	if err != nil {
		_ = purego.Dlclose(handle) // the first error is the one to report
		return missing("%v", err)
	}
	if r, _, _ := purego.SyscallN(initialize, getEntry); int32(r) == 0 {
		clear(cells[:])
		_ = purego.Dlclose(handle) // it is not used
		return missing("%s refuses to be used", path)
	}
	l := &injected{}
	l.domain = call(core2, domainCreate, pinned(ended("vyre")))
	return l, nil
}

// lay fills the tables, over empty cells.
func lay() {
	clear(cells[:])
	for m := core; m < modulesEnd; m++ {
		for f := uint32(1); f < sizes[m]; f++ {
			tables[m][f] = uintptr(unsafe.Pointer(&cells[m][f]))
		}
		listed[m-1].table, listed[m-1].size = uintptr(unsafe.Pointer(&tables[m])), uint64(sizes[m])
	}
	const version = 3
	callbacks = [2]uint64{uint64(unsafe.Sizeof(callbacks)), uint64(tableEntry)}
	versioned = [3]uint64{uint64(unsafe.Sizeof(versioned)), version, uint64(setEntry)}
}

// has reports whether the profiler has stored a function.
func has(module, function int) bool { return atomic.LoadUintptr(&cells[module][function]) != 0 }

// call calls a function of the profiler; one that it has not stored is not called.
func call(module, function int, args ...any) uintptr {
	f := atomic.LoadUintptr(&cells[module][function])
	if f == 0 {
		return 0
	}
	var words [2]uintptr
	var pin runtime.Pinner
	defer pin.Unpin()
	for i, a := range args {
		switch a := a.(type) {
		case uintptr:
			words[i] = a
		case unsafe.Pointer:
			pin.Pin(a)
			words[i] = uintptr(a)
		}
	}
	r, _, _ := purego.SyscallN(f, words[:len(args)]...)
	return r
}

// pinned passes memory that stays where it is during the call.
func pinned(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }

// attributes describe a range, as version 3 lays them out. What is zero is not there.
type attributes struct {
	version, size uint16
	_             [7]uint32
	messageType   int32
	_             uint32
	message       unsafe.Pointer
}

// Start starts a range that any thread may end.
func (l *injected) Start(text string) (id uint64) {
	b := ended(text)
	if !l.inDomain() {
		return uint64(call(core, coreRangeStart, pinned(b)))
	}
	a := &attributes{version: 3, size: uint16(unsafe.Sizeof(attributes{})), messageType: 1, message: unsafe.Pointer(&b[0])}
	var pin runtime.Pinner
	pin.Pin(a.message)
	defer pin.Unpin()
	return uint64(call(core2, domainRangeStart, l.domain, unsafe.Pointer(a)))
}

// End ends a range.
func (l *injected) End(id uint64) {
	if l.inDomain() {
		call(core2, domainRangeEnd, l.domain, uintptr(id))
		return
	}
	call(core, coreRangeEnd, uintptr(id))
}

// inDomain reports whether the profiler has both functions for ranges of a domain.
func (l *injected) inDomain() bool { return has(core2, domainRangeStart) && has(core2, domainRangeEnd) }
