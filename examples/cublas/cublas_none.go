//go:build !((linux && (amd64 || arm64)) || (windows && amd64))

package main

import (
	"errors"
	"runtime"
)

func openCuBLAS(int) (library, error) {
	return nil, errors.New("there is none for " + runtime.GOOS + "/" + runtime.GOARCH)
}
