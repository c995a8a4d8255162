//go:build amd64 || arm64

package main

import "github.com/ebitengine/purego"

// The libraries by their names, the newest first, and the driver's.
var (
	blasNames  = []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}
	driverName = "libcuda.so.1"
)

func open(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func find(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
