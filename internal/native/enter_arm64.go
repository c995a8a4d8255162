//go:build linux || darwin

package native

import "unsafe"

// enter calls machine code with a group's and a vector's frame, and 32 times the vector's number.
//
//go:noescape
func enter(code, group, vector, index uintptr)

// synchronizeCaches makes what was written from start to end seen by those who fetch instructions.
//
//go:noescape
func synchronizeCaches(start, end uintptr)

// returns is code that returns.
var returns = []byte{0xC0, 0x03, 0x5F, 0xD6}

// synchronize makes written code seen where it is run.
func synchronize(mem []byte) {
	start := uintptr(unsafe.Pointer(&mem[0]))
	synchronizeCaches(start, start+uintptr(len(mem)))
}

// hostLacks returns what the processor or the system lacks: every processor of 64 bits has what is used.
func hostLacks() error { return nil }

// hostTargets are the instruction sets that run here.
func hostTargets() []target { return []target{arm64Target()} }
