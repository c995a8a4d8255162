package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
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
	out  io.Writer // standard output, if it is that
	file *os.File
	made bool // the file was not there before
	done bool
}

// create opens what a flag says to write to: a file, or standard output for "-" and for nothing.
func (t *terminal) create(flag, name string) (*sink, error) {
	if name == "" || standard(name) {
		return &sink{out: t.out}, t.claim(strings.TrimSpace(flag + " " + name))
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		return &sink{file: f, made: true}, nil
	}
	if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, name, err)
	}
	return &sink{file: f}, nil
}

// writable opens an output and gives it up again, for work that reads where it will write.
func (t *terminal) writable(name string) error {
	s, err := t.create("-o", name)
	if err == nil {
		s.close()
	}
	return err
}

// write makes b the content of the output.
func (s *sink) write(b []byte) error {
	s.done = true
	if s.file == nil {
		_, err := s.out.Write(b)
		return err
	}
	if info, err := s.file.Stat(); err != nil {
		return err
	} else if info.Mode().IsRegular() {
		if err := s.file.Truncate(0); err != nil {
			return err
		}
	}
	if _, err := s.file.Write(b); err != nil {
		return err
	}
	f := s.file
	s.file = nil
	return f.Close()
}

// close gives up an output that nothing was written to: a file that is there only because of it goes again.
func (s *sink) close() {
	if s.file == nil {
		return
	}
	s.file.Close()
	if s.made && !s.done {
		os.Remove(s.file.Name())
	}
}
