//go:build !vyre_nocuda && amd64

package cu

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// open opens the library at path, or the driver's own. That one is looked for in the system
// directory only: a library of its name beside the program is not to be trusted.
func open(path string) (handle uintptr, name string, tried []string, err error) {
	const system = "nvcuda.dll"
	var flags uintptr
	if name = path; path == "" {
		name, flags = system, windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	}
	h, err := windows.LoadLibraryEx(name, 0, flags)
	if err != nil {
		return 0, "", []string{name}, fmt.Errorf("%s: %w", name, err)
	}
	return uintptr(h), name, nil, nil
}

func lookup(handle uintptr, symbol string) uintptr {
	addr, err := windows.GetProcAddress(windows.Handle(handle), symbol)
	if err != nil {
		return 0
	}
	return addr
}
