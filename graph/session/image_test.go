package session_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// TestLargeGraphsComeArrayByArray: of graphs with masks and without, in memory and in a file, all that searches need is on the device, and
// beside seeds nothing but the arrays went there.
func TestLargeGraphsComeArrayByArray(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for _, name := range []string{"skew:65536", "road:512x512"} {
		made := graphtest.Generated(t, name)
		file := filepath.Join(t.TempDir(), "g.vyg")
		if _, err := files.Save(t.Context(), file, made, files.Auto); err != nil {
			t.Fatal(err)
		}
		mapped, err := graph.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer mapped.Close()
		for _, g := range []*graph.CSR{made, mapped} {
			s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Levels: true})
			if err != nil {
				t.Fatal(err)
			}
			seeds := []uint32{uint32(g.Nodes() / 3)}
			want := graphtest.Must(graph.Levels(t.Context(), g, seeds, graph.AllKinds))
			if got, err := s.Levels(t.Context(), session.Query{Seeds: seeds}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, mapped %v: other levels, %v", name, g.Mapped(), err)
			}
			most := g.Bytes()
			if !graphtest.Must(g.Symmetric(t.Context())) {
				most *= 2
			}
			if up := int64(s.Totals().Uploaded); g.Bytes() < 1<<20 || up < most || up > most+int64(g.Nodes())/8+4096 {
				t.Errorf("%s, mapped %v: %d bytes uploaded, and its graphs have %d", name, g.Mapped(), up, most)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
