// Package report prints the results of graph analyses in the forms of the command line: text, JSON with a schema, and SARIF.
// Commands of other modules use it, so that they print the same.
package report

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/printable"
)

// Graph is which graph a document is about.
type Graph struct {
	Digest string `json:"digest"`
	Nodes  int    `json:"n"`
	Arcs   int    `json:"m"`
}

// Of says which graph it is.
//
// Errors: those of CSR.Digest.
func Of(ctx context.Context, g *graph.CSR) (Graph, error) {
	digest, err := g.Digest(ctx)
	if err != nil {
		return Graph{}, err
	}
	return Graph{hex.EncodeToString(digest[:]), g.Nodes(), g.Arcs()}, nil
}

// Node is a node of a document.
type Node struct {
	Node  uint32   `json:"node"`
	Name  string   `json:"name,omitempty"`
	Pos   string   `json:"pos,omitempty"`
	Level *uint32  `json:"level,omitempty"` // none if not reached
	Kinds []string `json:"kinds,omitempty"` // of the arc that leads here
}

// NodeOf is a node with its name and position.
func NodeOf(g *graph.CSR, v uint32) Node { return Node{Node: v, Name: g.Name(v), Pos: g.Position(v)} }

// Run is how an answer was found.
type Run struct {
	Device   string `json:"device"`
	Topology string `json:"topology"`
	Rounds   int    `json:"rounds,omitempty"` // as far as levels tell
	DeviceNS int64  `json:"device_ns"`
	WallNS   int64  `json:"wall_ns"`
	Bytes    uint64 `json:"bytes"`              // on the device
	Parts    int    `json:"parts,omitempty"`    // that the graph was in; none if it was whole
	Streamed uint64 `json:"streamed,omitempty"` // bytes of parts that were put on the device
}

// Line is the same for people.
func (r Run) Line() string {
	parts := []string{r.Device, r.Topology}
	switch {
	case r.Rounds == 1:
		parts = append(parts, "1 round")
	case r.Rounds > 1:
		parts = append(parts, fmt.Sprintf("%d rounds", r.Rounds))
	}
	if r.DeviceNS > 0 {
		parts = append(parts, Rounded(time.Duration(r.DeviceNS)).String()+" on the device")
	}
	parts = append(parts, Rounded(time.Duration(r.WallNS)).String())
	if r.Bytes > 0 { // there are none where the host's cores answered
		parts = append(parts, Thousands(int64(r.Bytes))+" bytes on the device")
	}
	if r.Parts > 0 {
		parts = append(parts, fmt.Sprintf("in %d parts, of which %s bytes came there", r.Parts, Thousands(int64(r.Streamed))))
	}
	return strings.Join(parts, ", ")
}

// Thousands is a number with commas.
func Thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Rounded is a time of three digits.
func Rounded(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}

// counted is a number of things.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Named is the name and the position of a node, each after a tab, as people may see them.
func Named(g *graph.CSR, v uint32) string {
	s := ""
	for _, f := range []string{g.Name(v), g.Position(v)} {
		if f != "" {
			s += "\t" + printable.Text(f)
		}
	}
	return s
}
