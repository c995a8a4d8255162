package graph

import (
	"fmt"
	"io"
	"math"
)

// DecodeFrom is Decode for a file that comes as a stream. The header and the table are read and checked first, so that a stream
// that is not a .vyg file, or is too large, is refused after 128 bytes, or after the table. fits is told how many bytes reading
// the rest holds at most, a copy among them, and its error is returned. Memory grows with what was read, whatever the table
// promises: at most four times as much, or 4 MiB. Then the stream has to end.
//
// Errors: *ParseError; those of r and of fits.
func DecodeFrom(name string, r io.Reader, fits func(bytes int64) error) (*CSR, error) {
	bad := func(at int, got, want string) (*CSR, error) {
		return nil, &ParseError{File: name, Offset: int64(at), Got: got, Want: want}
	}
	start := make([]byte, headBytes)
	n, err := io.ReadFull(r, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	h, err := fixedHead(name, start[:n])
	if err != nil {
		return nil, err
	}
	start = append(start, make([]byte, entryBytes*int(h.sections))...)
	if n, err := io.ReadFull(r, start[headBytes:]); err == io.EOF && n < len(start)-headBytes || err == io.ErrUnexpectedEOF {
		return bad(36, fmt.Sprintf("%d sections promised", h.sections), fmt.Sprintf("the file ends after %d bytes", headBytes+n))
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	f := &file{name: name}
	if f.head, f.table, err = readTable(name, start, math.MaxInt64); err != nil {
		return nil, err
	}
	if err := f.checkLengths(); err != nil {
		return nil, err
	}
	total := uint64(len(start))
	for _, s := range f.table {
		total = max(total, s.offset+s.length)
	}
	if total > math.MaxInt64/2 {
		return bad(36, fmt.Sprintf("sections of %d bytes", total), "no machine has as much memory")
	}
	if err := fits(int64(total + total/growth)); err != nil {
		return nil, err
	}
	b, err := readGrowing(name, r, start, total)
	if err != nil {
		return nil, err
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return bad(len(b), fmt.Sprintf("more after %d bytes", total), "the last section ends there")
	} else if err != io.EOF {
		return nil, err
	}
	return Decode(name, b)
}

const (
	growth    = 4       // times that memory grows when it is full
	leastRead = 1 << 20 // bytes that memory begins with; it begins with less than growth times as many
)

// readGrowing reads on until there are so many bytes, of which some are there. Memory has a fourth of its final size, a sixteenth
// and so on, before it has all of it: what is copied is a fourth of the whole at most.
func readGrowing(name string, r io.Reader, start []byte, total uint64) ([]byte, error) {
	size := total
	for size/growth >= max(leastRead, uint64(len(start))) {
		size /= growth
	}
	var b []byte
	have := 0
	for {
		// Words of 64 bits, so that sections are aligned.
		grown := bytesOf(make([]uint64, (size+7)/8))[:size]
		have = max(have, len(start))
		if b == nil {
			copy(grown, start)
		} else {
			copy(grown, b)
		}
		b = grown
		n, err := io.ReadFull(r, b[have:])
		have += n
		if have < len(b) {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = &ParseError{File: name, Offset: int64(have), Got: fmt.Sprintf("the file ends after %d bytes", have), Want: fmt.Sprintf("its table says %d", total)}
			}
			return nil, err
		}
		if size == total {
			return b, nil
		}
		// The sizes are total/4^k, rounded down each time: the next one is found from the top.
		next := total
		for next/growth > size {
			next /= growth
		}
		size = next
	}
}
