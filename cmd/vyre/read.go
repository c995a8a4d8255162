package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// What a file may have. A pipe or a device says nothing about its size beforehand, and some never end.
const (
	maxProgram = 256 << 20
	maxData    = maxElements * 8
	maxStream  = 256 << 20
)

// readFile reads a file of at most limit bytes, or of maxStream bytes if it is no ordinary file.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	ordinary := info.Mode().IsRegular()
	if !ordinary {
		limit = min(limit, maxStream)
	}
	var b bytes.Buffer
	if size := info.Size(); ordinary && size <= limit {
		b.Grow(int(size) + bytes.MinRead)
	} else if ordinary {
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, size, limit)
	}
	if _, err := b.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("%s does not end within %d bytes", name, limit)
	}
	return b.Bytes(), nil
}
