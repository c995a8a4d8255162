// Package little turns words into the bytes that files and devices keep, little endian, and back.
package little

import (
	"encoding/binary"
	"unsafe"
)

// Native says that this machine keeps words so.
var Native = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Bytes returns words as little endian bytes: the same memory where the machine keeps them so, which a file of many
// gigabytes is written from, else a copy.
func Bytes[T uint32 | uint64](words []T) []byte {
	size := int(unsafe.Sizeof(T(0)))
	if len(words) == 0 {
		return nil
	}
	if Native {
		return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size*len(words))
	}
	b := make([]byte, 0, size*len(words))
	for _, w := range words {
		if size == 4 {
			b = binary.LittleEndian.AppendUint32(b, uint32(w))
		} else {
			b = binary.LittleEndian.AppendUint64(b, uint64(w))
		}
	}
	return b
}

// Words is the way back. The same memory needs bytes that are aligned as words are: sections of a mapped file start at
// multiples of a page.
func Words[T uint32 | uint64](b []byte) []T {
	size := int(unsafe.Sizeof(T(0)))
	n := len(b) / size
	if n == 0 {
		return nil
	}
	if Native && uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(T(0)) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	words := make([]T, n)
	for i := range words {
		if size == 4 {
			words[i] = T(binary.LittleEndian.Uint32(b[4*i:]))
		} else {
			words[i] = T(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return words
}
