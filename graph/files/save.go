package files

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/klauspost/compress/zstd"
)

// Save writes a graph to a file, compressed if its name ends in .gz or .zst. Format Auto is that of the name. The file appears when it
// is complete: until then it has a temporary name in the same folder. After an error, and where the context ends, what had the
// name still has it. What is no regular file is written to. What the format cannot hold is left out, and said.
func Save(ctx context.Context, name string, g *graph.CSR, format Format) (lost []string, err error) {
	if format == Auto {
		if format = FormatOf(name); format == Auto {
			return nil, fmt.Errorf("%s: its name says no format; there are %s", name, Names())
		}
	}
	err = atomicfile.Write(ctx, name, func(w io.Writer) (err error) {
		z, err := packing(name, w)
		if err != nil {
			return err
		}
		lost, err = Write(ctx, z, g, format)
		return errors.Join(err, z.Close())
	})
	return lost, err
}

// packing is a writer of what a name says that the file is compressed with. Closing it leaves w open.
func packing(name string, w io.Writer) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return uncompressed{w}, nil
}

// uncompressed is a writer that needs no closing.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }

// until is a writer that takes nothing after the end of a context.
type until struct {
	ctx context.Context
	w   io.Writer
}

// Write writes in pieces, which take a millisecond each.
func (u *until) Write(b []byte) (n int, err error) {
	for {
		if err := u.ctx.Err(); err != nil {
			return n, err
		}
		some, err := u.w.Write(b[:min(len(b), 1<<20)])
		if n, b = n+some, b[some:]; err != nil || len(b) == 0 {
			return n, err
		}
	}
}

// Write writes a graph, and says what the format cannot hold. It ends soon after the context, with its error.
func Write(ctx context.Context, w io.Writer, g *graph.CSR, format Format) (lost []string, err error) {
	if err := g.Verify(ctx); err != nil {
		return nil, err
	}
	err = g.Read(func() (err error) {
		lost, err = write(ctx, &until{ctx, w}, g, format)
		return err
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

func write(ctx context.Context, w io.Writer, g *graph.CSR, format Format) (lost []string, err error) {
	out := &printer{w: bufio.NewWriterSize(w, 64<<10)}
	switch format {
	case Vyre:
		_, err := g.Encode(ctx, w)
		return nil, err
	case Edges:
		out.edges(g)
	case WEdges:
		out.weightedEdges(g)
	case Named:
		if err := out.named(g); err != nil {
			return nil, err
		}
	case Matrix:
		out.matrix(g)
	case DIMACS:
		out.dimacs(g)
	case GAP, WGAP:
		if err := out.gap(ctx, g, format == WGAP); err != nil {
			return nil, err
		}
	case Dot:
		out.dot(g)
	case JSON:
		if err := out.json(ctx, g); err != nil {
			return nil, err
		}
	case CSV:
		out.csv(g)
	default:
		return nil, fmt.Errorf("no format %q; there are %s", format, Names())
	}
	if err := out.w.Flush(); err != nil {
		return nil, err
	}
	return losses(g, format), nil
}

// losses is what a graph has and a format has not.
func losses(g *graph.CSR, format Format) (lost []string) {
	has := holds[format]
	d := g.Data()
	for _, c := range []struct {
		what    string
		bit     int
		present bool
	}{
		{"kinds", holdsKinds, g.Masks() != nil},
		{"weights", holdsWeights, d.Weights != nil},
		{"names", holdsNames, d.Names.Len() > 0},
		{"positions", holdsData, d.Positions.Len() > 0},
		{"node kinds", holdsData, d.NodeKinds != nil},
		{"tags", holdsData, d.Tags != nil},
		{"procedures", holdsData, d.Procedures != nil},
		{"call sites", holdsData, d.Sites != nil},
		{"names of kinds", holdsKindNames, d.KindNames != [32]string{}},
		{"attributes", holdsData, len(d.Attributes) > 0},
		{"provenance", holdsData, d.Provenance != graph.Provenance{}},
		{"nodes without arcs", holdsNodes, has&holdsNodes == 0 && isolated(g)},
		{"that nodes have no name", 0, format == Named && d.Names.Len() > 0 && unnamed(g)},
	} {
		if c.present && has&c.bit == 0 {
			lost = append(lost, c.what)
		}
	}
	return lost
}

// unnamed reports whether several nodes have no name: of one node, a list has the empty name.
func unnamed(g *graph.CSR) bool {
	without := 0
	for node := range g.Nodes() {
		if g.Name(uint32(node)) == "" {
			without++
		}
	}
	return without > 1
}

// isolated reports whether a graph has a node that no arc is from or to.
func isolated(g *graph.CSR) bool {
	met := make([]bool, g.Nodes())
	for u := range met {
		targets, _ := g.Row(uint32(u))
		met[u] = met[u] || len(targets) > 0
		for _, v := range targets {
			met[v] = true
		}
	}
	return slices.Contains(met, false)
}

const (
	holdsNodes = 1 << iota // also those without arcs
	holdsKinds
	holdsWeights
	holdsNames
	holdsKindNames
	holdsData
)

var holds = map[Format]int{
	Vyre: 1<<8 - 1, Edges: holdsNodes | holdsKinds, WEdges: holdsNodes | holdsWeights, Matrix: holdsNodes | holdsWeights,
	Named:  holdsNodes | holdsKinds | holdsWeights | holdsNames | holdsKindNames,
	DIMACS: holdsNodes | holdsWeights, GAP: holdsNodes, WGAP: holdsNodes | holdsWeights,
	Dot: holdsNodes | holdsKinds | holdsNames | holdsKindNames, JSON: holdsNodes | holdsKinds | holdsNames | holdsWeights,
	CSV: holdsKinds | holdsNames | holdsWeights,
}
