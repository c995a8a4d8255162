package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/internal/testing/underway"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func generated(t testing.TB, name string) *graph.CSR {
	t.Helper()
	g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// readable are the formats that are both written and read.
var readable = []files.Format{files.Edges, files.WEdges, files.Named, files.Matrix, files.GAP, files.WGAP, files.DIMACS, files.Vyre}

// TestWhatIsWrittenIsRead: the digest is the same in every format that can hold the graph, compressed or not, and what a
// format cannot hold is named.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, name := range []string{"chain:1", "chain:2", "star:5", "grid:9x7", "kron:7", "uniform:3", "skew:4096", "icfg:4,8,3", "road:300x300"} {
		g := generated(t, name)
		for _, format := range readable {
			for _, packed := range []string{"", ".gz", ".zst"} {
				t.Run(fmt.Sprintf("%s/%s%s", name, format, packed), func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "x."+string(format)+packed)
					lost, err := files.Save(t.Context(), path, g, files.Auto)
					if err != nil {
						t.Fatal(err)
					}
					back, report, err := files.Open(t.Context(), path, files.Options{Workers: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer back.Close()
					want := g
					if g.Data().Sites != nil && format != files.Vyre {
						lost = slices.DeleteFunc(lost, func(what string) bool { return what == "procedures" || what == "call sites" })
						if back.Data().Sites != nil {
							t.Errorf("call sites %v of a file that has none", back.Data().Sites)
						}
					}
					if slices.Equal(lost, []string{"kinds"}) {
						if want, err = graph.New(t.Context(), g.Offsets(), g.Targets(), nil); err != nil {
							t.Fatal(err)
						}
					} else if len(lost) > 0 {
						t.Errorf("lost %v", lost)
					}
					if report.Format != format || must(back.Digest(t.Context())) != must(want.Digest(t.Context())) || back.Verify(t.Context()) != nil {
						t.Errorf("%+v, %v: %d nodes and %d arcs, want %d and %d", report, back.Verify(t.Context()), back.Nodes(), back.Arcs(), want.Nodes(), want.Arcs())
					}
				})
			}
		}
	}
}

