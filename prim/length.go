package prim

import (
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

// Length is how many elements a step takes: a number that the host knows, or one that the device holds.
type Length struct {
	n        uint64
	onDevice bool
	at       driver.Range // of at least one element, if onDevice
}

// N is a length that the host knows.
func N(n int) Length { return Length{n: uint64(n)} }

// At is a length that the device holds when the step runs, in the first element of a buffer, such as the count that another
// step finds. More than the primitive was made for is a trap that tells the number.
func At[T uint32 | uint64](count *vyre.Buffer[T]) Length {
	r := count.Bytes()
	r.Len = min(r.Len, int64(sizeOf[T]()))
	return at(r)
}

func at(r driver.Range) Length { return Length{onDevice: true, at: r} }

func (l Length) String() string {
	if l.onDevice {
		return "the length in " + l.at.String()
	}
	return fmt.Sprint(l.n)
}
