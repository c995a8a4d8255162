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
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/internal/testing/long"
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

// altered compiles the kernels of a folder with a change; with none they are as they are.
func altered(t *testing.T, folder string, m mutant) map[string]*ir.Program {
	t.Helper()
	files := sources(t, folder)
	for i, f := range files {
		if f.Name != m.file {
			continue
		}
		re := regexp.MustCompile(m.from)
		if n := len(re.FindAllString(string(f.Src), -1)); n != 1 {
			t.Fatalf("%s: %d places to change", m.name, n)
		}
		files[i].Src = []byte(re.ReplaceAllString(string(f.Src), m.to))
	}
	programs, err := kernel.Parse(t.Context(), files, kernel.Options{Packages: map[string][]kernel.File{
		"github.com/govyre/vyre/egraph/device/internal/closure": sources(t, "internal/closure"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ir.Program{}
	for _, p := range programs {
		all[p.Name()] = p
	}
	return all
}

// sources are the files of a folder that people write.
func sources(t *testing.T, folder string) (files []kernel.File) {
	t.Helper()
	names, err := filepath.Glob(folder + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if base := filepath.Base(name); !strings.HasSuffix(base, "_vyre.go") {
			files = append(files, kernel.File{Name: base, Src: src})
		}
	}
	return files
}

// subject is a graph that is closed, with a table of so many slots.
type subject struct {
	graph func() *egraph.Graph
	slots uint64
	u     device.Tuning
}

// subjects are graphs that need everything: drawn ones with tables that are nearly full and signatures of four bits,
// a chain of rows that breaks where one is missing, and a union-find that is one long path.
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
	return append(all, subject{func() *egraph.Graph { return egraphs.Chain(80) }, 256, device.Tuning{}}, subject{path,
		64, device.Tuning{}})
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
			programs := altered(t, "internal/closure", m)
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

// saturationMutants are saturations with one thing wrong: in a kernel, or in a program that is written for the rules.
var saturationMutants = []struct {
	mutant
	mistake device.Mistake
}{
	{mutant{"keys are compared by few bits, where kernels insert", "row.go", `if have == k \{`, "if have&15 == k&15 {"}, 0},
	{mutant{"rows keep their keys when a child stops being a root", "close.go", `if fresh == k \{`, "if fresh == k || header[Searches] > 0 {"}, 0},
	{mutant{"rows of a class with another root are old", "close.go", `when = when&\^When \| header\[Searches\] \+ 1`, "when += 0"}, 0},
	{mutant{"the limit of rows is ignored", "judge.go", `case graph\[live\] >= rows:`, "case graph[live] >= rows+1<<20:"}, 0},
	{mutant{"the limit of rounds is ignored", "judge.go", `case n >= rounds:`, "case n >= rounds+1:"}, 0},
	{mutant{"a goal ends nothing", "judge.go", `goals\[2\*g\] == goals\[2\*g\+1\]`, "goals[2*g] == goals[2*g+1]+1<<30"}, 0},
	{mutant{"the greatest of equal terms wins", "extract.go", `(?s)(func less.*?)return x < y`, "${1}return x > y"}, 0},
	{mutant{"rows are adopted without their new children", "move.go", `b = constant\[b\]`, "b += 0"}, 0},
	{mutant{name: "keys are compared by few bits, where rules insert"}, device.FaultCompare},
	{mutant{name: "new rows count on one side of a join"}, device.FaultJoin},
	{mutant{name: "an op of constants has another value"}, device.FaultFold},
	{mutant{name: "rows of a commutative head are matched in one order"}, device.FaultOrder},
	{mutant{"graphs end while bits are learned again", "judge.go", `header\[Act\] = moved`, "header[Act] = nothing"}, 0},
	{mutant{name: "what is learned of a class is not new"}, device.FaultLearned},
	{mutant{name: "known bits stay in their slots when the table is made anew"}, device.FaultForget},
	{mutant{name: "a bit of a sum is known if it is in both operands"}, device.FaultCarry},
	{mutant{"a dead row is listed", "close.go", `(?s)(when := stamp\[s\]\n\t\tif) when == 0 (.*)(when := stamp\[s\]\n\t\tif) when == 0 `,
		"${1} when == 0 && Head(keys[s]) >= HeadMask-1 ${2}${3} when == 0 && Head(keys[s]) >= HeadMask-1 "}, 0},
	{mutant{name: "nothing"}, 0},
}

// TestEachMutantOfASaturationIsNoticed by what comes of sums, of a goal and of drawn graphs.
func TestEachMutantOfASaturationIsNoticed(t *testing.T) {
	device.Narrow(t, 16)
	dev := open(t, "cpu")
	for i, m := range saturationMutants {
		if !long.Turn(i, 4) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			var kernels map[string]*ir.Program
			if m.file != "" {
				kernels = altered(t, "internal/saturation", m.mutant)
			}
			device.Alter(t, kernels, m.mistake)
			err := wrong(t, dev)
			if t.Logf("%.150v", err); (err != nil) != (m.name != "nothing") {
				t.Errorf("found %v", err)
			}
		})
	}
}

// wrong says what is noticed first. A term of nonsense may be a panic of the decoder.
func wrong(t *testing.T, dev vyre.Device) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	err = wrongSum(t, dev)
	if err == nil {
		err = wrongJoin(t, dev)
	}
	var n compared
	for seed := uint64(0); err == nil && seed < uint64(long.Count(12, 20, 60)); seed++ {
		err = n.add(t, dev, seed)
	}
	if device.Narrow(t, 2); err == nil {
		err = wrongKnown(t, dev)
	}
	return err
}

// wrongJoin says what is wrong with terms that match once a child's class has a row more: one that is made, or that
// of a class which was there. Of some, one of both classes keeps its root, and of others the other.
func wrongJoin(t *testing.T, dev vyre.Device) error {
	for _, v := range []struct {
		there       bool
		text, stops string
	}{
		{false, "popc int (popc ?x) => (brev ?x)\nlast int (not (brev ?x)) => ?x", ""},
		{true, "popc int (popc ?x) => (brev ?x)\nlast int (not (brev ?x)) => ?x", ""},
		{false, "grow int (not ?x) => (not (neg ?x))", "limit of rows"},
		{false, "same int (popc ?x) => (brev ?x)\nnone int (not ?x) => (popc ?x)", ""},
	} {
		g := egraph.New()
		op := func(op ir.Op, c egraph.Class) egraph.Class {
			return g.Add(g.Head(egraph.HeadInfo{Op: op, Type: ir.U32}), c)
		}
		var classes []egraph.Class
		want := ""
		for n := range 8 {
			x := g.Leaf(fmt.Sprint("x", n), ir.U32)
			if v.there {
				op(ir.OpBrev, x)
			}
			switch classes = append(classes, op(ir.OpNot, op(ir.OpPopc, x))); {
			case strings.HasPrefix(v.text, "popc"):
				want += fmt.Sprintf("x%d, ", n)
			case strings.HasPrefix(v.text, "grow"):
				want += fmt.Sprintf("(not (popc x%d)), ", n)
			default: // of equal cost is what begins with the least op
				least := min(ir.OpNot, ir.OpPopc, ir.OpBrev)
				want += fmt.Sprintf("(%v (%v x%d)), ", least, min(ir.OpPopc, ir.OpBrev), n)
			}
		}
		s, err := device.OpenSaturation(t.Context(), dev, parsed(t, v.text), egraph.Limits{Rows: 60, Rounds: 20},
			egraph.Costs{}, []*egraph.Graph{g}, classes)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Run(t.Context())
		s.Close()
		if err != nil {
			return err
		}
		if r := all[0]; r.Terms.String()+", " != want || r.Stopped != v.stops {
			return fmt.Errorf("%v, %q, want %s", r.Terms, r.Stopped, want)
		}
	}
	return nil
}

// known are terms of x, y and z, of which x and y are bytes, and rules that are about what is known.
const known = `
and-within int (and ?x #a) => ?x when within ?x #a
rem-below uint (rem ?x #a) => ?x when below ?x #a
add-one int (add ?x 1) => (sub ?x ones)
later int (brev ?x) => (and ?x 15)
assoc int (xor (xor ?x ?y) ?z) <=> (xor ?x (xor ?y ?z))
0 int (and (add ?x ?y) 511) => 0
1 int (and (add ?x ?y) 255) => 0
2 int (and (mul ?x ?y) 65535) => 0
3 uint (rem (add ?x ?y) 512) => 0
4 uint (rem (add ?x ?y) 510) => 0
5 int (and (or (shl ?x 8) ?y) 65535) => 0
6 int (and (shl ?z 4) 65520) => 0
7 int (and (sub ?x ?y) 511) => 0
8 int (and (not (xor ?x 255)) 255) => 0
9 uint (and (shr (and ?z 4080) 4) 255) => 0
10 int (and (add (brev ?z) 3) 31) => 0
11 int (and (select (lt ?x ?z) ?x (popc ?z)) 255) => 0
12 int (and (neg (shl ?z 3)) -8) => 0
13 uint (rem (div ?x (or ?y 1)) 256) => 0
14 int (xor (xor ?x (xor ?y 7)) (xor (shl ?z 1) (xor ?z 12))) => 0`

// wrongKnown says what is wrong with terms that are cheaper for what is known, beside the host. The table is made anew in
// between where there are many.
func wrongKnown(t *testing.T, dev vyre.Device) error {
	var list []*rules.Rule
	var terms []*rules.Term
	for _, r := range parsed(t, known) {
		if r.Name[0] > '9' {
			list = append(list, r)
		} else {
			terms = append(terms, r.At(ir.U32).Left)
		}
	}
	begin := func() (g *egraph.Graph, classes []egraph.Class) {
		g = egraph.New()
		for n := range 2 {
			for _, p := range terms {
				var build func(p *rules.Term) egraph.Class
				build = func(p *rules.Term) egraph.Class {
					switch p.Kind {
					case rules.Literal:
						return g.Const(p.Type, p.Bits)
					case rules.Value:
						c := g.Leaf(fmt.Sprint(p, n), p.Type)
						if p.String() != "?z" {
							var f egraph.Facts
							f.Full(interval.WidthOf(p.Type))
							f.Zeros, f.Hi, f.SLo, f.SHi = ^uint64(255), 255, 0, 255
							g.Assume(c, f)
						}
						return c
					}
					var kids []egraph.Class
					for _, a := range p.Args {
						kids = append(kids, build(a))
					}
					return g.Add(g.Head(egraph.HeadInfo{Op: p.Op, Type: p.Type}), kids...)
				}
				classes = append(classes, build(p))
			}
		}
		return g, classes
	}
	g, classes := begin()
	rs, err := egraph.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := g.Run(rs, egraph.Limits{Rows: 5000, Rounds: 60}); err != nil || report.Stopped != "" {
		t.Fatal(report, err)
	}
	same, _ := begin()
	s, err := device.OpenSaturation(t.Context(), dev, list, egraph.Limits{Rows: g.Rows() + 50}, egraph.Costs{}, []*egraph.Graph{same}, classes)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.Run(t.Context())
	if err != nil {
		return err
	}
	for i, got := range strings.Split(all[0].Terms.String(), ", ") {
		if want := g.Extract(egraph.Costs{}, classes[i]); want.Cost != uint64(strings.Count(got, "(")) {
			return fmt.Errorf("%v is %s, on the host %s", terms[i%len(terms)], got, want)
		}
	}
	t.Logf("%s: %d rows, %d rounds, %d tables", dev.Name(), all[0].Rows, all[0].Rounds, s.Moves())
	if all[0].Rows != g.Rows() || all[0].Classes != g.Classes() || all[0].Stopped != "" {
		return fmt.Errorf("%d rows, %d classes, %q, on the host %d and %d", all[0].Rows, all[0].Classes, all[0].Stopped, g.Rows(), g.Classes())
	}
	return nil
}

// TestKnownBitsOnDevices: conditions ask for bits that a value may have, with tables of all sizes.
func TestKnownBitsOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		for _, narrow := range []int64{2, 16} {
			if narrow > 2 && !long.Enabled() {
				continue
			}
			device.Narrow(t, narrow)
			if err := wrongKnown(t, dev); err != nil {
				t.Errorf("%s, %d slots a row: %v", name, narrow, err)
			}
		}
	}
}

