package megakernel_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

const half = `package half

import "github.com/govyre/vyre/gpu"

// Half leaves half of all that a round can leave, and counts its rounds.
//
//vyre:kernel workgroup=64
func Half(t gpu.Thread, round uint32, rounds, weight []uint32) {
	if t.Global().X == 0 {
		rounds[0]++
	}
	if round < 5 {
		gpu.AtomicAdd(&weight[0], 1<<31)
	}
}
`

// alteration takes away one thing that fused programs need to be right.
type alteration struct {
	name, from, to string
	waves          func(g *graph, m *memory) ([]megakernel.Wave, []megakernel.Dependency)
	tail           megakernel.Tail
	by             string // what finds it
	ok             func(m *memory, g *graph, rec megakernel.Record) bool
}

// form returns the waves of a form of the search.
func formOf(name string) func(g *graph, m *memory) ([]megakernel.Wave, []megakernel.Dependency) {
	return func(g *graph, m *memory) ([]megakernel.Wave, []megakernel.Dependency) {
		for _, f := range forms {
			if f.name == name {
				return f.waves(g, m, 0)
			}
		}
		panic("no form " + name)
	}
}

func rightDepths(m *memory, g *graph, rec megakernel.Record) bool {
	want, levels := g.depths(0)
	return slices.Equal(m.read(m.depth), want) && rec.Rounds == levels+1
}

var alterations = []alteration{
	{name: "the barrier between two groups", from: `(?m)^(\s*)barrier\.grid$`, to: "$1", waves: formOf("workgroups in two groups"), tail: megakernel.TailNever, by: "detector", ok: rightDepths},
	{name: "two rotating words for three", from: `(rem\.u32 %\w+, )3_u32`, to: "${1}2_u32", waves: formOf("lists"), tail: megakernel.TailNever, by: "result", ok: rightDepths},
	{name: "the cap of votes", from: `div\.u32 4294967295_u32, %\w+`, to: "or.u32 4294967295_u32, 0_u32", waves: halves, tail: megakernel.TailNever, by: "result",
		ok: func(m *memory, _ *graph, rec megakernel.Record) bool {
			return m.read(m.next)[0] == 6 && rec.Rounds == 6
		}},
	{name: "the order of the two thresholds", from: `le\.u32 (%\w+), 16_u32`, to: "le.u32 $1, 640_u32", waves: formOf("lists"), by: "result",
		ok: func(_ *memory, _ *graph, rec megakernel.Record) bool { return rec.TailStays <= 2 }},
	{name: "the right to write", from: `(param @seen[^\n]*|param @depth[^\n]*) rw`, to: "$1 ro", waves: formOf("lists"), by: "verifier"},
}

// halves is a wave whose votes come to twice 1<<31.
func halves(_ *graph, m *memory) ([]megakernel.Wave, []megakernel.Dependency) {
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "half.go", Src: []byte(half)}}, front.Options{})
	if err != nil {
		panic(err)
	}
	var p *ir.Program = pkg.Kernels()[0].Program
	return []megakernel.Wave{{Program: p, Args: []driver.Arg{megakernel.Round{}, m.next, megakernel.Vote{}}, Domain: megakernel.Fixed(2)}}, nil
}

// TestWhatFusedProgramsNeedIsNeeded takes one thing away after another, and has it found.
func TestWhatFusedProgramsNeedIsNeeded(t *testing.T) {
	for _, a := range alterations {
		t.Run(a.name, func(t *testing.T) {
			found := false
			for _, schedule := range []cpu.Schedule{cpu.Forward, cpu.Reversed, cpu.Seeded(1), cpu.Seeded(2), cpu.Seeded(3)} {
				dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
				if err != nil {
					t.Fatal(err)
				}
				g := random(7, 300, 4)
				m := g.upload(t, dev)
				waves, deps := a.waves(g, m)
				p, err := megakernel.New(t.Context(), dev, waves, deps, megakernel.Options{Topology: megakernel.Cooperative, Tail: a.tail, Blocks: 2, Threads: 64, MaxRounds: 100})
				if err != nil {
					t.Fatal(err)
				}
				run := func() (rec megakernel.Record, by string) {
					if err := driver.Write(t.Context(), m.next, make([]byte, m.next.Len)); err != nil {
						t.Fatal(err)
					}
					rec, err := p.Run(t.Context())
					switch {
					case err != nil:
						t.Fatal(err)
					case len(p.Result().Reports) > 0:
						by = "detector"
					case !a.ok(m, g, rec):
						by = "result"
					}
					return rec, by
				}
				if a.by != "verifier" {
					if rec, by := run(); by != "" {
						t.Fatalf("as it is, %s finds something: %v", by, rec)
					}
				}
				changed := 0
				err = p.Alter(t.Context(), func(s string) string {
					re := regexp.MustCompile(a.from)
					changed = len(re.FindAllString(s, -1))
					if a.by == "detector" { // the first only
						at := re.FindStringIndex(s)
						return s[:at[0]] + s[at[1]:]
					}
					return re.ReplaceAllString(s, a.to)
				})
				switch {
				case changed == 0:
					t.Fatal("there is nothing to take away")
				case a.by == "verifier":
					if found = err != nil && strings.Contains(err.Error(), "VY"); !found {
						t.Errorf("got %v", err)
					}
				case err != nil:
					t.Fatal(err)
				default:
					_, by := run()
					found = found || by == a.by
				}
				p.Close()
			}
			if !found {
				t.Errorf("no %s finds it", a.by)
			}
		})
	}
}
