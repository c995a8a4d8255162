package prim

import (
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

// Length is how many elements a step takes: a number that the host knows, or one that the device holds.
type Length struct {
	n  uint64
	at driver.Range
}

// N is a length that the host knows.
func N(n int) Length { return Length{n: uint64(n)} }

// At is a length that the device holds when the step runs, such as the count that another step finds. More than the
// primitive was made for is a trap that tells the number.
func At[T uint32 | uint64](count *vyre.Buffer[T]) Length {
	return Length{at: driver.Range{Buffer: count.Bytes().Buffer, Off: count.Bytes().Off, Len: min(count.Bytes().Len, int64(sizeOf[T]()))}}
}

// onDevice reports whether the device holds the length.
func (l Length) onDevice() bool { return l.at.Buffer != nil }

func (l Length) String() string {
	if l.onDevice() {
		return "the length in " + l.at.String()
	}
	return fmt.Sprint(l.n)
}
