package session

import (
	"context"
	"encoding/binary"
	"runtime"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/internal/guard"
)

// image is a graph in one buffer of a device: offsets, targets, and masks if it has any, each from a line of 256 bytes on.
type image struct {
	g      *graph.CSR
	ahead  bool // g is to be turned round first, and is as large as that
	memory driver.Buffer
}

// turn makes g what it is to be.
func (m *image) turn(ctx context.Context) error {
	if !m.ahead {
		return nil
	}
	g, err := m.g.Reverse(ctx)
	if err == nil {
		m.g, m.ahead = g, false
	}
	return err
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
func (m *image) host(ctx context.Context) (host []byte, err error) {
	if err := m.turn(ctx); err != nil {
		return nil, err
	}
	err = m.g.Read(func() error { // before kernels see what was not verified
		offsets, targets, masks, end := m.layout()
		host = make([]byte, end)
		putWords(host[offsets:], m.g.Offsets())
		putWords(host[targets:], m.g.Targets())
		putWords(host[masks:], m.g.Masks())
		return nil
	})
	return host, err
}

// mostCopied is how many bytes of a file are copied at a time.
const mostCopied = 16 << 20

// upload writes an array of the graph to a buffer, from some byte on. One of a file that is mapped is copied first: where a driver
// reads memory that is gone, nobody can help it.
func upload(ctx context.Context, g *graph.CSR, to driver.Buffer, first int64, b []byte) error {
	if !g.Mapped() {
		return driver.Write(ctx, driver.Part(to, first, int64(len(b))), b)
	}
	copied := make([]byte, min(len(b), mostCopied))
	for at := 0; at < len(b); at += len(copied) {
		copied = copied[:min(len(copied), len(b)-at)]
		err := g.Read(func() error {
			copy(copied, b[at:])
			return nil
		})
		if err == nil {
			err = driver.Write(ctx, driver.Part(to, first+int64(at), int64(len(copied))), copied)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func putWords(to []byte, words []uint32) { copy(to, little.Bytes(words)) }

// manyWords are so many that one core takes longer to copy them, into memory that the system has not given yet, than to call
// the others.
const manyWords = 1 << 18

// getWords is the way back: as many as there are.
func getWords(words []uint32, from []byte) {
	switch {
	case little.Native && len(words) >= manyWords:
		var all guard.Group
		each := (len(words) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
		for first := 0; first < len(words); first += each {
			part := words[first:min(first+each, len(words))]
			all.Go(func() { copy(little.Bytes(part), from[4*first:]) })
		}
		all.Wait()
		return
	case little.Native:
		copy(little.Bytes(words), from)
		return
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
}

// maskedArrays are an image's arrays for programs that can do without masks: they are told whether there are any, and get
// another array in their place.
func maskedArrays(of *image) []driver.Arg {
	args := of.arrays()
	masked := uint32(1)
	if of.g.Masks() == nil {
		masked, args = 0, append(args, args[len(args)-1])
	}
	return append([]driver.Arg{driver.U32(masked)}, args...)
}
