package build_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

func TestSpecialisedScalarsAreConstants(t *testing.T) {
	p, err := build.Specialise(wave(t), build.Specialisation{Name: "hundred", Scalars: map[string]uint64{"n": 100}, Align: map[string]int{"x": 16}})
	if err != nil {
		t.Fatal(err)
	}
	got := text.Of(p)
	if p.Name() != "hundred" || len(p.Params()) != 1 || p.Params()[0].Align != 4 || !strings.Contains(got, "le.u32 100_u32") {
		t.Errorf("specialised:\n%s", got)
	}
	same, err := build.Specialise(wave(t), build.Specialisation{})
	if err != nil {
		t.Fatal(err)
	}
	if len(same.Params()) != 2 || same.Params()[0].Name != "n" || same.Params()[1].Align != wave(t).Params()[1].Align {
		t.Errorf("nothing was said, and the parameters are %+v", same.Params())
	}
}

func TestSpecialiseRefusesNamesThatAreNot(t *testing.T) {
	for what, s := range map[string]build.Specialisation{
		"no scalar":          {Scalars: map[string]uint64{"m": 1}},
		"a buffer as scalar": {Scalars: map[string]uint64{"x": 1}},
		"no buffer":          {Align: map[string]int{"y": 16}},
		"a scalar as buffer": {Align: map[string]int{"n": 16}},
		"one with no buffer": {Same: map[string]string{"x": "n"}},
		"one with itself":    {Same: map[string]string{"x": "x"}},
	} {
		if p, err := build.Specialise(wave(t), s); err == nil {
			t.Errorf("%s gives\n%s", what, text.Of(p))
		}
	}
	for _, none := range []*ir.Program{nil, new(ir.Program)} {
		if _, err := build.Specialise(none, build.Specialisation{}); err == nil || !strings.Contains(err.Error(), "the program is nil") {
			t.Errorf("no program gives %v", err)
		}
	}
}

func TestSpecialisedParametersKeepTheirOrder(t *testing.T) {
	b := build.New("order", build.Workgroup(32))
	x := b.Buffer("x", ir.U32, ir.RW)
	a := b.Scalar("a", ir.U32)
	y := b.Buffer("y", ir.U32, ir.RW)
	c := b.Scalar("c", ir.U32)
	sh := b.SharedArray("s", ir.U32, 32)
	b.Store(sh, b.Local(0), a)
	b.Store(x, b.Local(0), c)
	b.Store(y, b.Local(0), b.Load(sh, b.Local(0)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	s, err := build.Specialise(p, build.Specialisation{Scalars: map[string]uint64{"a": 9}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, q := range s.Params() {
		names = append(names, q.Name)
	}
	if got := strings.Join(names, " "); got != "x y c" || len(s.Arrays()) != 1 {
		t.Errorf("parameters %s, arrays %v", got, s.Arrays())
	}
}

func TestSpecialisedNarrowScalarsHaveTheirSign(t *testing.T) {
	b := build.New("narrow", build.Workgroup(32))
	v := b.Scalar("v", ir.I8)
	x := b.Buffer("x", ir.I32, ir.RW)
	b.Store(x, b.Local(0), v)
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	s, err := build.Specialise(p, build.Specialisation{Scalars: map[string]uint64{"v": 0x9c}})
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Of(s); !strings.Contains(got, "-100_i32") {
		t.Errorf("-100 is\n%s", got)
	}
}

func TestSpecialisedBuffersMayBeOne(t *testing.T) {
	b := build.New("move", build.Workgroup(32))
	x := b.Buffer("x", ir.U32, ir.RO)
	w := b.Buffer("w", ir.F32, ir.RO)
	y := b.Buffer("y", ir.U32, ir.WO)
	b.SetMaxLen(y, 1000)
	b.Store(y, b.Local(0), b.Load(x, b.Local(0)))
	_ = w
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	s, err := build.Specialise(p, build.Specialisation{Same: map[string]string{"y": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if one := s.Params()[0]; len(s.Params()) != 2 || one.Access != ir.RW || one.MaxLen != 1000 {
		t.Errorf("x and y as one:\n%s", text.Of(s))
	}
	if _, err := build.Specialise(p, build.Specialisation{Same: map[string]string{"y": "w"}}); err == nil {
		t.Error("buffers of different elements are one")
	}
}
