package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
)

// TestNodesAreFoundByTheirPlaces: a file is named by the end of its path, and by nothing shorter than a name in it.
func TestNodesAreFoundByTheirPlaces(t *testing.T) {
	places := []string{"http/server.go:4:2", "http/server.go:42:7", "http/server.go:42:19", "/src/http/server.go:42:3", "myserver.go:42:3", "server.go:42", ""}
	g, err := graph.New(t.Context(), make([]uint32, len(places)+1), nil, nil)
	if err == nil {
		g, err = g.With(graph.Data{Positions: graph.NewStrings(places)})
	}
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string][]uint32{
		"server.go:42":      {1, 2, 3, 5},
		"http/server.go:42": {1, 2, 3},
		"server.go:4":       {0},
		"server.go":         {0, 1, 2, 3, 5},
		"http/server.go":    {0, 1, 2, 3},
		"server.go:42:7":    {1},
		"myserver.go:42":    {4},
	} {
		if got, err := (&nodeNames{g: g}).find("--from", []string{"at:" + place}); err != nil || !slices.Equal(got, want) {
			t.Errorf("at:%s: %v, %v, want %v", place, got, err, want)
		}
	}
	for place, says := range map[string]string{"erver.go:42": "no node is in such a file", "server.go:43": "no node is there; the nearest is at server.go:42",
		"http/server.go:42:11": "the nearest is at http/server.go:42:7", "myserver.go:1": "the nearest is at myserver.go:42:3", "": "say which file"} {
		if _, err := (&nodeNames{g: g}).find("--from", []string{"at:" + place}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("at:%s: %v", place, err)
		}
	}
}
