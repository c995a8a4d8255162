package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
)

// moved is what a session has put on its device and read from there, and the buffers that it asked for, beside the control words that
// plans have and look at themselves.
type moved struct{ uploaded, read, buffers uint64 }

// since takes what a run moved into it: all since some time before.
func (m moved) since(before moved, r *Run) {
	r.Uploaded, r.Read = m.uploaded-before.uploaded, m.read-before.read
}

// write puts bytes on the device.
func (s *Session) write(ctx context.Context, to driver.Range, b []byte) error {
	err := driver.Write(ctx, to, b)
	if err == nil {
		s.moved.uploaded += uint64(len(b))
	}
	return err
}

// read reads bytes from there.
func (s *Session) read(ctx context.Context, from driver.Range, b []byte) error {
	err := driver.ReadInto(ctx, from, b)
	if err == nil {
		s.moved.read += uint64(len(b))
	}
	return err
}

// readWords reads a buffer of u32.
func (s *Session) readWords(ctx context.Context, from driver.Range) ([]uint32, error) {
	words := make([]uint32, from.Len/4)
	if little.Native {
		return words, s.read(ctx, from, little.Bytes(words))
	}
	host := make([]byte, from.Len)
	err := s.read(ctx, from, host)
	getWords(words, host)
	return words, err
}

// buffer allocates memory on the device.
func (s *Session) buffer(w wanted) (driver.Buffer, error) {
	b, err := s.dev.Alloc(w.bytes, driver.AllocOptions{Label: s.o.Label + " " + w.label})
	if err == nil {
		s.moved.buffers++
	}
	return b, err
}

// put uploads an image.
func (s *Session) put(ctx context.Context, m *image) error {
	host, err := m.host(ctx)
	if err != nil {
		return err
	}
	return s.write(ctx, driver.All(m.memory), host)
}
