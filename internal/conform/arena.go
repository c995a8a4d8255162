package conform

import (
	"bytes"
	"fmt"

	"github.com/govyre/vyre/ir"
)

// arena is one piece of memory that holds the buffers of a launch, with guard bytes
// between them: whatever an access out of bounds hits, it does not go unseen.
type arena struct {
	mem    []byte
	ranges []arenaRange // one for each parameter
	params []ir.Param
}

type arenaRange struct{ off, len int }

const (
	guardBytes = 256 // also the alignment of every buffer
	guard      = 0xA5
)

// newArena lays out and fills the buffers of a launch.
func newArena(p *ir.Program, l Launch) (*arena, error) {
	a := &arena{params: p.Params(), ranges: make([]arenaRange, len(l.Args))}
	if len(l.Args) != len(a.params) {
		return nil, fmt.Errorf("%d arguments for %d parameters", len(l.Args), len(a.params))
	}
	at := guardBytes
	for i, arg := range l.Args {
		if a.params[i].IsBuffer() && arg.Part == nil {
			a.ranges[i] = arenaRange{at, len(arg.Data)}
			at += (len(arg.Data)+guardBytes-1)/guardBytes*guardBytes + guardBytes
		}
	}
	for i, arg := range l.Args {
		if arg.Part != nil {
			of := a.ranges[arg.Part.Of]
			if arg.Part.Off+arg.Part.Len > of.len {
				return nil, fmt.Errorf("argument %d lies beyond the buffer it is a part of", i)
			}
			a.ranges[i] = arenaRange{of.off + arg.Part.Off, arg.Part.Len}
		}
	}
	a.mem = bytes.Repeat([]byte{guard}, at)
	for i, arg := range l.Args {
		if a.params[i].IsBuffer() && arg.Part == nil {
			copy(a.mem[a.ranges[i].off:], arg.Data)
		}
	}
	return a, nil
}

// buffer is the memory of parameter i.
func (a *arena) buffer(i int) []byte {
	r := a.ranges[i]
	return a.mem[r.off : r.off+r.len : r.off+r.len]
}

// buffers returns the memory of all buffers, and an error if a guard was overwritten.
func (a *arena) buffers() ([][]byte, error) {
	bufs := make([][]byte, len(a.params))
	end, before := 0, "" // of the last buffer
	for i, r := range a.ranges {
		if !a.params[i].IsBuffer() {
			continue
		}
		bufs[i] = a.buffer(i)
		if r.off < end {
			continue // a part
		}
		if err := a.guarded(end, r.off, before); err != nil {
			return nil, err
		}
		end, before = r.off+r.len, a.params[i].Name
	}
	return bufs, a.guarded(end, len(a.mem), before)
}

// guarded checks the guard bytes [from, to) after a buffer.
func (a *arena) guarded(from, to int, before string) error {
	for k, b := range a.mem[from:to] {
		if b != guard {
			return fmt.Errorf("memory outside all buffers was overwritten, %d bytes after the end of %q", k, before)
		}
	}
	return nil
}
