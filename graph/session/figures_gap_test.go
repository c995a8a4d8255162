package session_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/graphtest"
)

// gap compares the host's searches with the GAP benchmark's (Beamer, Asanović, Patterson: The GAP Benchmark Suite, 2015): the
// same file, source and cores. The two take turns, so that what else the machine does meets both.
func (f *figures) gap() {
	if *figuresGAP == "" {
		f.Log("gap: -figures-gap names no folder with its programs bfs and cc")
		return
	}
	dir := f.TempDir()
	for _, name := range []string{"road:1024x1024", "road:4096x4096", "kron:18", "kron:20"} {
		s := f.subject(f.sized(name))
		file := filepath.Join(dir, "graph.sg")
		if _, err := files.Save(f.ctx, file, s.g, files.GAP); err != nil {
			f.Fatal(err)
		}
		e, out := cpu.New(hostArrays(s.g), hostArrays(s.g), cpu.Options{}), make([]uint32, s.g.Nodes()) // all are symmetric
		began := time.Now()
		if err := e.Index(f.ctx); err != nil {
			f.Fatal(err)
		}
		index := fmt.Sprintf("index once in %v; ", time.Since(began).Round(time.Microsecond))
		f.turns(s, "bfs", index, file, []string{"-r", fmt.Sprint(s.query.Seeds[0])}, func() error {
			_, err := e.Levels(f.ctx, s.query.Seeds, graph.AllKinds, out)
			return err
		})
		a := answers{level: out, levels: graphtest.Short(graph.Digest32(out))}
		for _, l := range out {
			if l != graph.None {
				a.reached++
			}
		}
		f.known(s, a)
		f.turns(s, "cc", index, file, nil, func() error { return e.Components(f.ctx, graph.AllKinds, out) })
		if strings.HasPrefix(name, "kron") { // where the index is of use
			bare := cpu.New(hostArrays(s.g), hostArrays(s.g), cpu.Options{})
			f.turns(s, "cc", "without the index; ", file, nil, func() error { return bare.Components(f.ctx, graph.AllKinds, out) })
		}
	}
}

// turns measures one of GAP's programs and ours in turn, for some seconds.
func (f *figures) turns(s subject, program, note, file string, args []string, ours func() error) {
	f.Helper()
	const trials = 4 // before the other has its turn
	theirs := line{duty: "T9", question: program, by: "GAP"}
	own := line{duty: "T9", question: program, by: "graph/cpu"}
	for began := time.Now(); len(own.wall) == 0 || !f.tiny && time.Since(began) < 10*time.Second; {
		said, err := exec.CommandContext(f.ctx, filepath.Join(*figuresGAP, program), append([]string{"-f", file, "-n", fmt.Sprint(trials)}, args...)...).Output()
		if err != nil {
			f.Fatalf("GAP %s: %v", program, err)
		}
		for text := range bytes.Lines(said) {
			if word, ok := strings.CutPrefix(string(text), "Trial Time:"); ok {
				seconds, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
				if err != nil {
					f.Fatalf("GAP %s says %q", program, text)
				}
				theirs.wall = append(theirs.wall, time.Duration(seconds*1e9))
			}
		}
		for range trials {
			at := time.Now()
			if err := ours(); err != nil {
				f.Fatal(err)
			}
			own.wall = append(own.wall, time.Since(at))
		}
	}
	f.print(s, theirs)
	if len(theirs.wall) == 0 {
		f.Errorf("GAP %s says no times", program)
		return
	}
	own.note = fmt.Sprintf("%sGAP's least by ours is %.2f", note, float64(slices.Min(theirs.wall))/float64(slices.Min(own.wall)))
	f.print(s, own)
}
