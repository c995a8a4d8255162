package session_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

var figuresHand = flag.String("figures-hand", "", "program that counts pairs of a .sg file on a GPU, as PROGRAM FILE RUNS, with which the part pairs compares")

// pairs measures closures, from which tiles there are to counts, and beside them all that comes before; then answers
// and edits.
func (f *figures) pairs() {
	for _, k := range measuredClosures {
		switch {
		case !strings.Contains(k.name, ":") && *inputsFlag == "":
			f.Logf("%s: -inputs names no folder", k.name)
			continue
		case f.tiny:
			k = knownClosures[0]
		}
		s := subject{name: k.name, g: k.graph(f.T)}
		on := f.session(s, session.Options{})
		var c *session.Closure
		began := time.Now()
		c, err := on.Closure(f.ctx, session.ClosureOptions{Rows: true})
		if err != nil {
			f.Fatal(err)
		}
		first := time.Since(began)
		k.check(f.T, c)
		components := f.timed(on, func() error { _, err := on.StrongComponents(f.ctx, 0); return err })
		f.print(s, line{duty: "W2", question: "components", by: on.Engine().String(), times: components, reached: c.Components()})
		f.print(s, line{duty: "W2", question: "arcs between", by: "the host", times: f.timed(nil, func() error { return c.Recondense(f.ctx) }), levels: c.Heights(), reached: c.Between()})
		again := f.timed(on, func() error { return c.Recount(f.ctx) })
		f.print(s, line{duty: "W2", question: "pairs", by: on.Engine().String(), times: again, levels: c.Heights(), reached: int(c.Pairs()), bytes: on.Bytes(),
			note: fmt.Sprintf("%d tiles in %d blocks; all once, cold, in %v", c.Tiles(), c.Parts(), first.Round(time.Microsecond))})
		k.check(f.T, c)
		n := uint32(s.g.Nodes())
		for question, ask := range map[string]func(u, v uint32) error{
			"reaches": func(u, v uint32) error { _, err := c.Reaches(u, v); return err },
			"row":     func(u, _ uint32) error { _, err := c.Row(f.ctx, u); return err },
			"column":  func(_, v uint32) error { _, err := c.Column(f.ctx, v); return err },
			"path":    func(u, v uint32) error { _, err := c.Path(f.ctx, u, v); return err },
		} {
			at := uint32(0)
			f.print(s, line{duty: "W2", question: question, by: on.Engine().String(), times: f.timed(on, func() error {
				at += 7919
				return ask(at%n, at*31%n)
			})})
		}
		var rows [2]int
		edit := []flow.Arc{{From: n / 3, To: n / 2}}
		edited := f.timed(on, func() (err error) {
			if rows[0], err = c.Add(f.ctx, edit); err == nil {
				rows[1], err = c.Remove(f.ctx, edit)
			}
			return err
		})
		f.print(s, line{duty: "W2", question: "an arc in and out", by: on.Engine().String(), times: edited, note: fmt.Sprintf("%d and %d rows of %d", rows[0], rows[1], c.Components())})
		k.check(f.T, c)
		f.byHand(s, k, again)
		f.close(on)
		if f.tiny {
			return
		}
	}
}

// byHand runs the program on the same graph.
func (f *figures) byHand(s subject, k knownClosure, ours times) {
	if *figuresHand == "" {
		return
	}
	file := filepath.Join(f.TempDir(), strings.ReplaceAll(k.name, ":", "-")+".sg")
	graphtest.Must(files.Save(f.ctx, file, s.g, files.GAP))
	out, err := exec.CommandContext(f.ctx, *figuresHand, file, fmt.Sprint(f.runs)).CombinedOutput()
	if err != nil {
		f.Fatalf("%s: %v\n%s", k.name, err, out)
	}
	for text := range strings.Lines(string(out)) {
		fields, err := csv.NewReader(strings.NewReader(text)).Read()
		if err != nil || len(fields) < 10 || fields[0] != "CSV" || fields[2] != "closure" {
			continue
		}
		var t times
		for i, to := range map[int]*[]time.Duration{5: &t.device, 6: &t.device, 7: &t.wall, 8: &t.wall} {
			ms, _ := strconv.ParseFloat(fields[i], 64)
			*to = append(*to, time.Duration(ms*1e6))
		}
		pairs, _ := strconv.ParseUint(fields[9], 10, 64)
		if pairs != k.pairs {
			f.Errorf("%s: by hand %d pairs, want %d", k.name, pairs, k.pairs)
		}
		f.print(s, line{duty: "W2", question: "pairs", by: "by hand", times: t, reached: int(pairs), note: fmt.Sprintf("ours takes %.2f × its device time", float64(ours.device[0])/float64(max(t.device[0], 1)))})
	}
}
