package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// text is a graph as lines.
func text(g *graph.CSR) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes;", g.Nodes())
	at := 0
	for u := range g.Nodes() {
		targets, masks := g.Row(uint32(u))
		for i, v := range targets {
			fmt.Fprintf(&b, " %d-%d", u, v)
			if masks != nil {
				fmt.Fprintf(&b, "/%#x", masks[i])
			}
			if w := g.Data().Weights; w != nil {
				fmt.Fprintf(&b, "*%d", w[at])
			}
			at++
		}
	}
	return b.String()
}

func read(t *testing.T, name, content string, o files.Options) (*graph.CSR, files.Report, error) {
	t.Helper()
	return files.Read(t.Context(), strings.NewReader(content), name, o)
}

func TestReadSmallFiles(t *testing.T) {
	for _, c := range []struct {
		what, name, content string
		o                   files.Options
		want                string
	}{
		{"two columns", "x.el", "0 1\n1 2\n", files.Options{}, "3 nodes; 0-1 1-2"},
		{"no end of line", "x.el", "0 1\n1 2", files.Options{}, "3 nodes; 0-1 1-2"},
		{"comments", "x.txt", "# Nodes: 5 Edges: 2\n% more\n0\t1\r\n\n  1   2  \r\n", files.Options{}, "5 nodes; 0-1 1-2"},
		{"kinds", "x.el", "0 1\n0 2 0x10\n1 0 3\n", files.Options{}, "3 nodes; 0-1/0x1 0-2/0x10 1-0/0x3"},
		{"not kinds", "x.el", "0 1 2009-1-1\n0 2 -5 x\n", files.Options{NoKinds: true}, "3 nodes; 0-1 0-2"},
		{"duplicates and loops", "x.el", "1 1\n0 1\n0 1\n", files.Options{}, "2 nodes; 0-1 0-1 1-1"},
		{"options", "x.el", "1 1\n0 1 2\n0 1 4\n", files.Options{Build: graph.BuildOptions{Symmetric: true, Dedup: true, NoSelf: true}}, "2 nodes; 0-1/0x6 1-0/0x6"},
		{"sparse", "x.el", "100 7\n7 100000000000\n", files.Options{}, "3 nodes; 0-2 1-0"},
		{"as they are", "x.el", "9 7\n", files.Options{IDs: files.Dense}, "10 nodes; 9-7"},
		{"empty", "x.el", "", files.Options{}, "0 nodes;"},
		{"only nodes", "x.el", "# Nodes: 3 Edges: 0\n", files.Options{}, "3 nodes;"},
		{"weights", "x.wel", "0 1 5\n0 2 7\n", files.Options{Weights: true}, "3 nodes; 0-1*5 0-2*7"},
		{"no weights", "x.wel", "0 1 0.5\n0 2 -7\n", files.Options{}, "3 nodes; 0-1 0-2"},
		{"pattern", "x.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 2\n3 3\n", files.Options{}, "3 nodes; 0-1 2-2"},
		{"symmetric", "x", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 1e9\n", files.Options{}, "3 nodes; 0-1 1-0 2-2"},
		{"integer", "x", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7\n", files.Options{Weights: true}, "2 nodes; 0-1*7 1-0*7"},
		{"dimacs", "x.gr", "c roads\np sp 3 2\na 1 2 803\nc\na 3 1 158\n", files.Options{Weights: true}, "3 nodes; 0-1*803 2-0*158"},
	} {
		t.Run(c.what, func(t *testing.T) {
			g, _, err := read(t, c.name, c.content, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(g); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if _, err := graph.New(g.Offsets(), g.Targets(), g.Masks()); err != nil {
				t.Error(err)
			}
		})
	}
}

var _ = []any{bytes.Equal, context.Canceled, errors.As, os.Open, filepath.Join}
