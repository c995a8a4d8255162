package conform_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// inlined is a program that declares what p does and inlines p, and nothing else.
func inlined(p *ir.Program) (*ir.Program, error) {
	w := p.Workgroup()
	b := build.New(p.Name(), build.Workgroup(w[:]...))
	var in build.Inlining
	for _, q := range p.Params() {
		if !q.IsBuffer() {
			in.Scalars = append(in.Scalars, b.Scalar(q.Name, q.Type))
			continue
		}
		at := len(in.Objects)
		if q.Record != nil {
			in.Objects = append(in.Objects, b.Records(q.Name, *q.Record, q.Access)...)
		} else {
			in.Objects = append(in.Objects, b.Buffer(q.Name, q.Type, q.Access))
		}
		b.SetMaxLen(in.Objects[at], q.MaxLen)
		b.SetAlign(in.Objects[at], 1<<q.Align)
	}
	for _, a := range p.Arrays() {
		switch {
		case a.Len == ir.RestLen:
			in.Objects = append(in.Objects, b.SharedRest(a.Name, a.Type))
		case a.Shared:
			in.Objects = append(in.Objects, b.SharedArray(a.Name, a.Type, int(a.Len)))
		case a.Table != "": // comes along
		default:
			in.Objects = append(in.Objects, b.LocalArray(a.Name, a.Type, int(a.Len)))
		}
	}
	b.Inline(p, in)
	return b.Program()
}

func TestInlinedRandomProgramsComputeTheSameBits(t *testing.T) {
	n := uint64(long.Count(200, 2_000, 20_000))
	var s conform.Summary
	d := conform.Through(conform.Interp(interp.Options{}), "inlining", inlined)
	if err := conform.RunRandom(context.Background(), long.Seed(t, 0), n, runtime.GOMAXPROCS(0), &s, nil, d); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Failures {
		t.Error(f)
	}
	t.Logf("%d programs: %d differ", s.Cases, s.Failed)
}

// Inlining into an empty program changes nothing that any case of the suite sees.
func TestSuitePassesInlined(t *testing.T) {
	d := conform.Through(conform.Interp(interp.Options{}), "inlining", inlined)
	for _, f := range conform.Suite() {
		if cases := suite()[f.Name]; !needsNoDevice(cases) {
			t.Run(f.Name, func(t *testing.T) { pass(t, d, cases) })
		}
	}
}
