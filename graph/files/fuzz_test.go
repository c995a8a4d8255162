package files_test

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
)

// fuzzed reads any bytes as a format: an error comes out, or a graph that holds what graphs hold, is the same when it is
// written and read again, and took no more memory than its file warrants.
func fuzzed(f *testing.F, format files.Format, seeds ...string) {
	for _, name := range []string{"grid:2x3", "skew:16", "chain:1"} {
		g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			f.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := files.Write(f.Context(), &b, g, format); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), uint8(0))
	}
	for i, s := range seeds {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, flags uint8) {
		if len(b) > 1<<16 {
			return
		}
		o := files.Options{Format: format, Workers: 2, NoWeights: flags&1 == 0, NoKinds: flags&2 != 0, KeepGoing: flags&4 != 0, MaxBytes: 1 << 20,
			MaxMemory: int64(16*len(b)) + 64<<20, Build: graph.BuildOptions{Symmetric: flags&8 != 0, Dedup: flags&16 != 0, NoSelf: flags&32 != 0}}
		if flags&64 != 0 {
			o.IDs = files.Sparse
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g, _, err := files.Read(t.Context(), bytes.NewReader(b), "x."+string(format), o)
		runtime.ReadMemStats(&after)
		// Buffers for chunks are of a fixed number; all the rest is what the file warrants, with copies on the way.
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(64*len(b))+256<<20 {
			t.Errorf("%d bytes of file took %d of memory", len(b), took)
		}
		if err != nil {
			return
		}
		if _, err := graph.New(t.Context(), g.Offsets(), g.Targets(), g.Masks()); err != nil {
			t.Fatal(err)
		}
		if g.Nodes() > 1<<16 {
			return
		}
		var again bytes.Buffer
		lost, err := files.Write(t.Context(), &again, g, format)
		if err != nil {
			t.Fatal(err)
		}
		ids := files.Dense
		if format == files.Named {
			ids = files.AutoIDs
		}
		back, _, err := files.Read(t.Context(), &again, "x."+string(format), files.Options{Format: format, IDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lost {
			if l == "kinds" {
				return
			}
		}
		if format == files.Named && !slices.Contains(lost, "that nodes have no name") && !sameGraph(back, g) {
			t.Fatalf("%s %+v\nbecame %s %+v", text(g), g.Data(), text(back), back.Data())
		}
		if must(back.Digest(t.Context())) != must(g.Digest(t.Context())) {
			t.Fatalf("%d nodes and %d arcs became %d and %d", g.Nodes(), g.Arcs(), back.Nodes(), back.Arcs())
		}
	})
}

//ci:inputs 7500
func FuzzEdges(f *testing.F) {
	fuzzed(f, files.Edges, "0 1 7\n1 2\n", "1000000000000 2\n", "# Nodes: 12\n0\t0", "0 1 x y z\r\n%\n")
}

//ci:inputs 7500
func FuzzWeighted(f *testing.F) { fuzzed(f, files.WEdges, "0 1 7\n", "0 1 -0.5e3\n") }

//ci:inputs 20000
func FuzzNamed(f *testing.F) {
	fuzzed(f, files.Named, "web api\n", "web\tapi v2\tcall+http\t5\n", "#:kind 3 \"f g\"\n#:node \"\\x00\"\n\"\" \"#\" \"f g\" 1.0\n", "a b 0x30000 -\r\n", "0 1\n1 2\n", "#:node \"0\"\n\"\" 1", "a b x\na c 0x20000")
}

//ci:inputs 30000
func FuzzMTX(f *testing.F) {
	fuzzed(f, files.Matrix, "%%MatrixMarket matrix coordinate integer symmetric\n%\n3 3 2\n1 1 7\n3 1 9\n")
}

//ci:inputs 20000
func FuzzDIMACS(f *testing.F) { fuzzed(f, files.DIMACS, "c x\n\np sp 3 1\na 1 3 9\nc\n") }

//ci:inputs 40000
func FuzzGAP(f *testing.F) { fuzzed(f, files.GAP) }

//ci:inputs 40000
func FuzzWGAP(f *testing.F) { fuzzed(f, files.WGAP) }

//ci:inputs 15000
func FuzzPacked(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\x50\x30\xe4\x02\x00"))
	f.Add([]byte("BZh91AY&SY"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x21\x00\x000 1\n\x61\x00\x86\x2b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, _, err := files.Read(t.Context(), bytes.NewReader(b), "x.el", files.Options{MaxBytes: 1 << 20, MaxMemory: 64 << 20}); err == nil {
			if _, err := graph.New(t.Context(), g.Offsets(), g.Targets(), g.Masks()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
