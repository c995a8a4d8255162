package files

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/govyre/vyre/graph"
	"github.com/klauspost/compress/zstd"
)

// mostRatio is how many bytes a compressed one may become; gzip cannot do much more.
const mostRatio = 1000

// mostWindow is how much text zstd may look back: what its command takes without being asked, and all of its levels keep to.
const mostWindow = 128 << 20

// window is how much text zstd may look back here: within the limit of memory, but as much as all readers of the format have to
// take.
func (r *reader) window() int64 { return min(max(r.o.MaxMemory/4, 8<<20), mostWindow) }

// meter counts what is read from the file. Progress asks it while another goroutine reads.
type meter struct {
	r io.Reader
	n atomic.Int64
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.n.Add(int64(n))
	return n, err
}

// open looks whether a file is compressed.
func (r *reader) open(src io.Reader) (*input, error) {
	in := &input{r: r, stored: &meter{r: src}}
	raw := bufio.NewReaderSize(in.stored, 64<<10)
	first, err := raw.Peek(6)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	var text io.Reader = raw
	switch {
	case bytes.HasPrefix(first, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(raw)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		u := unpacker{z, "gzip", r.name, in.stored}
		if err != nil {
			return nil, u.explain(err)
		}
		text, in.packed = u, true
	case bytes.HasPrefix(first, []byte("BZh")):
		text, in.packed = unpacker{bzip2.NewReader(raw), "bzip2", r.name, in.stored}, true
	case bytes.HasPrefix(first, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(r.window())))
		if err != nil {
			return nil, &graph.ParseError{File: r.name, Got: err.Error()}
		}
		text, in.packed = unpacker{z, "zstd", r.name, in.stored}, true // on one goroutine it has nothing to close
	case bytes.HasPrefix(first, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return nil, &graph.ParseError{File: r.name, Got: "it is compressed with xz, which is not read", Want: "decompress it, or use gzip"}
	case bytes.HasPrefix(first, []byte("PK\x03\x04")):
		return nil, &graph.ParseError{File: r.name, Got: "it is a zip archive, which is not read", Want: "unpack it, or use gzip"}
	}
	if in.packed {
		in.text = bufio.NewReaderSize(text, 64<<10)
	} else {
		in.text = raw
	}
	return in, in.byteOrder()
}

// byteOrder passes by the mark that text of Windows starts with, and refuses that of text which is not UTF-8.
func (in *input) byteOrder() error {
	b, _ := in.text.Peek(3)
	switch {
	case string(b) == "\ufeff":
		in.n += 3
		in.text.Discard(3)
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return &graph.ParseError{File: in.r.name, Got: "it is text in UTF-16", Want: "save it as UTF-8"}
	}
	return nil
}

// unpacker reads what a compressed file was made of, and says in errors how it is compressed and where it ends.
type unpacker struct {
	io.Reader
	how    string
	name   string
	stored *meter
}

func (u unpacker) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	return n, u.explain(err)
}

func (u unpacker) explain(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	at := u.stored.n.Load()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &graph.ParseError{File: u.name, Offset: at, Got: fmt.Sprintf("the file ends after %d bytes, within what %s has compressed", at, u.how), Want: "the rest of it; it was cut off, or is not yet written"}
	}
	return &graph.ParseError{File: u.name, Offset: at, Got: fmt.Sprintf("%s: %s, within the first %d bytes", u.how, strings.TrimPrefix(strings.TrimPrefix(err.Error(), u.how+": "), u.how+" data invalid: "), at)}
}

// peek returns what the text starts with.
func (in *input) peek() []byte {
	b, _ := in.text.Peek(peekBytes)
	return b
}

// peekBytes is how much of a text is looked at to tell its format.
const peekBytes = 64 << 10

// Read reads text, as far as the limits allow. What is beyond them is not returned: who wants a whole buffer would take it
// and forget the error.
func (in *input) Read(b []byte) (int, error) {
	if err := in.r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.text.Read(b)
	in.n += int64(n)
	limit := in.r.o.MaxBytes
	switch {
	case limit > 0 && in.n > limit:
		return 0, &graph.ParseError{File: in.r.name, Offset: limit, Got: fmt.Sprintf("more than %d bytes", limit), Want: "that is the limit; --max-bytes raises it"}
	case in.packed && in.n > mostRatio*in.stored.n.Load()+chunkBytes:
		return 0, &graph.ParseError{File: in.r.name, Offset: in.n, Got: fmt.Sprintf("%d bytes became %d", in.stored.n.Load(), in.n), Want: fmt.Sprintf("at most %d times as many; decompress it first if that is right", mostRatio)}
	}
	var said *graph.ParseError
	if err != nil && err != io.EOF && !errors.As(err, &said) {
		err = &graph.ParseError{File: in.r.name, Offset: in.n, Got: err.Error()}
	}
	if err != nil && err != io.EOF {
		return 0, err
	}
	return n, err
}