// TestWeightsComeBack in every format that has them.
func TestWeightsComeBack(t *testing.T) {
	g := generated(t, "skew:64")
	weights := make([]uint32, g.Arcs())
	for i := range weights {
		weights[i] = uint32(i*2654435761) >> 1
	}
	bare, err := graph.New(t.Context(), g.Offsets(), g.Targets(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = bare.With(graph.Data{Weights: weights}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []files.Format{files.WEdges, files.Matrix, files.WGAP, files.DIMACS, files.Vyre} {
		var b bytes.Buffer
		if lost, err := files.Write(t.Context(), &b, g, format); err != nil || len(lost) > 0 {
			t.Fatal(format, lost, err)
		}
		back, _, err := files.Read(t.Context(), &b, "x."+string(format), files.Options{})
		if err != nil {
			t.Fatal(format, err)
		}
		// Arcs between the same nodes may change places: they are in the order of their weights where those are read.
		sum := func(g *graph.CSR) (s uint64) {
			for i, w := range g.Data().Weights {
				s += uint64(w) * uint64(g.Targets()[i]+1)
			}
			return s
		}
		if must(back.Digest(t.Context())) != must(g.Digest(t.Context())) || len(back.Data().Weights) != g.Arcs() || sum(back) != sum(g) {
			t.Errorf("%s: other weights", format)
		}
	}
}

// TestForms are what others read.
func TestForms(t *testing.T) {
	g, err := graph.New(t.Context(), []uint32{0, 1, 2}, []uint32{1, 1}, []uint32{graph.KindCall, graph.KindCall | graph.KindReturn})
	if err != nil {
		t.Fatal(err)
	}
	if g, err = g.With(graph.Data{Names: graph.NewStrings([]string{`a"\b`, "x,<y>"})}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format files.Format
		want   string
		lost   string
	}{
		{files.Edges, "# Nodes: 2 Edges: 2\n0 1 4096\n1 1 4100\n", "names"},
		{files.Matrix, "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n", "kinds, names"},
		{files.DIMACS, "p sp 2 2\na 1 2 1\na 2 2 1\n", "kinds, names"},
		{files.CSV, "from,to,from_name,to_name,kinds\n0,1,\"a\"\"\\b\",\"x,<y>\",4096\n1,1,\"x,<y>\",\"x,<y>\",4100\n", ""},
		{files.Dot, "digraph {\n\t0 [label=\"a\\\"\\\\b\"];\n\t1 [label=\"x,<y>\"];\n\t0 -> 1 [label=\"call\"];\n\t1 -> 1 [label=\"return, call\"];\n}\n", ""},
	} {
		var b bytes.Buffer
		lost, err := files.Write(t.Context(), &b, g, c.format)
		if err != nil || b.String() != c.want || strings.Join(lost, ", ") != c.lost {
			t.Errorf("%s: lost %v, %v\ngot  %q\nwant %q", c.format, lost, err, b.String(), c.want)
		}
	}
}

// TestInterruptedWritesLeaveNothing, and keep what was there.
func TestInterruptedWritesLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.vyg")
	if err := os.WriteFile(path, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	g := generated(t, "grid:300x300")
	ctx, cancel := underway.At(2, 0)
	defer cancel()
	_, err := files.Save(ctx, path, g, files.Auto)
	left, failed := os.ReadDir(dir)
	if b, _ := os.ReadFile(path); !errors.Is(err, context.Canceled) || failed != nil || len(left) != 1 || string(b) != "before" {
		t.Errorf("%v, %v, %d files, %q", err, failed, len(left), b)
	}
	if _, err := files.Save(t.Context(), path, g, files.Auto); err != nil {
		t.Fatal(err)
	}
	back, _, err := files.Open(t.Context(), path, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if must(back.Digest(t.Context())) != must(g.Digest(t.Context())) || back.Close() != nil {
		t.Error("another graph")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", err, info.Mode())
	}
	if _, err := files.Save(t.Context(), filepath.Join(dir, "nowhere", "x.vyg"), generated(t, "chain:2"), files.Auto); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// zeros is a file that never ends.
type zeros struct{ unit []byte }

func (z zeros) Read(b []byte) (int, error) {
	n := 0
	for n+len(z.unit) <= len(b) {
		n += copy(b[n:], z.unit)
	}
	return n, nil
}

func TestLimits(t *testing.T) {
	endless := func() io.Reader { return zeros{[]byte("1 1\n")} }
	for _, c := range []struct {
		name string
		o    files.Options
		want string
	}{
		{"bytes", files.Options{MaxBytes: 5 << 20}, "x.el: more than 5242880 bytes: that is the limit; --max-bytes raises it"},
		{"memory", files.Options{MaxMemory: 8 << 20}, "the limit is 8388608; --max-memory raises it"},
	} {
		_, _, err := files.Read(t.Context(), endless(), "x.el", c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	// A bomb: bzip2 makes 45 bytes of gigabytes of zeros; here gzip does of a long line's blanks what it can.
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 40 << 10 {
		z.Write(append(bytes.Repeat([]byte(" "), 1023), '\n'))
	}
	z.Close()
	if ratio := 40 << 20 / bomb.Len(); ratio > 1000 {
		_, _, err := files.Read(t.Context(), &bomb, "x.el", files.Options{})
		if err == nil || !strings.Contains(err.Error(), "at most 1000 times as many") {
			t.Errorf("a file that grows %d times: %v", ratio, err)
		}
	}
}

func TestReadingCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := files.Read(ctx, zeros{[]byte("1 1\n")}, "x.el", files.Options{Progress: func(p files.Progress) {
		if p.Phase == "reading" && p.Arcs > 1_000_000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgressTellsBytesAndArcs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.el")
	if _, err := files.Save(t.Context(), path, generated(t, "grid:300x300"), files.Auto); err != nil {
		t.Fatal(err)
	}
	var told []files.Progress
	if _, _, err := files.Open(t.Context(), path, files.Options{Progress: func(p files.Progress) { told = append(told, p) }}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	last := told[len(told)-1]
	if told[0].Phase != "reading" || last.Phase != "building" || last.Arcs != 358800 || last.Total != info.Size() || last.Bytes != info.Size() {
		t.Errorf("first %+v, last %+v", told[0], last)
	}
}

// TestZstd reads frames one after another and what the command has packed, and refuses what is broken or looks too far back.
func TestZstd(t *testing.T) {
	frame := func(text string) []byte {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(z, text)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	two := append(frame("0 1\n1 "), frame("2\n")...)
	g, _, err := files.Read(t.Context(), bytes.NewReader(two), "x.el.zst", files.Options{})
	if err != nil || text(g) != "3 nodes; 0-1 1-2" {
		t.Errorf("%v, %v", g, err)
	}
	spoilt := slices.Clone(two)
	spoilt[len(spoilt)-1] ^= 1 // of the checksum
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"cut off":         {two[:len(two)-3], fmt.Sprintf("x.el: the file ends after %d bytes, within what zstd has compressed: the rest of it", len(two)-3)},
		"a wrong sum":     {spoilt, "x.el: zstd: "},
		"a window of GiB": {[]byte("\x28\xb5\x2f\xfd\x00\xa0\x19\x00\x000 1\n"), "x.el: zstd: window size exceeded"},
		"a ratio":         {frame(strings.Repeat(strings.Repeat(" ", 1023)+"\n", 40<<10)), "at most 1000 times as many"},
	} {
		if g, _, err := files.Read(t.Context(), bytes.NewReader(c.file), "x.el", files.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %s", what, g, err, c.want)
		}
	}
	cmd := exec.Command(needs.Tool(t, "zstd"), "-19", "-c")
	cmd.Stdin = strings.NewReader("0 1\n1 2\n")
	packed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if g, _, err = files.Read(t.Context(), bytes.NewReader(packed), "x.el.zst", files.Options{}); err != nil || text(g) != "3 nodes; 0-1 1-2" {
		t.Errorf("%v, %v", g, err)
	}
}

// TestReadingWithoutAContextIsRefused, from a file and from elsewhere.
func TestReadingWithoutAContextIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.el")
	if err := os.WriteFile(path, []byte("0 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var none context.Context
	_, _, opened := files.Open(none, path, files.Options{})
	_, _, read := files.Read(none, strings.NewReader("0 1\n"), "x.el", files.Options{})
	for _, err := range []error{opened, read} {
		if !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the context is nil") {
			t.Error(err)
		}
	}
}

// TestDecompression reads what the tools of others have packed, several members of gzip too.
func TestDecompression(t *testing.T) {
	var two bytes.Buffer
	for _, part := range []string{"0 1\n1 ", "2\n"} {
		z := gzip.NewWriter(&two)
		io.WriteString(z, part)
		z.Close()
	}
	g, _, err := files.Read(t.Context(), &two, "x.el.gz", files.Options{})
	if err != nil || text(g) != "3 nodes; 0-1 1-2" {
		t.Errorf("%v, %v", g, err)
	}
	cmd := exec.Command(needs.Tool(t, "bzip2"), "-c")
	cmd.Stdin = strings.NewReader("0 1\n1 2\n")
	packed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if g, _, err = files.Read(t.Context(), bytes.NewReader(packed), "x.el.bz2", files.Options{}); err != nil || text(g) != "3 nodes; 0-1 1-2" {
		t.Errorf("%v, %v", g, err)
	}
}

// gapFile is a GAP file of any content.
func gapFile(directed byte, m, n int64, offsets []int64, targets []int32) []byte {
	b := []byte{directed}
	b, _ = binary.Append(b, binary.LittleEndian, []int64{m, n})
	b, _ = binary.Append(b, binary.LittleEndian, offsets)
	b, _ = binary.Append(b, binary.LittleEndian, targets)
	return b
}

func TestBrokenGAPFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"falls", gapFile(0, 2, 2, []int64{0, 2, 1}, []int32{0, 1}), "x.sg: offset 1 of row 2 at 33: offsets start at 0, never fall, and end at 2; this is after 2"},
		{"beyond", gapFile(0, 2, 2, []int64{0, 3, 2}, []int32{0, 1}), "x.sg: offset 3 of row 1 at 25: "},
		{"start", gapFile(0, 2, 2, []int64{1, 2, 2}, []int32{0, 1}), "x.sg: offset 1 of row 0 at 17: "},
		{"target", gapFile(0, 1, 2, []int64{0, 1, 1}, []int32{2}), "x.sg: arc 0 of row 0: target 2 at 41: n = 2"},
		{"negative", gapFile(0, 1, 2, []int64{0, 1, 1}, []int32{-1}), "x.sg: arc 0 of row 0: target -1 at 41: n = 2"},
		{"short", gapFile(0, 2, 2, []int64{0, 1, 2}, []int32{0}), "x.sg: the file ends after 45 bytes: 8 bytes of targets, of which 0 are there"},
		{"more", append(gapFile(0, 1, 2, []int64{0, 1, 1}, []int32{1}), 7), "x.sg: more bytes at 45: the end of the file"},
		{"other reverse", append(gapFile(1, 1, 2, []int64{0, 1, 1}, []int32{1}), gapFile(0, 1, 2, []int64{0, 1, 1}, []int32{1})[17:]...), "x.sg: the arcs of the second half at 73: those of the first the other way round"},
	} {
		_, _, err := files.Read(t.Context(), bytes.NewReader(c.file), "x.sg", files.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
