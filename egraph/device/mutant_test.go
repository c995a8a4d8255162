package device_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

// mutant is a closure with one thing wrong.
type mutant struct {
	name, file, from, to string
}

var mutants = []mutant{
	{"rows are compared by their signatures alone", "match.go", `if equal\(r, rows\[j\], more\) \{`, `if r[0] == rows[j][0] || true {`},
	{"one changed row is left out of the list", "begin.go", `changed \|= 1 << k\n`, "if i != 60 { changed |= 1 << k }\n"},
	{"the greater root wins", "union.go", `old := gpu.AtomicMin\(&parent\[high\], low\)\n\t\tif old == high`, "old := gpu.AtomicMax(&parent[low], high)\n\t\tif old == low"},
	{"a slot names the last row, not the smallest", "match.go", `if i < j \{[^\n]*\n\s*gpu.AtomicMin`, "if i != j {\n gpu.AtomicExchange"},
	{"the last round is not run", "match.go", `gpu.AtomicAdd\(&vote\[0\], unions\)`, "if unions > 1 { gpu.AtomicAdd(&vote[0], unions) }"},
	{"slots of keys that are left stay", "begin.go", `gpu.AtomicStore\(&slots\[s\], dead\)`, "gpu.AtomicStore(&slots[s], gpu.AtomicLoad(&slots[s]))"},
	{"walks to the root halve the way while they make it flat", "end.go", `(?s)root := up\n.*?gpu.AtomicStore\(&parent\[v\], root\)\n\t\t\}`, "gpu.AtomicStore(&parent[v], Root(parent, v))"},
	{"a table that was cleared gets the rows of the list alone", "match.go", `header\[all\] = 1\n`, "header[all] = 0\n"},
	{"groups are not in the order of rows", "groups.go", `rank := uint32\(bits.OnesCount32\(same & \(1<<t.Lane\(\) - 1\)\)\)`, "rank := uint32(bits.OnesCount32(same >> t.Lane() >> 1))"},
}

// altered compiles the kernels with a change; with none they are as they are.
func altered(t *testing.T, m mutant) map[string]*ir.Program {
	t.Helper()
	names, err := filepath.Glob("internal/closure/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []kernel.File
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_vyre.go") {
			continue
		}
		if base == m.file {
			re := regexp.MustCompile(m.from)
			if n := len(re.FindAllString(string(src), -1)); n != 1 {
				t.Fatalf("%s: %d places to change", m.name, n)
			}
			src = []byte(re.ReplaceAllString(string(src), m.to))
		}
		files = append(files, kernel.File{Name: base, Src: src})
	}
	programs, err := kernel.Parse(t.Context(), files, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ir.Program{}
	for _, p := range programs {
		all[p.Name()] = p
	}
	return all
}

// subject is a graph that is closed, with a table of so many slots.
type subject struct {
	graph func() *egraph.Graph
	slots uint64
	u     device.Tuning
}

// subjects are graphs that need everything: drawn ones with tables that are nearly full and signatures of four bits, a chain of rows that
// breaks where one is missing, and a union-find that is one long path.
func subjects() (all []subject) {
	for _, seed := range []uint64{0, 12} {
		all = append(all, subject{func() *egraph.Graph { return draw(seed, 50) }, 64, device.Tuning{Keep: 15, Full: 50}})
	}
	path := func() *egraph.Graph {
		var pending [][2]egraph.Class
		for e := range egraph.Class(300) {
			pending = append(pending, [2]egraph.Class{e, e + 1})
		}
		return small(301, nil, pending...)
	}
	return append(all, subject{func() *egraph.Graph { return egraphs.Chain(80) }, 256, device.Tuning{}}, subject{path, 64, device.Tuning{}})
}

// differs closes graphs with changed kernels, and says what is not as it has to be.
func differs(t *testing.T, dev vyre.Device, programs map[string]*ir.Program) error {
	for k, sub := range subjects() {
		g := sub.graph()
		want := closeByHand(g)
		im, err := device.BuildWith(g, sub.slots)
		if err != nil {
			t.Fatal(err)
		}
		sub.u.Altered = programs
		s := opened(t, dev, im, sub.u)
		r, err := s.Canonicalise(t.Context(), nil, device.Options{MaxRounds: 200})
		if err == nil {
			err = want.compare(&r)
		}
		if unions, failed := g.RebuildParallel(1); failed != nil {
			t.Fatal(failed)
		} else if err == nil && len(unions) != r.Rounds+1 {
			err = fmt.Errorf("%d rounds, want %d", r.Rounds, len(unions)-1)
		}
		if err != nil {
			return fmt.Errorf("graph %d: %w", k, err)
		}
	}
	return nil
}

// TestEachMutantIsNoticed takes away one thing after another that the closure needs.
func TestEachMutantIsNoticed(t *testing.T) {
	schedules := []cpu.Schedule{cpu.Forward, cpu.Seeded(3)}
	for _, m := range append(mutants, mutant{name: "nothing"}) {
		t.Run(m.name, func(t *testing.T) {
			programs := altered(t, m)
			var found error
			for _, schedule := range schedules {
				dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule}})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if found = differs(t, dev, programs); found != nil {
					t.Logf("%v: %.200v (%v)", schedule, found, time.Since(began))
					break
				}
			}
			if (found != nil) != (m.file != "") {
				t.Errorf("found %v", found)
			}
		})
	}
}
