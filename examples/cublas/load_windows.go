//go:build amd64

package main

import "golang.org/x/sys/windows"

// The libraries by their names, the newest first, and the driver's.
var (
	blasNames  = []string{"cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"}
	driverName = "nvcuda.dll"
)

func open(name string) (uintptr, error) {
	lib, err := windows.LoadLibrary(name)
	return uintptr(lib), err
}

func find(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}
