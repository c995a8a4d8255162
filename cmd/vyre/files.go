package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/printable"
)

// What a file may have. A pipe or a device says nothing about its size beforehand, and some never end.
const (
	maxProgram = 256 << 20
	maxData    = maxElements * 8
	maxStream  = 256 << 20
)

// standard reports whether a name stands for standard input or output: "-", or "-" and an extension that says
// which form the bytes have.
func standard(name string) bool {
	return name == "-" || strings.HasPrefix(name, "-.") && !strings.ContainsAny(name, `/\`)
}

// read reads a file of at most limit bytes, or of maxStream bytes if it is no ordinary file.
func (t *terminal) read(name string, limit int64) ([]byte, error) {
	if standard(name) {
		if t.inRead {
			return nil, usagef("%s: standard input can be read only once", name)
		}
		t.inRead = true
		return readStream(t.in, "standard input", min(limit, maxStream))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return readStream(f, name, min(limit, maxStream))
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, info.Size(), limit)
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = b.ReadFrom(io.LimitReader(f, limit))
	return b.Bytes(), err
}

// readStream reads what has no size of its own.
func readStream(r io.Reader, name string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s does not end within %d bytes", name, limit)
	}
	return b, err
}

// claim takes standard output for one use: two of them would come out as neither.
func (t *terminal) claim(what string) error {
	if t.outBy != "" {
		return usagef("%s and %s would both write to standard output; give one of them a file", t.outBy, what)
	}
	t.outBy = what
	return nil
}

// sink is an output that is opened before the work: a name that cannot be written is known at once, and what the
// file held is there until there is something better.
type sink struct {
	t    *terminal
	name string
	file *atomicfile.File // nil for standard output
}

// create opens what a flag says to write to: a file, or standard output for "-" and for nothing.
func (t *terminal) create(flag, name string) (*sink, error) {
	if name == "" || standard(name) {
		return &sink{t: t}, t.claim(strings.TrimSpace(flag + " " + name))
	}
	f, err := atomicfile.Open(t.ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, name, err)
	}
	return &sink{t, name, f}, nil
}

// write makes b the content of the output, and says on standard error which file that is.
func (s *sink) write(b []byte) error { return s.writeAs(b, counted(len(b), "byte")) }

// writeAs is write where the content has a better measure than its bytes.
func (s *sink) writeAs(b []byte, what string) error {
	write := func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
	if s.file == nil {
		return write(s.t.out)
	}
	if err := s.file.Write(s.t.ctx, write); err != nil {
		return err
	}
	s.t.wrote(s.name, what)
	return nil
}

// wrote says which file has new content, and which.
func (t *terminal) wrote(name, what string) {
	if !t.quiet {
		fmt.Fprintf(t.err, "wrote %s: %s\n", printable.Text(name), what)
	}
}

// close gives up an output. A file that nothing was written to is as it was.
func (s *sink) close() {
	if s.file != nil {
		s.file.Close()
	}
}