// wrongSum says what is wrong with a sum of five leaves, whose goal is one of its other forms.
func wrongSum(t *testing.T, dev vyre.Device) error {
	for _, v := range []struct {
		goal bool
		why  string
	}{{false, ""}, {true, "goal"}} {
		g, limits := egraph.New(), egraph.Limits{Rows: 200, Rounds: 20}
		c := sum(g, 5)
		add := g.Head(egraph.HeadInfo{Op: ir.OpAdd, Type: ir.U32})
		leaf := func(n int) egraph.Class { return g.Leaf(fmt.Sprint("x", n), ir.U32) }
		other := g.Add(add, g.Add(add, leaf(0), leaf(2)), g.Add(add, leaf(1), g.Add(add, leaf(3), leaf(4))))
		if v.goal {
			limits.Goal = [2]egraph.Class{c, other}
		}
		s, err := device.OpenSaturation(t.Context(), dev, parsed(t, assoc), limits, egraph.Costs{}, []*egraph.Graph{g},
			[]egraph.Class{c, other})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Run(t.Context())
		s.Close()
		if err != nil {
			return err
		}
		if r := all[0]; r.Stopped != v.why || !v.goal &&
			(r.Rows != 95 || r.Classes != 31) || r.Terms.Roots[0] != r.Terms.Roots[1] {
			return fmt.Errorf("%d rows and %d classes after %d rounds, %q, %v", r.Rows, r.Classes, r.Rounds, r.Stopped, r.Terms)
		}
	}
	return nil
}
