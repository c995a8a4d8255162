package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

func TestMistakesAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
	three := driver.U32(3)
	for _, c := range []struct {
		name   string
		o      pipeline.Options
		kind   driver.Kind
		want   string // its Reason
		says   string
		stages []pipeline.Stage
	}{
		{"nothing", pipeline.Options{}, driver.InvalidArgument, "empty", "there are no stages", nil},
		{"no program", pipeline.Options{}, driver.InvalidArgument, "program(1)", "it has no program", []pipeline.Stage{stage("Copy", n, x, y), {}}},
		{"too few arguments", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "it has 1 arguments for 2 parameters", []pipeline.Stage{stage("Copy", n, x)}},
		{"a scalar of another type", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "stage 0 Scale, argument k: it is", []pipeline.Stage{stage("Scale", n, x, y, driver.I32(3))}},
		{"a range for a scalar", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "it is a range, the parameter is u32", []pipeline.Stage{stage("Scale", n, x, y, x)}},
		{"a temp for a scalar", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "it is a temp, the parameter is u32", []pipeline.Stage{stage("Scale", n, x, y, temp(1, n))}},
		{"no buffer", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "it has no buffer", []pipeline.Stage{stage("Copy", n, driver.Range{}, y)}},
		{"a round", pipeline.Options{}, driver.InvalidArgument, "arguments(0)", "it is a megakernel.Round", []pipeline.Stage{stage("Scale", n, x, y, megakernel.Round{})}},
		{"items beyond what there may be", pipeline.Options{}, driver.InvalidArgument, "items(0)", "at most 2147483648 are possible", []pipeline.Stage{stage("Copy", 1<<31+1, x, y)}},
		{"a temp to be kept", pipeline.Options{}, driver.InvalidArgument, "temp(0)", "temps of a pipeline last for a run", []pipeline.Stage{stage("Copy", n, x, megakernel.Temp{ID: 1, Bytes: 4, Kept: true})}},
		{"a temp of broken elements", pipeline.Options{}, driver.InvalidArgument, "temp(0)", "temp 1 has 6 bytes, its elements 4 each", []pipeline.Stage{stage("Copy", n, x, megakernel.Temp{ID: 1, Bytes: 6})}},
		{"a temp of two sizes", pipeline.Options{}, driver.InvalidArgument, "temp(1)", "temp 1 has 8 bytes here and 4 in another stage", []pipeline.Stage{stage("Copy", n, x, temp(1, 1)), stage("Copy", n, temp(1, 2), y)}},
		{"a temp that nobody wrote", pipeline.Options{}, driver.InvalidArgument, "unwritten(0)", "temp 1: no stage has written it", []pipeline.Stage{stage("Copy", n, temp(1, n), y)}},
		{"unknown fusion", pipeline.Options{Fusion: 9}, driver.InvalidArgument, "fusion", "there is no fusion 9", []pipeline.Stage{stage("Copy", n, x, y)}},
		{"over budget", pipeline.Options{Budget: 2399}, driver.OutOfMemory, `over_budget("one stage", 2400, 2399)`, "stage 1: one stage needs 2400 bytes of 2399",
			[]pipeline.Stage{stage("Copy", n, x, temp(1, n)), stage("Scale", n, temp(1, n), temp(2, n), three), stage("Copy", n, temp(2, n), y)}},
		{"a temp that lives through a stage", pipeline.Options{Budget: 2399}, driver.OutOfMemory, `over_budget("one stage", 2400, 2399)`, "stage 1: one stage needs 2400 bytes of 2399",
			[]pipeline.Stage{stage("Copy", n, x, temp(1, n)), stage("Copy", n, x, temp(2, n)), stage("Copy", n, temp(1, n), y), stage("Copy", n, temp(2, n), y)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := dev.Stats()
			p, err := pipeline.New(context.Background(), dev, c.stages, c.o)
			var r *pipeline.Reason
			if p != nil || !errors.Is(err, c.kind) || !errors.As(err, &r) || r.Error() != c.want || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v with %v, want %s and %q", err, r, c.want, c.says)
			}
			if live := dev.Stats().Get(metric.LiveBytes) - before.Get(metric.LiveBytes); live != 0 {
				t.Errorf("%d bytes are left", live)
			}
		})
	}
}

// TestMistakesAreAllCollected, of all stages.
func TestMistakesAreAllCollected(t *testing.T) {
	dev := open(t, "cpu")
	x := dev.buffer(1)
	_, err := pipeline.New(context.Background(), dev, []pipeline.Stage{{}, stage("Copy", 1, x), stage("Scale", 1, driver.U32(1), x, x)}, pipeline.Options{})
	if ps, ok := err.(driver.Problems); !ok || len(ps) != 4 {
		t.Errorf("got %v", err)
	}
}

// adding is a stage with so many rows and buffers.
func adding(t *testing.T, rows int, buffers []driver.Arg, to driver.Arg) pipeline.Stage {
	t.Helper()
	b := build.New("adding", build.Workgroup(64))
	var from []ir.Object
	for k := range buffers {
		from = append(from, b.Buffer(fmt.Sprintf("x%d", k), ir.U32, ir.RO))
	}
	out := b.Buffer("y", ir.U32, ir.RW)
	i := b.Global(0)
	sum := b.Load(from[0], i)
	for _, o := range from[1:] {
		sum = b.Add(sum, b.Load(o, i))
	}
	for k := range rows {
		sum = b.Mul(b.Xor(sum, b.U32(uint32(k))), i)
	}
	b.Store(out, i, sum)
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.Stage{Program: p, Args: append(buffers[:len(buffers):len(buffers)], to), Items: n}
}

// TestWhatIsTooLargeIsNotOneProgram goes by rows and by parameters.
func TestWhatIsTooLargeIsNotOneProgram(t *testing.T) {
	dev := open(t, "cpu")
	x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
	var many, others []driver.Arg
	for range 70 {
		many, others = append(many, dev.buffer(numbers(n)...)), append(others, dev.buffer(numbers(n)...))
	}
	for _, c := range []struct {
		name     string
		stages   []pipeline.Stage
		launches int
		says     []string
	}{
		{"rows", []pipeline.Stage{adding(t, 1100, []driver.Arg{x}, temp(1, n)), adding(t, 1100, []driver.Arg{temp(1, n)}, y)}, 2,
			[]string{"and at most 4096 are allowed [rows]", "another launch: the waves make programs of", "[F13]"}},
		{"parameters", []pipeline.Stage{adding(t, 1, many, temp(1, n)), adding(t, 1, append(others, temp(1, n)), y)}, 2,
			[]string{"the program would have 142 parameters, and at most 122 are allowed [parameters]", "[F13]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev.run(pipeline.Options{Fusion: pipeline.Separate}, c.stages...)
			want := dev.read(y)
			p := dev.run(pipeline.Options{}, c.stages...).p
			if got := dev.read(y); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			for _, s := range c.says {
				if says := p.Explain(); p.Launches() != c.launches || !strings.Contains(says, s) {
					t.Errorf("%d launches, or %q is not in\n%s", p.Launches(), s, says)
				}
			}
		})
	}
}
