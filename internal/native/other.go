//go:build !((amd64 && (linux || darwin || windows)) || (arm64 && (linux || darwin)))

package native

import (
	"errors"
	"runtime"
)

type codePage struct{ mem []byte }

func newCode([]byte) (*codePage, error) { return nil, hostLacks() }

func (c *codePage) free() {}

func enter(code, group, vector, index uintptr) {}

var returns []byte

func hostLacks() error {
	return errors.New("there is no machine code for " + runtime.GOOS + "/" + runtime.GOARCH)
}

// hostTargets is what is listed here.
func hostTargets() []target {
	if runtime.GOARCH == "arm64" {
		return []target{arm64Target()}
	}
	return []target{amd64Target()}
}
