package graph

import (
	"context"
	"encoding/binary"

	"github.com/govyre/vyre/driver"
)

// image is a graph in one buffer of a device: offsets, targets, and masks if it has any, each from a line of 256 bytes on.
type image struct {
	g      *CSR
	memory driver.Buffer
}

// layout is where the arrays stand.
func (m *image) layout() (offsets, targets, masks, end int64) {
	line := func(at int64, words int) int64 { return (at + 4*int64(words) + 255) / 256 * 256 }
	targets = line(0, len(m.g.Offsets()))
	masks = line(targets, max(m.g.Arcs(), 1))
	return 0, targets, masks, line(masks, len(m.g.Masks()))
}

// bytes is what the graph takes.
func (m *image) bytes() int64 {
	_, _, _, end := m.layout()
	return end
}

// arrays are the arguments that stand for the graph.
func (m *image) arrays() []driver.Arg {
	offsets, targets, masks, _ := m.layout()
	args := []driver.Arg{driver.Part(m.memory, offsets, 4*int64(len(m.g.Offsets()))), driver.Part(m.memory, targets, 4*int64(max(m.g.Arcs(), 1)))}
	if m.g.Masks() != nil {
		args = append(args, driver.Part(m.memory, masks, 4*int64(m.g.Arcs())))
	}
	return args
}

// host is the graph as it goes to the device, as one piece.
func (m *image) host() []byte {
	offsets, targets, masks, end := m.layout()
	host := make([]byte, end)
	putWords(host[offsets:], m.g.Offsets())
	putWords(host[targets:], m.g.Targets())
	putWords(host[masks:], m.g.Masks())
	return host
}

func putWords(to []byte, words []uint32) { copy(to, bytesOf(words)) }

// manyWords are so many that one core takes longer to copy them, into memory that the system has not given yet, than to call
// the others.
const manyWords = 1 << 18

// getWords is the way back: as many as there are.
func getWords(words []uint32, from []byte) {
	switch {
	case littleEndian && len(words) >= manyWords:
		_ = portions(context.Background(), uint64(len(words)), func(p portion) {
			first, last := p.of(uint64(len(words)))
			copy(bytesOf(words[first:last]), from[4*first:])
		})
		return
	case littleEndian:
		copy(bytesOf(words), from)
		return
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
}
