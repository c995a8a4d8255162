package packed

import (
	"runtime"
	"sync"
	"weak"

	"github.com/govyre/vyre/ir"
)

// place is where a program is: in which text, and which of it counted from 0; -1 if the text is that program alone.
type place struct {
	text string
	nth  int
}

// unpacked are the programs that somebody has: who asks for one of them gets the same one. Libraries ask for the same programs
// whenever an object is made, and to decode one takes milliseconds and a MiB.
var unpacked = struct {
	sync.Mutex
	programs map[place]weak.Pointer[ir.Program]
}{programs: make(map[place]weak.Pointer[ir.Program])}

// kept returns the program of a place if somebody has it, and else makes it.
func kept(at place, decode func() (*ir.Program, error)) (*ir.Program, error) {
	unpacked.Lock()
	p := unpacked.programs[at].Value()
	unpacked.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := decode()
	if err != nil {
		return nil, err
	}
	unpacked.Lock()
	defer unpacked.Unlock()
	if other := unpacked.programs[at].Value(); other != nil {
		return other, nil
	}
	this := weak.Make(p)
	unpacked.programs[at] = this
	runtime.AddCleanup(p, func(at place) {
		unpacked.Lock()
		defer unpacked.Unlock()
		if unpacked.programs[at] == this { // and not that of who asked since
			delete(unpacked.programs, at)
		}
	}, at)
	return p, nil
}
