package text_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir/internal/irtest"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

func TestTextOfProgramParsesToTheSameDigest(t *testing.T) {
	for _, p := range irtest.Programs(t) {
		t.Run(p.Name(), func(t *testing.T) {
			source := text.Of(p)
			again := irtest.Parse(t, source)
			if again.Digest() != p.Digest() {
				t.Errorf("another digest after\n%s\nnow\n%s", source, text.Of(again))
			}
			if got := text.Of(again); got != source {
				t.Errorf("printed twice:\n%s\nprinted once:\n%s", got, source)
			}
		})
	}
}

func TestTextOfUnsealedCodeRoundTrips(t *testing.T) {
	for name, src := range irtest.Texts(t) {
		t.Run(name, func(t *testing.T) {
			codes, err := text.ParseCode(name, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range codes {
				source := text.OfCode(c)
				again, err := text.ParseCode("printed", source)
				if err != nil {
					t.Fatalf("the printed text does not parse: %v\n%s", err, source)
				}
				if got := text.OfCode(again[0]); got != source {
					t.Errorf("printed twice:\n%s\nprinted once:\n%s", got, source)
				}
			}
		})
	}
}

func TestCorpusHasEveryOp(t *testing.T) {
	used := map[ir.Op]bool{}
	for _, p := range irtest.Programs(t) {
		for r := range ir.Row(p.Rows()) {
			used[p.Op(r)] = true
		}
	}
	for _, op := range ir.Ops() {
		if !used[op] {
			t.Errorf("no text has %s", op)
		}
	}
}

func TestBuiltProgramPrintsAndParsesToTheSameDigest(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			p, err := s.Build(2000).Program()
			if err != nil {
				t.Fatal(err)
			}
			if irtest.Parse(t, text.Of(p)).Digest() != p.Digest() {
				t.Error("another digest")
			}
		})
	}
}

func TestSeveralKernelsShareAFile(t *testing.T) {
	all := irtest.Programs(t)
	var b bytes.Buffer
	if err := text.Print(&b, all...); err != nil {
		t.Fatal(err)
	}
	again, err := text.Parse("all", b.String())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range again {
		if p.Digest() != all[i].Digest() || p.Name() != all[i].Name() {
			t.Errorf("kernel %d came back as %s, was %s", i, p.Name(), all[i].Name())
		}
	}
}

