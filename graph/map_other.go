//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package graph

// mapFile reads a file.
func mapFile(name string) (b []byte, m mapping, err error) { return readFile(name) }
