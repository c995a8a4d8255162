package machine

import (
	"encoding/binary"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// loadTiles loads tiles of eight lines of 16 bytes: line r of tile i is where lane 8·i + r says. Its slots are those of a word of each.
type loadTiles struct {
	access
	turned bool
}

// lineBytes are those of a line of a tile.
const lineBytes = 16

func (dec *decoder) loadTiles(src *asm.Inst) *loadTiles {
	x := &loadTiles{turned: src.Has("trans")}
	dec.place(&x.access, src, &src.Args[1])
	x.slots = dec.each(src.Args[0].Vec, dec.dest)
	return x
}

func runLoadTiles(w *warp, in *inst, m uint32) {
	if m != all {
		w.fault(Diverged, in, m, "a load of tiles needs all lanes, and only %#x are here", m)
		return
	}
	x := in.x.(*loadTiles)
	if x.base >= 0 {
		w.needs(in, x.base, 1<<(8*len(x.slots))-1, "address")
	}
	for i, s := range x.slots {
		var tile [8 * lineBytes]byte
		for r := range 8 {
			copy(tile[r*lineBytes:], x.line(w, in, 8*i+r))
		}
		if s < 0 {
			continue
		}
		for l := range 32 {
			w.at(s)[l] = uint64(x.word(&tile, l))
		}
		w.defined(s, all, all)
	}
}

// line reads the line of which lane l has the address.
func (x *loadTiles) line(w *warp, in *inst, l int) []byte {
	c := w.memory(in, &x.access, l, lineBytes)
	if r := w.g.m.races; r != nil {
		r.access(w, in, &x.access, l, lineBytes, c, false, false)
	}
	for i, k := range c.known {
		if k == 0 && !w.k.carries {
			w.found(UndefinedMemory, in, 1<<l, "nothing wrote the byte at %#x", w.address(&x.access, l)+uint64(i))
			break
		}
	}
	return c.data
}

// word is what lane l gets of a tile: a word of a line, or of each of two lines an element of 16 bits.
func (x *loadTiles) word(tile *[8 * lineBytes]byte, l int) uint32 {
	if !x.turned {
		return binary.LittleEndian.Uint32(tile[4*l:])
	}
	at := l%4*2*lineBytes + l/4*2
	return uint32(binary.LittleEndian.Uint16(tile[at:])) | uint32(binary.LittleEndian.Uint16(tile[at+lineBytes:]))<<16
}
