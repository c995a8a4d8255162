package graph_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// full is a graph with everything that one can have.
func full(t *testing.T) *graph.CSR {
	t.Helper()
	g, err := graph.New(t.Context(), []uint32{0, 2, 3, 3}, []uint32{1, 2, 2}, []uint32{graph.KindCall, graph.KindCall, graph.KindArgument})
	if err != nil {
		t.Fatal(err)
	}
	d := graph.Data{NodeKinds: []uint32{1, 2, 3}, Tags: []uint32{0, 1, 0}, Weights: []uint32{5, 6, 7}, Names: graph.NewStrings([]string{"main", "", "log"}),
		Procedures: []uint32{0, 1, 2}, Sites: []uint32{9, graph.NoSite, 4},
		Positions: graph.NewStrings([]string{"a.go:1:2", "b.go:3:4", ""}), Attributes: map[string]string{"go": "1.26"},
		Provenance: graph.Provenance{Producer: "test", Version: "1", Options: "none"}}
	d.KindNames[20] = "spawns"
	if g, err = g.With(d); err != nil {
		t.Fatal(err)
	}
	return g
}

// written is a graph as a .vyg file.
func written(t testing.TB, g *graph.CSR) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := g.Encode(t.Context(), &b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes, %v; %d were written", n, err, b.Len())
	}
	return b.Bytes()
}

// same compares graphs with all their data.
func same(t *testing.T, got, want *graph.CSR) {
	t.Helper()
	for what, pair := range map[string][2]any{
		"offsets": {got.Offsets(), want.Offsets()}, "targets": {append([]uint32{}, got.Targets()...), append([]uint32{}, want.Targets()...)},
		"masks": {got.Masks(), want.Masks()}, "digest": {graphtest.Must(got.Digest(t.Context())), graphtest.Must(want.Digest(t.Context()))}, "data": {got.Data(), want.Data()},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
		}
	}
}