func TestKernelsOfOneNameGetDifferentOnesInAFile(t *testing.T) {
	p := irtest.Parse(t, "vyre 1 kernel @k workgroup(1) {}")
	var b bytes.Buffer
	if err := text.Print(&b, p, p); err != nil {
		t.Fatal(err)
	}
	want := "vyre 1\n\nkernel @k workgroup(1) {\n}\n\nkernel @k.1 workgroup(1) {\n}\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A loop with as many arguments as it may have, all with long names, fits no line.
func TestLongListsBreakTheLine(t *testing.T) {
	const n = 4096
	b := build.New("wide")
	x := b.Buffer("x", ir.U32, ir.RW)
	long := func(kind string, i int) string {
		return fmt.Sprintf("%s_%d_%s", kind, i, strings.Repeat("n", 200))
	}
	init := make([]build.Value, n)
	for i := range init {
		init[i] = b.Load(x, b.U32(uint32(i)))
		b.Name(init[i], long("first", i))
	}
	res := b.Loop(init, func(l build.Label, arg []build.Value) {
		for i, v := range arg {
			b.Name(v, long("arg", i))
		}
		b.If(b.Eq(arg[0], arg[1]), func() { b.Break(l, arg...) })
		b.Continue(l, append(arg[1:n:n], arg[0])...)
	})
	for i, v := range res {
		b.Name(v, long("result", i))
		b.Store(x, b.U32(uint32(i)), v)
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if irtest.Parse(t, text.Of(p)).Digest() != p.Digest() {
		t.Error("another digest")
	}
}

func TestNamesLayoutAndPositionsAreNoPartOfTheDigest(t *testing.T) {
	a := irtest.Parse(t, "vyre 1\nkernel @a workgroup(1) {\n param @x: buf<u32> rw\n %v = load @x[0_u32]\n store @x[1_u32], %v\n}")
	b := irtest.Parse(t, "vyre 1 kernel @b workgroup(1, 1, 1) { param @y: buf<u32> rw max 2147483647 align 4; // other names\n\n %w = load @y[0_u32] !f.go:3:4; store @y[0x1_u32], %w; return }")
	if a.Digest() != b.Digest() {
		t.Errorf("digests differ:\n%s%s", text.Of(a), text.Of(b))
	}
}

func TestPrinterMakesNamesLegalAndUnique(t *testing.T) {
	b := build.New("my kernel")
	x := b.Buffer("x y", ir.U32, ir.RW)
	y := b.Buffer("x_y", ir.U32, ir.RW)
	v := b.Load(x, b.U32(0))
	b.Name(v, "v")
	w := b.Load(y, b.U32(0))
	b.Name(w, "v")
	u := b.Load(y, b.U32(1))
	b.Name(u, "v.1")
	n := b.Load(y, b.U32(2))
	b.Name(n, "12")
	b.Store(x, b.U32(0), b.Add(b.Add(v, w), b.Add(u, n)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	want := `vyre 1

kernel @my_kernel workgroup(1) {
  param @x_y: buf<u32> rw
  param @x_y.1: buf<u32> rw
  %v = load @x_y[0_u32]
  %v.1 = load @x_y.1[0_u32]
  %v.1.1 = load @x_y.1[1_u32]
  %_12 = load @x_y.1[2_u32]
  %0 = add.u32 %v, %v.1
  %1 = add.u32 %v.1.1, %_12
  %2 = add.u32 %0, %1
  store @x_y[0_u32], %2
}
`
	if got := text.Of(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if irtest.Parse(t, want).Digest() != p.Digest() {
		t.Error("another digest after parsing it")
	}
}

func TestAlignPrintsOnlyWhereItIsNotTheDefault(t *testing.T) {
	const source = `vyre 1

kernel @k workgroup(1) {
  param @a: buf<f32> rw
  param @b: buf<f32> rw align 16
  param @c: buf<f32> rw max 4294967296
  %0 = load.v2 @a[0_u32]
  store.v2 @a[1_u32], %0
  store @b[0_u32], 1_f32
  %1 = len @c
  %2 = cvt.f32.u64 %1
  store @c[0_u32], %2
}
`
	p := irtest.Parse(t, source)
	if got := text.Of(p); got != source {
		t.Errorf("got\n%swant\n%s", got, source)
	}
	if got := [3]uint8{p.Params()[0].Align, p.Params()[1].Align, p.Params()[2].Align}; got != [3]uint8{3, 4, 2} {
		t.Errorf("alignments are 2^%v", got)
	}
}

func TestRowsGetThePositionOfTheirStatement(t *testing.T) {
	const source = "vyre 1\nkernel @k workgroup(1) {\n\tparam @x: buf<u32> rw\n\t%v = load @x[0_u32]\n\tstore @x[1_u32], %v !dir/k.go:12:3\n" +
		"\tif true {\n\t\tstore @x[2_u32], %v\n\t} !\"odd name;\":7\n}\n"
	p := irtest.Parse(t, source)
	where := func(op ir.Op) string {
		for r := range ir.Row(p.Rows()) {
			if p.Op(r) == op {
				return p.Pos(r).String()
			}
		}
		return "no such op"
	}
	for op, want := range map[ir.Op]string{ir.OpLoad: "test:4:2", ir.OpStore: "dir/k.go:12:3", ir.OpIf: "odd name;:7"} {
		if got := where(op); got != want {
			t.Errorf("%s is at %s, want %s", op, got, want)
		}
	}
	var b bytes.Buffer
	if err := (text.Printer{Positions: true}).Print(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"store @x[1_u32], %v !dir/k.go:12:3\n", "} !\"odd name;\":7\n", "%v = load @x[0_u32] !test:4:2\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	again := irtest.Parse(t, b.String())
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op != ir.OpConst && op != ir.OpReturn && op != ir.OpYield && again.Pos(r) != p.Pos(r) {
			t.Errorf("row %d, %s, is at %s, was at %s", r, op, again.Pos(r), p.Pos(r))
		}
	}
}

func TestOnlyTrustedTextAssertsBounds(t *testing.T) {
	const source = "vyre 1\n\nkernel @k workgroup(1) {\n  param @x: buf<u32> rw\n  store @x[0_u32], 1_u32 !inb\n}\n"
	if _, err := text.Parse("k", source); err == nil || !strings.Contains(err.Error(), "k:5:26: !inb is a proof") {
		t.Errorf("Parse says %v", err)
	}
	ps, err := text.ParseTrusted("k", source)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Of(ps[0]); got != source {
		t.Errorf("got\n%swant\n%s", got, source)
	}
}

func TestTextWorkIsLinear(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			lastPrint, lastParse := 0, 0
			for _, n := range []int{12500, 25000, 50000} {
				c := s.Build(n).Code()
				print, parse := text.PrintVisits(c), text.ParseVisits(text.OfCode(c))
				if lastPrint > 0 && float64(print) > 2.2*float64(lastPrint) {
					t.Errorf("printing %d rows takes %d visits, half as many %d", c.Rows(), print, lastPrint)
				}
				if lastParse > 0 && float64(parse) > 2.2*float64(lastParse) {
					t.Errorf("parsing %d rows takes %d visits, half as many %d", c.Rows(), parse, lastParse)
				}
				lastPrint, lastParse = print, parse
			}
		})
	}
}

//ci:inputs 125000
func FuzzText(f *testing.F) {
	for _, c := range parseErrors {
		if len(c.src) < 300 { // long seeds only slow the mutator down
			f.Add(c.src)
		}
	}
	f.Add(body("%a, %b = loop ^l (%i: u32 = %n, %f: f16 = -0.5_f16) -> (f16, u32) { break ^l (%f, %i) }\nstore @x[0_u32], %b !inb !f.go:3"))
	f.Add(body("%a = bfe.u32 %n, #3, #4; trap true, 1_u64, #1; fence.seqcst.sys\n%v = load.v4.keep @x[%a]\n%e = elem %v, #2; trace %e, #7"))
	f.Fuzz(func(t *testing.T, src string) {
		ps, err := text.Parse("fuzz", src)
		if err != nil {
			if len(err.Error()) == 0 {
				t.Error("an error without words")
			}
			return
		}
		var b bytes.Buffer
		if err := text.Print(&b, ps...); err != nil {
			t.Fatal(err)
		}
		again, err := text.Parse("printed", b.String())
		if err != nil {
			t.Fatalf("%v in the text printed for\n%s\nwhich is\n%s", err, src, b.String())
		}
		for i, p := range ps {
			if p.Digest() != again[i].Digest() {
				t.Fatalf("another digest:\n%s", b.String())
			}
			encoded, err := wire.Encode(p)
			if err != nil {
				t.Fatal(err)
			}
			if q, notes, err := wire.Decode(encoded); err != nil || len(notes) > 0 || q.Digest() != p.Digest() {
				t.Fatalf("wire form does not come back: %v %v", err, notes)
			} else if d := irtest.Difference(p, q); d != "" {
				t.Fatalf("wire form does not come back: %s", d)
			}
		}
	})
}

// longText is a text of n rows with names, literals and structure.
func longText(t testing.TB, n int) (string, *ir.Program) {
	t.Helper()
	p, err := shape.All[2].Build(n).Program()
	if err != nil {
		t.Fatal(err)
	}
	return text.Of(p), p
}

func BenchmarkParse(b *testing.B) {
	source, _ := longText(b, 50_000)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := text.ParseCode("bench", source); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseNames(b *testing.B) {
	src := irtest.Texts(b)["reach.vyre"]
	head, body, _ := strings.Cut(src, "vyre 1")
	var all strings.Builder
	all.WriteString(head + "vyre 1")
	for i := range 200 {
		all.WriteString(strings.Replace(body, "@reach", fmt.Sprintf("@reach%d", i), 1))
	}
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := text.ParseCode("bench", all.String()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	source, p := longText(b, 50_000)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		text.Of(p)
	}
}
