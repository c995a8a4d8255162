package speedup

import (
	"encoding/binary"

	"github.com/govyre/vyre/driver"
)

// lineBytes is what parts of a buffer are aligned to.
const lineBytes = 256

// layout is where arrays of u32 stand in one buffer.
type layout struct{ size int64 }

// part makes room for n words, and returns where they stand.
func (l *layout) part(n int) span {
	s := span{l.size, 4 * int64(n)}
	l.size = (l.size + s.n + lineBytes - 1) / lineBytes * lineBytes
	return s
}

// span is a part of a buffer.
type span struct{ at, n int64 }

func (s span) of(b driver.Buffer) driver.Range { return driver.Part(b, s.at, s.n) }

// image is the graph as one piece of memory.
type image struct {
	offsets, targets, masks span
	bytes                   *driver.HostMemory
}

// newImage lays the graph out in memory that the device reads directly.
func newImage(dev driver.Device, w *Work) (*image, error) {
	var m image
	var l layout
	g := w.Graph
	m.offsets, m.targets = l.part(len(g.Offsets())), l.part(len(g.Targets()))
	if w.filtered() {
		m.masks = l.part(len(g.Masks()))
	}
	var err error
	if m.bytes, err = dev.AllocHost(l.size); err != nil {
		return nil, err
	}
	put(m.bytes.Bytes()[m.offsets.at:], g.Offsets())
	put(m.bytes.Bytes()[m.targets.at:], g.Targets())
	if w.filtered() {
		put(m.bytes.Bytes()[m.masks.at:], g.Masks())
	}
	return &m, nil
}

// graph returns the arguments of a kernel that stand for the graph, in a buffer with the image.
func (m *image) graph(b driver.Buffer) []driver.Arg {
	args := []driver.Arg{m.offsets.of(b), m.targets.of(b)}
	if m.masks.n > 0 {
		args = append(args, m.masks.of(b))
	}
	return args
}

// put writes words in little endian.
func put(to []byte, words []uint32) {
	for i, v := range words {
		binary.LittleEndian.PutUint32(to[4*i:], v)
	}
}
