package graph_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
)

// taken is a stream that counts what was taken from it.
type taken struct {
	io.Reader
	n int64
}

func (c *taken) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func anySize(int64) error { return nil }

// allocated is how many bytes were allocated by something, freed or not.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestStreamsAreLookedAtBeforeTheyAreRead stands for streams that take memory for what nobody has looked at: each is refused after
// what tells that it is wrong, and what was allocated is bounded by what was read, whatever the table promises.
func TestStreamsAreLookedAtBeforeTheyAreRead(t *testing.T) {
	good := written(t, full(t))
	huge := graph.VYG{Nodes: 1 << 31, Lengths: map[uint32]uint64{1: 4*(1<<31) + 4}}.Bytes()
	wrong := graph.VYG{Nodes: 7, Lengths: map[uint32]uint64{1: 1 << 40}}.Bytes()
	stop := errors.New("too much")
	for _, c := range []struct {
		name, want string
		r          io.Reader
		fits       func(int64) error
		read       int64  // at most
		alloc      uint64 // at most
	}{
		{"zeros", `x: it starts with "\x00`, zeros{}, anySize, 128, 4 << 10},
		{"another version", "x: version 2", bytes.NewReader(append([]byte("VYREGRF1\x02"), make([]byte, 1<<20)...)), anySize, 128, 4 << 10},
		{"a table of any length", "sections promised: a table has at most 1024", bytes.NewReader(append(append(bytes.Clone(good[:38]), 1), make([]byte, 1<<20)...)), anySize, 128, 4 << 10},
		{"a spoilt header", "x: header: checksum differs", bytes.NewReader(append(append(bytes.Clone(good[:20]), 1), good[21:]...)), anySize, 4096, 128 << 10},
		{"lengths that do not fit together", "x: section offsets has 1099511627776 bytes: 32 for 7 nodes", io.MultiReader(bytes.NewReader(wrong), zeros{}), anySize, 4096, 128 << 10},
		{"more than fits", "too much", io.MultiReader(bytes.NewReader(huge), zeros{}), func(int64) error { return stop }, 4096, 128 << 10},
		{"a promise", "x: the file ends after 3145", io.MultiReader(bytes.NewReader(huge), io.LimitReader(zeros{}, 3<<20)), anySize, 4 << 20, 20 << 20},
		{"more than it says", "more after", io.MultiReader(bytes.NewReader(good), zeros{}), anySize, int64(len(good)) + 1, 2 * uint64(len(good))},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := &taken{Reader: c.r}
			var err error
			took := allocated(func() { _, err = graph.DecodeFrom("x", from, c.fits) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if from.n > c.read || took > c.alloc {
				t.Errorf("%d bytes were read and %d allocated, want at most %d and %d", from.n, took, c.read, c.alloc)
			}
		})
	}
}

// TestStreamsHoldAFourthMoreThanTheFile: what is held at once is told before, and is not exceeded by all that is allocated.
func TestStreamsHoldAFourthMoreThanTheFile(t *testing.T) {
	const nodes = 3<<20 + 5
	file := graph.VYG{Nodes: nodes, Sections: map[uint32][]byte{1: make([]byte, 4*(nodes+1)), 2: nil}}.Bytes()
	var told int64
	var err error
	var g *graph.CSR
	took := allocated(func() {
		g, err = graph.DecodeFrom("x", bytes.NewReader(file), func(n int64) error { told = n; return nil })
	})
	if err != nil || g.Nodes() != nodes {
		t.Fatal(g, err)
	}
	if size := int64(len(file)); told < size || told > size+size/4 {
		t.Errorf("%d bytes were announced for a file of %d", told, size)
	}
	// All copies are a third of the file together, of which a fourth is held at once.
	if most := uint64(len(file))*4/3 + 256<<10; took > most {
		t.Errorf("%d bytes were allocated for a file of %d, want at most %d", took, len(file), most)
	}
}

// TestStreamsThatAreCut are errors wherever the cut is, and a whole one is the graph.
func TestStreamsThatAreCut(t *testing.T) {
	want := full(t)
	file := written(t, want)
	for n := range file {
		if n > 2000 && n%4096 > 40 && n%4096 < 4088 {
			continue
		}
		if g, err := graph.DecodeFrom("x", bytes.NewReader(file[:n]), anySize); err == nil {
			t.Fatalf("after %d of %d bytes: %v", n, len(file), g)
		}
	}
	g, err := graph.DecodeFrom("x", bytes.NewReader(file), anySize)
	if err != nil || g.Verify(t.Context()) != nil {
		t.Fatal(err, g.Verify(t.Context()))
	}
	same(t, g, want)
}
