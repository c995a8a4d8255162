package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
)

// placedFile is a graph with two nodes at one line, two files of one name, arcs beside each other, a loop, and nodes without names
// and without positions:
//
//	0 → 0 call; 0 → 1 call, load; 0 → 2 call; 1 → 3 load; 2 → 3 call; 3 → 4 call; 4 → 5 call; 6 → 0 call
func placedFile(t *testing.T) string {
	t.Helper()
	const call, load = 1 << 12, 1 << 7
	g, err := graph.New(t.Context(), []uint32{0, 4, 5, 6, 7, 8, 8, 9, 9}, []uint32{0, 1, 1, 2, 3, 3, 4, 5, 0}, []uint32{call, load, call, call, load, call, call, call, call})
	if err == nil {
		g, err = g.With(graph.Data{
			Names:     graph.NewStrings([]string{"main", "a", "", "same", "same", "far", "test", "main.2"}),
			Positions: graph.NewStrings([]string{"cmd/main.go:10:6", "lib/a.go:3:1", "", "lib/a.go:9:1", "lib/a.go:9:20", "lib/b.go:1:1", "test/main.go:12:6", "cmd/main.go:10:9"}),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "placed.vyg")
	if _, err := files.Save(t.Context(), file, g, files.Auto); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReachFromALine: every form of the output lists what is near the nodes at a line, with distances and kinds.
func TestReachFromALine(t *testing.T) {
	file := placedFile(t)
	list := filepath.Join(t.TempDir(), "list")
	for i, c := range []struct {
		args, out, err string
	}{
		{"--at cmd/main.go:10", `5 of 8 nodes are at most 2 arcs away
level 0              0  main    cmd/main.go:10:6
level 0              7  main.2  cmd/main.go:10:9
level 1  load, call  1  a       lib/a.go:3:1
level 1  call        2
level 2  load, call  3  same  lib/a.go:9:1
`, ""},
		{"--at main.go:10:6 --arcs 1 --kinds load", "2 of 8 nodes are at most 1 arc away\nlevel 0        0  main  cmd/main.go:10:6\nlevel 1  load  1  a     lib/a.go:3:1\n", ""},
		{"--at main.go:10:6 --arcs 0", "1 of 8 nodes are at most 0 arcs away\nlevel 0    0  main  cmd/main.go:10:6\n", ""},
		{"--at a.go:9 --arcs 1 --back --csv", "node,level,name,position,kinds\n3,0,same,lib/a.go:9:1,\n4,0,same,lib/a.go:9:20,\n1,1,a,lib/a.go:3:1,load\n2,1,,,call\n", ""},
		{"--from main --arcs 9 --exclude a --count", "5\n", ""},
		{"--at main.go:12 --levels --arcs 1", "2 of 8 nodes are at most 1 arc away\n  level  nodes\n      0      1\n      1      1\nlevel 0        6  test  test/main.go:12:6\nlevel 1  call  0  main  cmd/main.go:10:6\n", ""},
		{"--at main.go:12 --arcs 2 --to a,far", "4 of 8 nodes are at most 2 arcs away\n1 of 2 nodes of --to\n1  level 2  a  lib/a.go:3:1\n", ""},
		{"--at main.go:12 --arcs 1 -o " + list, "2 of 8 nodes are at most 1 arc away\nlevel 0        6  test  test/main.go:12:6\nlevel 1  call  0  main  cmd/main.go:10:6\n", ""},
		{"--at main.go:11", "", "no node is there; the nearest is at cmd/main.go:10:6"},
		{"--at a.go:8:3", "", "no node is there; the nearest is at lib/a.go:9:1"},
		{"--at ain.go:10", "", "no node is in such a file"},
		{"--at main.go", "", "say which line"},
		{"--at main.go:10 --path --to a", "", "lists the nodes that are near"},
		{"--from main --arcs 1 --each", "", "--arcs lists the nodes that are near"},
		{"--at main.go:10 --from main", "", "can't be used together"},
		{"--arcs 3", "", "--from=NODES or --at=FILE:LINE"},
	} {
		for _, device := range []string{"cpu", "cuda-sim"} {
			args := append([]string{"reach", file, "--device", device}, strings.Fields(c.args)...)
			if device != "cpu" && i%3 != 0 {
				break
			}
			if c.err == "" {
				args = append(args, "--verify")
			}
			var out, errOut bytes.Buffer
			status := run(t.Context(), args, strings.NewReader(""), &out, &errOut)
			got, _, _ := strings.Cut(out.String(), device)
			if got != c.out || (status == 0) != (c.err == "") || !strings.Contains(errOut.String(), c.err) {
				t.Errorf("%s on %s: %d\n%s%s", c.args, device, status, out.Bytes(), errOut.Bytes())
			}
			if c.err != "" {
				break
			}
		}
	}
	if b, err := os.ReadFile(list); err != nil || string(b) != "6\ttest\n0\tmain\n" {
		t.Errorf("the list: %q, %v", b, err)
	}
}
