package session_test

import (
	"testing"

	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// TestWideGraphs: few levels reach much of them.
func TestWideGraphs(t *testing.T) {
	for name, want := range map[string]bool{"kron:16": true, "uniform:16": true, "skew:65536": true, "star:100000": true, "tree:100000,3": true,
		"road:300x300": false, "grid:300x300": false, "chain:100000": false, "ladder:10000x16": false, "kron:10": false} {
		if got := session.Wide(graphtest.Generated(t, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
