//go:build amd64

package native

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func reserve(n int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n), nil // memory that is not Go's
}

func seal(mem []byte) error {
	var was uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), windows.PAGE_EXECUTE_READ, &was)
}

func release(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(&mem[0])), 0, windows.MEM_RELEASE)
}
