package megakernel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// bad holds waves that are refused, or are refused together.
const bad = `package waves

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Add(t gpu.Thread, x, weight []uint32) {
	gpu.AtomicAdd(&x[t.Global().X], 1)
	gpu.AtomicAdd(&weight[0], 1)
}

//vyre:kernel workgroup=64
func Double(t gpu.Thread, x []uint32) {
	x[t.Global().X] *= 2
}

//vyre:kernel workgroup=64
func Look(t gpu.Thread, x, y []uint32) {
	y[t.Global().X] = x[0]
}

//vyre:kernel workgroup=64
func Peek(t gpu.Thread, weight []uint32) {
	if gpu.AtomicAdd(&weight[0], 1) == 0 {
		gpu.AtomicAdd(&weight[1], 1)
	}
}

//vyre:kernel workgroup=64
func Wait(t gpu.Thread, flag []uint32) {
	for gpu.AtomicLoad(&flag[0]) == 0 {
	}
	gpu.AtomicStore(&flag[1], 1)
}

//vyre:kernel workgroup=64
func Retry(t gpu.Thread, x []uint32) {
	for {
		old := gpu.AtomicLoad(&x[0])
		if gpu.AtomicCompareExchange(&x[0], old, old*3+1) == old {
			return
		}
	}
}

//vyre:kernel workgroup=64
func Chase(t gpu.Thread, parent, root []uint32) {
	v := t.Global().X
	for gpu.AtomicLoad(&parent[v]) != v {
		v = gpu.AtomicLoad(&parent[v])
	}
	root[t.Global().X] = v
	gpu.AtomicMin(&parent[t.Global().X], v)
}

//vyre:kernel workgroup=64
func Meet(t gpu.Thread, x []uint32) {
	t.GridBarrier()
	x[t.Global().X] = 1
}

//vyre:kernel workgroup=64
func MeetFew(t gpu.Thread, x []uint32) {
	t.FirstGroupsBarrier(2)
	x[t.Global().X] = 1
}

//vyre:kernel workgroup=64
func Small(t gpu.Thread, x []uint32) {
	x[t.Group().X] = 1
}

//vyre:kernel workgroup=128
func Large(t gpu.Thread, x []uint32) {
	x[t.Group().X] = 1
}

//vyre:kernel workgroup=8x8
func Flat(t gpu.Thread, x []uint32) {
	x[t.Group().X] = t.Local().Y
}

//vyre:kernel workgroup=64
func Floats(t gpu.Thread, x []float32) {
	x[t.Global().X] = 1
}

//vyre:kernel workgroup=64
func Scaled(t gpu.Thread, k float32, x []float32) {
	x[t.Global().X] = k
}
`