func TestFilesHoldGraphs(t *testing.T) {
	graphs := map[string]*graph.CSR{"full": full(t), "empty": {}}
	for _, name := range graphtest.SmallGraphs {
		graphs[name] = graphtest.SmallGraph(t, name)
	}
	for name, g := range graphs {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.vyg")
			b := written(t, g)
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			opened, err := graph.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := opened.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			same(t, opened, g)
			if again := written(t, opened); !bytes.Equal(again, b) {
				t.Error("written again it has other bytes")
			}
			if err := errors.Join(opened.Close(), opened.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAClosedGraphIsRefused by what looks at its arcs, and has no memory to look at.
func TestAClosedGraphIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.vyg")
	if err := os.WriteFile(path, written(t, graphtest.SmallGraph(t, graphtest.SmallGraphs[0])), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(path)
	if err == nil {
		err = errors.Join(g.Verify(t.Context()), g.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("files are read there, and what was read stays")
	}
	_, levels := graph.Levels(t.Context(), g, []uint32{0}, graph.AllKinds)
	_, opened := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{})
	_, writing := g.Encode(t.Context(), io.Discard)
	for what, err := range map[string]error{"Verify": g.Verify(t.Context()), "Levels": levels, "NewSession": opened, "Encode": writing} {
		if !errors.Is(err, driver.Closed) || !strings.Contains(err.Error(), "the graph is closed; fix: open it again") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestFilesWithMoreMasksThanFitAByte have 4 bytes for each.
func TestFilesWithMoreMasksThanFitAByte(t *testing.T) {
	for _, n := range []int{255, 256, 257, 1000} {
		offsets, targets, masks := make([]uint32, n+1), make([]uint32, n), make([]uint32, n)
		for i := range n {
			offsets[i+1], targets[i], masks[i] = uint32(i+1), uint32(i), uint32(n-i)
		}
		g, err := graph.New(t.Context(), offsets, targets, masks)
		if err != nil {
			t.Fatal(err)
		}
		back, err := graph.Decode("x.vyg", written(t, g))
		if err != nil || back.Verify(t.Context()) != nil {
			t.Fatal(err, back.Verify(t.Context()))
		}
		same(t, back, g)
	}
}

// TestNodeKindsAndTagsEnterTheDigest, and nothing else beside the arcs does.
func TestNodeKindsAndTagsEnterTheDigest(t *testing.T) {
	g := full(t)
	bare, err := graph.New(t.Context(), g.Offsets(), g.Targets(), g.Masks())
	if err != nil {
		t.Fatal(err)
	}
	digests := map[[32]byte]string{graphtest.Must(bare.Digest(t.Context())): "bare"}
	for name, d := range map[string]graph.Data{"node kinds": {NodeKinds: []uint32{1, 2, 3}}, "tags": {Tags: []uint32{1, 2, 3}}, "both": {NodeKinds: []uint32{1, 2, 3}, Tags: []uint32{1, 2, 3}}} {
		with, err := bare.With(d)
		if err != nil {
			t.Fatal(err)
		}
		if other, known := digests[graphtest.Must(with.Digest(t.Context()))]; known {
			t.Errorf("%s has the digest of %s", name, other)
		}
		digests[graphtest.Must(with.Digest(t.Context()))] = name
	}
	named, err := bare.With(graph.Data{Names: graph.NewStrings([]string{"a", "b", "c"}), Weights: []uint32{1, 2, 3}})
	if err != nil || graphtest.Must(named.Digest(t.Context())) != graphtest.Must(bare.Digest(t.Context())) {
		t.Errorf("%v, names and weights change the digest", err)
	}
}

func TestWithRefusesOtherLengths(t *testing.T) {
	g := full(t)
	for _, c := range []struct {
		d    graph.Data
		want string
	}{
		{graph.Data{Tags: []uint32{1}}, "1 tags for 3 nodes"}, {graph.Data{NodeKinds: make([]uint32, 4)}, "4 node kinds for 3 nodes"},
		{graph.Data{Weights: make([]uint32, 4)}, "4 weights for 3 arcs"}, {graph.Data{Sites: make([]uint32, 2)}, "2 call sites for 3 arcs"}, {graph.Data{Procedures: make([]uint32, 2)}, "2 procedures for 3 nodes"}, {graph.Data{Names: graph.NewStrings([]string{"a"})}, "1 names for 3 nodes"},
	} {
		if _, err := g.With(c.d); err == nil || err.Error() != "graph: "+c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestBrokenFilesSayWhere breaks a byte of each part of a file.
func TestBrokenFilesSayWhere(t *testing.T) {
	good := written(t, full(t))
	for _, c := range []struct {
		name  string
		spoil func(b []byte) []byte
		want  string
	}{
		{"nothing", func(b []byte) []byte { return nil }, "x.vyg: the file has 0 bytes: the header alone has 128"},
		{"magic", func(b []byte) []byte { b[0] = 'X'; return b }, `x.vyg: it starts with "XYREGRF1": a .vyg file starts with VYREGRF1`},
		{"version", func(b []byte) []byte { b[8] = 9; return b }, "x.vyg: version 9: version 1 is read"},
		{"nodes", func(b []byte) []byte { b[16] = 9; return b }, "x.vyg: header: checksum differs"},
		{"table", func(b []byte) []byte { b[140]++; return b }, "x.vyg: header: checksum differs"},
		{"sections", func(b []byte) []byte { b[38] = 9; return b }, "x.vyg: 589840 sections promised: a table has at most 1024 entries"},
		{"short", func(b []byte) []byte { return b[:len(b)-4097] }, "bytes promised, the file has"},
		{"targets", func(b []byte) []byte { b[8192]++; return b }, "x.vyg: section targets at 8192: checksum differs"},
		{"names", func(b []byte) []byte { i := bytes.Index(b, []byte("mainlog")); b[i]++; return b }, "section name bytes at "},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := graph.Decode("x.vyg", c.spoil(slices.Clone(good)))
			if err == nil {
				err = g.Verify(t.Context())
			}
			var parse *graph.ParseError
			if !errors.As(err, &parse) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestLyingFiles have right checksums of wrong contents.
func TestLyingFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		file graph.VYG
		want string
	}{
		{"falling offsets", graph.VYG{Nodes: 2, Arcs: 1, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1, 0), 2: graph.Bytes32(0)}}, "row 1: offset 0 after 1"},
		{"target", graph.VYG{Nodes: 1, Arcs: 1, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1), 2: graph.Bytes32(7)}}, "arc 0 of row 0: target 7, but n = 1"},
		{"offsets beyond", graph.VYG{Nodes: 1, Arcs: 1, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1<<31), 2: graph.Bytes32(0)}}, "the last offset is 2147483648, and there are 1 targets"},
		{"too short", graph.VYG{Nodes: 3, Arcs: 0, Sections: map[uint32][]byte{1: graph.Bytes32(0, 0)}}, "section offsets has 8 bytes: 16 for 3 nodes and 0 arcs"},
		{"huge", graph.VYG{Nodes: 1 << 40, Arcs: 0}, "1099511627776 nodes: at most 4294967294 have ids"},
		{"too many arcs", graph.VYG{Nodes: 1, Arcs: 1<<40 + 1, Width: 8}, "1099511627777 arcs: at most 1099511627776"},
		{"narrow offsets of many arcs", graph.VYG{Nodes: 1, Arcs: 1 << 32}, "offsets of 4 bytes: 8 bytes each count 4294967296 arcs"},
		{"wide offsets beyond", graph.VYG{Nodes: 1, Arcs: 1, Width: 8, Sections: map[uint32][]byte{1: graph.Bytes64(0, 1<<32+1), 2: graph.Bytes32(0)}}, "offset 4294967297 of row 1: 1, the number of arcs"},
		{"kind outside", graph.VYG{Nodes: 1, Arcs: 1, Kinds: 1, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1), 2: graph.Bytes32(0), 3: {1}, 4: graph.Bytes32(1)}}, "arc 0: kind 1: the table has 1"},
		{"mask 0", graph.VYG{Nodes: 1, Arcs: 1, Kinds: 4, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1), 2: graph.Bytes32(0), 3: graph.Bytes32(0)}}, "mask 0 can never be allowed"},
		{"flags", graph.VYG{Nodes: 1, Arcs: 1, Flags: 8, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1), 2: graph.Bytes32(0)}}, "flags 0x8: of these 0x8 do not hold"},
		{"not symmetric", graph.VYG{Nodes: 2, Arcs: 1, Flags: 3, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1, 1), 2: graph.Bytes32(1)}}, "flags 0x3: of these 0x1 do not hold"},
		{"masks not symmetric", graph.VYG{Nodes: 2, Arcs: 2, Kinds: 4, Flags: 1, Sections: map[uint32][]byte{1: graph.Bytes32(0, 1, 2), 2: graph.Bytes32(1, 0), 3: graph.Bytes32(1, 2)}}, "flags 0x1: of these 0x1 do not hold"},
		{"an arc twice", graph.VYG{Nodes: 1, Arcs: 2, Flags: 7, Sections: map[uint32][]byte{1: graph.Bytes32(0, 2), 2: graph.Bytes32(0, 0)}}, "flags 0x7: of these 0x4 do not hold"},
		{"digest", graph.VYG{Nodes: 1, Arcs: 0, Sections: map[uint32][]byte{1: graph.Bytes32(0, 0)}}, "digest 0000000000000000…: that of what is in the file is"},
		{"must be known", graph.VYG{Nodes: 1, Arcs: 0, Sections: map[uint32][]byte{1: graph.Bytes32(0, 0), 1<<31 | 99: {1}}}, "it is of no known type, and says that it must not be skipped"},
		{"texts", graph.VYG{Nodes: 1, Arcs: 0, Sections: map[uint32][]byte{1: graph.Bytes32(0, 0), 15: []byte("{")}}, "section attributes: unexpected end of JSON input"},
		{"name ends", graph.VYG{Nodes: 1, Arcs: 0, Sections: map[uint32][]byte{1: graph.Bytes32(0, 0), 11: make([]byte, 16), 12: []byte("x")}}, "names: the last end is 0, and there are 1 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := graph.Decode("x.vyg", c.file.Bytes())
			if err == nil {
				// What is wrong is asked for before it is found, too.
				g.Name(0)
				g.Masks()
				if err = g.Verify(t.Context()); err == nil {
					_, err = g.Digest(t.Context())
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestOtherWidths: offsets of 64 bits are read, sections that nobody knows are skipped, and the digest is the same.
func TestOtherWidths(t *testing.T) {
	g, err := graph.New(t.Context(), []uint32{0, 1, 2}, []uint32{1, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wide := graph.VYG{Nodes: 2, Arcs: 2, Width: 8, Digest: graphtest.Must(g.Digest(t.Context())), Sections: map[uint32][]byte{1: graph.Bytes64(0, 1, 2), 2: graph.Bytes32(1, 0), 99: {1, 2, 3}}}
	got, err := graph.Decode("x.vyg", wide.Bytes())
	if err != nil || got.Verify(t.Context()) != nil {
		t.Fatal(err, got.Verify(t.Context()))
	}
	same(t, got, g)
}

// TestOpenOfFourGigabytes maps a file of holes: nothing is read but its header.
func TestOpenOfFourGigabytes(t *testing.T) {
	const nodes = 1<<30 + 7
	path := filepath.Join(t.TempDir(), "holes.vyg")
	head := graph.VYG{Nodes: nodes, Arcs: 0, Lengths: map[uint32]uint64{1: 4 * (nodes + 1)}}.Bytes()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(4096+4*(nodes+1)), f.Close()); err != nil {
		t.Skip("no files of this size here:", err)
	}
	taken := testing.AllocsPerRun(1, func() {
		g, err := graph.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if targets, _ := g.Row(nodes - 1); g.Nodes() != nodes || len(targets) != 0 {
			t.Errorf("%d nodes, the last has %d arcs", g.Nodes(), len(targets))
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	if taken > 100 {
		t.Errorf("opening took %v allocations", taken)
	}
}

// TestSessionsRefuseBrokenFiles before anything is uploaded.
func TestSessionsRefuseBrokenFiles(t *testing.T) {
	b := written(t, full(t))
	b[8192]++
	g, err := graph.Decode("x.vyg", b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine})
	if want := "x.vyg: section targets at 8192: checksum differs"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := graph.Levels(t.Context(), g, []uint32{0}, graph.AllKinds); err == nil {
		t.Error("a search on the host looked at a broken file")
	}
}

// lookedAt calls every method that looks at a graph: of one that Verify refuses, those that have an error return it, and none
// panics.
func lookedAt(t *testing.T, g *graph.CSR) {
	t.Helper()
	wrong := g.Verify(t.Context())
	_, shape := g.Shape(t.Context())
	_, both := g.Symmetric(t.Context())
	_, reverse := g.Reverse(t.Context())
	_, without := g.Without(t.Context(), []uint32{0})
	_, _, rebuilt := g.Rebuild(t.Context(), graph.BuildOptions{Dedup: true})
	_, levels := graph.Levels(t.Context(), g, nil, graph.AllKinds)
	_, writing := g.Encode(t.Context(), io.Discard)
	for what, err := range map[string]error{"Shape": shape, "Symmetric": both, "Reverse": reverse, "Without": without, "Rebuild": rebuilt, "Levels": levels, "Encode": writing} {
		refused := wrong
		if what == "Encode" { // which writes the digest
			_, digest := g.Digest(t.Context())
			refused = errors.Join(wrong, digest)
		}
		if (err == nil) != (refused == nil) {
			t.Errorf("%s: %v, and Verify: %v", what, err, refused)
		}
	}
	for u := range min(uint32(g.Nodes()), 64) {
		g.Row(u)
		g.First(u)
		g.Name(u)
		g.Position(u)
	}
	g.Digest(t.Context())
	g.Masks()
	g.Bytes()
	session.DeviceBytes(t.Context(), g, session.Options{Levels: true})
	d := g.Data()
	d.Tags = nil
	if _, err := g.With(d); err != nil && wrong == nil {
		t.Error(err)
	}
}

// TestNoBytesPanic changes files byte by byte, with the right checksums, and looks at what comes of it: rows that end before they
// begin, targets and kinds beyond their tables, texts that end nowhere. The fuzz target goes on from there.
func TestNoBytesPanic(t *testing.T) {
	rng, opened := rand.New(rand.NewPCG(1, 8)), 0
	files := [][]byte{written(t, full(t)), written(t, graphtest.Must(generate.Graph(context.Background(), "skew:16", generate.Options{Seed: 1}))), written(t, graphtest.Must(generate.Graph(context.Background(), "grid:4x4", generate.Options{})))}
	for range long.Count(600, 12000, 12000) {
		b := slices.Clone(files[rng.IntN(len(files))])
		for range 1 + rng.IntN(3) {
			if b[rng.IntN(len(b))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(6)]; rng.IntN(8) == 0 {
				b = b[:len(b)-rng.IntN(len(b)/2)]
			}
		}
		if g, err := graph.Decode("x.vyg", graph.Resummed(b)); err == nil {
			opened++
			lookedAt(t, g)
		}
	}
	if opened < 100 {
		t.Errorf("only %d of the files could be opened", opened)
	}
}

//ci:inputs 50000
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"skew:16", "grid:2x2"} {
		g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(written(f, g))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = graph.Resummed(b)
		g, err := graph.Decode("x.vyg", b)
		if streamed, failed := graph.DecodeFrom("x.vyg", bytes.NewReader(b), anySize); err != nil && failed == nil {
			t.Fatalf("a stream is %v, and a file %v", streamed, err)
		} else if err == nil && failed != nil && !strings.Contains(failed.Error(), "more after") {
			t.Fatalf("a file is %v, and a stream %v", g, failed)
		}
		if err != nil {
			return
		}
		lookedAt(t, g)
		if g.Verify(t.Context()) != nil {
			return
		}
		back, err := graph.Decode("x.vyg", written(t, g))
		if err != nil || back.Verify(t.Context()) != nil || graphtest.Must(back.Digest(t.Context())) != graphtest.Must(g.Digest(t.Context())) {
			t.Fatal(err, back.Verify(t.Context()))
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