// TestWavesThatCannotRunAreRefused names the rule, the wave and what to do.
func TestWavesThatCannotRunAreRefused(t *testing.T) {
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "bad.go", Src: []byte(bad)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dev := open(t, "cpu")
	mem := func(words int64) driver.Range {
		b, err := dev.Alloc(4*words, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return driver.All(b)
	}
	x, y, word := mem(256), mem(256), mem(3)
	wave := func(name string, args ...driver.Arg) megakernel.Wave {
		return megakernel.Wave{Program: pkg.Lookup(name).Program, Args: args, Domain: megakernel.Fixed(256)}
	}
	over := func(w megakernel.Wave, d megakernel.Domain) megakernel.Wave { w.Domain = d; return w }
	at := func(w megakernel.Wave, p megakernel.Phase) megakernel.Wave { w.Phase = p; return w }
	one := wave("Double", x)
	large := one
	large.Bytes = megakernel.Envelope{Scratch: 1 << 30}
	type deps = []megakernel.Dependency
	for _, c := range []struct {
		name  string
		waves []megakernel.Wave
		deps  deps
		o     megakernel.Options
		code  string
		want  string // in the message
	}{
		{"no waves", nil, nil, megakernel.Options{}, "empty", "there are no waves"},
		{"only waves outside the loop", []megakernel.Wave{at(one, megakernel.Before)}, nil, megakernel.Options{}, "empty", "no wave runs every round"},
		{"no program", []megakernel.Wave{{}}, nil, megakernel.Options{}, "F1", "it has no program"},
		{"a program that was not sealed", []megakernel.Wave{{Program: new(ir.Program)}}, nil, megakernel.Options{}, "F1", "one that was not sealed"},
		{"too few arguments", []megakernel.Wave{wave("Look", x)}, nil, megakernel.Options{}, "F1", "it has 1 arguments for 2 parameters"},
		{"scalar of another type", []megakernel.Wave{wave("Scaled", driver.U32(1), x)}, nil, megakernel.Options{}, "F1", "wave 0 Scaled, argument k"},
		{"round for a float", []megakernel.Wave{wave("Scaled", megakernel.Round{}, x)}, nil, megakernel.Options{}, "F1", "the number of a round is u32"},
		{"vote for floats", []megakernel.Wave{wave("Floats", megakernel.Vote{})}, nil, megakernel.Options{}, "F1", "a vote is a buffer of u32"},
		{"vote that is read", []megakernel.Wave{wave("Peek", megakernel.Vote{})}, nil, megakernel.Options{}, "F5", "bad.go:23:5: a vote is only added to"},
		{"no domain", []megakernel.Wave{over(one, megakernel.Domain{})}, nil, megakernel.Options{}, "domain", "it has none"},
		{"domain word of 12 bytes", []megakernel.Wave{over(one, megakernel.Counted(word, 9))}, nil, megakernel.Options{}, "domain", "its range has 12 bytes at 0, it takes 4"},
		{"list outside the loop", []megakernel.Wave{at(over(one, megakernel.List(word, 9)), megakernel.Before), one}, nil, megakernel.Options{}, "domain", "a list is made by rounds"},
		{"domain beyond all bounds", []megakernel.Wave{over(one, megakernel.Fixed(1<<31+1))}, nil, megakernel.Options{}, "domain", "2147483649 items"},
		{"barrier of the grid", []megakernel.Wave{wave("Meet", x)}, nil, megakernel.Options{}, "F2", "it has a barrier of the grid"},
		{"barrier of the first groups", []megakernel.Wave{wave("MeetFew", x)}, nil, megakernel.Options{}, "F2", "it has a barrier of the grid"},
		{"two group sizes", []megakernel.Wave{wave("Small", x), wave("Large", y)}, nil, megakernel.Options{}, "F3", "its workgroups have 128 invocations, those of wave 0 Small have 64"},
		{"group size and block", []megakernel.Wave{wave("Small", x)}, nil, megakernel.Options{Threads: 96}, "F3", "have 64 invocations, the block 96"},
		{"groups of two axes", []megakernel.Wave{wave("Flat", x)}, nil, megakernel.Options{}, "F3", "8×8×1"},
		{"waits for another", []megakernel.Wave{wave("Wait", x)}, nil, megakernel.Options{}, "F4", "bad.go:30:2: only a store of another invocation can end this loop"},
		{"one writes what another reads", []megakernel.Wave{one, wave("Look", x, y)}, nil, megakernel.Options{}, "F5", "add the dependency from wave 0 to wave 1"},
		{"update beside a plain access", []megakernel.Wave{one, wave("Add", x, megakernel.Vote{})}, nil, megakernel.Options{}, "F5", "wave 1 Add, argument x"},
		{"its own count", []megakernel.Wave{wave("Look", y, driver.Part(word.Buffer, 0, 4)), over(one, megakernel.Counted(driver.Part(word.Buffer, 0, 4), 9))}, nil, megakernel.Options{}, "F8", "wave 0 Look of the same group writes the word that counts it"},
		{"two element types", []megakernel.Wave{one, wave("Floats", x)}, deps{{Before: 0, After: 1}}, megakernel.Options{}, "F7", "a buffer of f32 here and a buffer of u32 in another wave"},
		{"unknown wave", []megakernel.Wave{one}, deps{{Before: 0, After: 2}}, megakernel.Options{}, "bad_wave", "from wave 0 to wave 2, of 1 waves"},
		{"itself", []megakernel.Wave{one}, deps{{Before: 0, After: 0}}, megakernel.Options{}, "self", ""},
		{"a cycle", []megakernel.Wave{one, wave("Double", y)}, deps{{Before: 0, After: 1}, {Before: 1, After: 0}}, megakernel.Options{}, "cycle", "waves wait for each other: 0→1→0"},
		{"a cycle of waves in the loop", []megakernel.Wave{at(one, megakernel.Before), wave("Double", x), wave("Double", y)}, deps{{Before: 0, After: 1}, {Before: 1, After: 2}, {Before: 2, After: 1}},
			megakernel.Options{}, "cycle", "plan on cpu: invalid argument: at wave 1: waves wait for each other: 1→2→1"},
		{"back in time", []megakernel.Wave{at(one, megakernel.After), wave("Double", y)}, deps{{Before: 0, After: 1}}, megakernel.Options{}, "phase", "turn it round"},
		{"too many blocks", []megakernel.Wave{one}, nil, megakernel.Options{Blocks: 1 << 20}, "F11", "1048576 blocks of 256 threads"},
		{"half a warp", []megakernel.Wave{one}, nil, megakernel.Options{Threads: 16}, "threads", "a multiple of 32"},
		{"more memory than the budget", []megakernel.Wave{large}, nil, megakernel.Options{Budget: 1 << 20}, "over_budget", "wave 0"},
		{"more rows than are allowed", []megakernel.Wave{one}, nil, megakernel.Options{MaxRows: 1}, "F13", "at most 1 are allowed"},
		{"fewer rows than none", []megakernel.Wave{one}, nil, megakernel.Options{MaxRows: -1}, "rows", "at most -1 rows"},
		{"no such tail", []megakernel.Wave{one}, nil, megakernel.Options{Tail: 9}, "tail", "tail setting 9"},
		{"no time before planning began", []megakernel.Wave{one}, nil, megakernel.Options{Planning: -1}, "planning", "planning may take -1ns"},
		{"no such topology", []megakernel.Wave{one}, nil, megakernel.Options{Topology: 77}, "topology", "topology 77"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := megakernel.New(context.Background(), dev, c.waves, c.deps, c.o)
			if err == nil {
				p.Close()
				t.Fatal("it was accepted")
			}
			var why *megakernel.Reason
			if !errors.As(err, &why) || why.Code != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v (%v), want %s and %q", err, why, c.code, c.want)
			}
			for _, e := range problems(err) {
				if e.Fix == "" || e.Path == "" && e.Msg == "" {
					t.Errorf("%v says not where, or not what to do", e)
				}
			}
		})
	}
	for _, name := range []string{"Retry", "Chase"} { // what ends by itself is taken
		w := wave(name, x, y)
		w.Args = w.Args[:len(w.Program.Params())]
		p, err := megakernel.New(context.Background(), dev, []megakernel.Wave{w}, nil, megakernel.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Close()
	}
	if s := dev.Stats(); s.Get(metric.Kernels) != 0 {
		t.Errorf("kernels stay open after refusals: %v", s)
	}
}

// problems lists the errors that err is made of.
func problems(err error) []*driver.Error {
	var ps driver.Problems
	if errors.As(err, &ps) {
		return ps
	}
	var e *driver.Error
	if errors.As(err, &e) {
		return []*driver.Error{e}
	}
	return nil
}
