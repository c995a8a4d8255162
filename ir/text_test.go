package ir_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
)

// corpus returns the text files that every form of a program is tested with.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.vyre")
	if err != nil || len(files) == 0 {
		t.Fatalf("no text files: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(src)
	}
	return texts
}

// parseAll returns the programs of the corpus.
func parseAll(t testing.TB) []*ir.Program {
	t.Helper()
	var all []*ir.Program
	for name, src := range corpus(t) {
		ps, err := ir.Parse(name, src)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ps...)
	}
	return all
}

// parseOne parses a text with one kernel.
func parseOne(t testing.TB, src string) *ir.Program {
	t.Helper()
	ps, err := ir.Parse("test", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if len(ps) != 1 {
		t.Fatalf("%d kernels, want 1", len(ps))
	}
	return ps[0]
}

func TestTextOfProgramParsesToTheSameDigest(t *testing.T) {
	for _, p := range parseAll(t) {
		t.Run(p.Name(), func(t *testing.T) {
			text := p.Text()
			again := parseOne(t, text)
			if again.Digest() != p.Digest() {
				t.Errorf("another digest after\n%s\nnow\n%s", text, again.Text())
			}
			if got := again.Text(); got != text {
				t.Errorf("printed twice:\n%s\nprinted once:\n%s", got, text)
			}
		})
	}
}

func TestTextOfUnsealedCodeRoundTrips(t *testing.T) {
	for name, src := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			codes, err := ir.ParseCode(name, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range codes {
				text := c.Text()
				again, err := ir.ParseCode("printed", text)
				if err != nil {
					t.Fatalf("the printed text does not parse: %v\n%s", err, text)
				}
				if got := again[0].Text(); got != text {
					t.Errorf("printed twice:\n%s\nprinted once:\n%s", got, text)
				}
			}
		})
	}
}

func TestCorpusHasEveryOp(t *testing.T) {
	used := map[ir.Op]bool{}
	for _, p := range parseAll(t) {
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
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			p, err := s.Build(2000).Program()
			if err != nil {
				t.Fatal(err)
			}
			if parseOne(t, p.Text()).Digest() != p.Digest() {
				t.Error("another digest")
			}
		})
	}
}

func TestSeveralKernelsShareAFile(t *testing.T) {
	all := parseAll(t)
	var b bytes.Buffer
	if err := ir.Print(&b, all...); err != nil {
		t.Fatal(err)
	}
	again, err := ir.Parse("all", b.String())
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
	p := parseOne(t, "vyre 1 kernel @k workgroup(1) {}")
	var b bytes.Buffer
	if err := ir.Print(&b, p, p); err != nil {
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
	b := ir.New("wide")
	x := b.Buffer("x", ir.U32, ir.RW)
	long := func(kind string, i int) string {
		return fmt.Sprintf("%s_%d_%s", kind, i, strings.Repeat("n", 200))
	}
	init := make([]ir.Value, n)
	for i := range init {
		init[i] = b.Load(x, b.U32(uint32(i)))
		b.Name(init[i], long("first", i))
	}
	res := b.Loop(init, func(l ir.Label, arg []ir.Value) {
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
	if parseOne(t, p.Text()).Digest() != p.Digest() {
		t.Error("another digest")
	}
}

func TestNamesLayoutAndPositionsAreNoPartOfTheDigest(t *testing.T) {
	a := parseOne(t, "vyre 1\nkernel @a workgroup(1) {\n param @x: buf<u32> rw\n %v = load @x[0_u32]\n store @x[1_u32], %v\n}")
	b := parseOne(t, "vyre 1 kernel @b workgroup(1, 1, 1) { param @y: buf<u32> rw max 2147483647 align 4; // other names\n\n %w = load @y[0_u32] !f.go:3:4; store @y[0x1_u32], %w; return }")
	if a.Digest() != b.Digest() {
		t.Errorf("digests differ:\n%s%s", a.Text(), b.Text())
	}
}

func TestPrinterMakesNamesLegalAndUnique(t *testing.T) {
	b := ir.New("my kernel")
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
	if got := p.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if parseOne(t, want).Digest() != p.Digest() {
		t.Error("another digest after parsing it")
	}
}

func TestAlignPrintsOnlyWhereItIsNotTheDefault(t *testing.T) {
	const text = `vyre 1

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
	p := parseOne(t, text)
	if got := p.Text(); got != text {
		t.Errorf("got\n%swant\n%s", got, text)
	}
	if got := [3]uint8{p.Params()[0].Align, p.Params()[1].Align, p.Params()[2].Align}; got != [3]uint8{3, 4, 2} {
		t.Errorf("alignments are 2^%v", got)
	}
}

func TestRowsGetThePositionOfTheirStatement(t *testing.T) {
	const text = "vyre 1\nkernel @k workgroup(1) {\n\tparam @x: buf<u32> rw\n\t%v = load @x[0_u32]\n\tstore @x[1_u32], %v !dir/k.go:12:3\n" +
		"\tif true {\n\t\tstore @x[2_u32], %v\n\t} !\"odd name;\":7\n}\n"
	p := parseOne(t, text)
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
	if err := (ir.Printer{Positions: true}).Print(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"store @x[1_u32], %v !dir/k.go:12:3\n", "} !\"odd name;\":7\n", "%v = load @x[0_u32] !test:4:2\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	again := parseOne(t, b.String())
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op != ir.OpConst && op != ir.OpReturn && op != ir.OpYield && again.Pos(r) != p.Pos(r) {
			t.Errorf("row %d, %s, is at %s, was at %s", r, op, again.Pos(r), p.Pos(r))
		}
	}
}

func TestOnlyTrustedTextAssertsBounds(t *testing.T) {
	const text = "vyre 1\n\nkernel @k workgroup(1) {\n  param @x: buf<u32> rw\n  store @x[0_u32], 1_u32 !inb\n}\n"
	if _, err := ir.Parse("k", text); err == nil || !strings.Contains(err.Error(), "k:5:26: !inb is a proof") {
		t.Errorf("Parse says %v", err)
	}
	ps, err := ir.ParseTrusted("k", text)
	if err != nil {
		t.Fatal(err)
	}
	if got := ps[0].Text(); got != text {
		t.Errorf("got\n%swant\n%s", got, text)
	}
}

func TestTextWorkIsLinear(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			lastPrint, lastParse := 0, 0
			for _, n := range []int{12500, 25000, 50000} {
				c := s.Build(n).Code()
				print, parse := ir.PrintVisits(c), ir.ParseVisits(c.Text())
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

func FuzzText(f *testing.F) {
	for _, c := range parseErrors {
		if len(c.src) < 300 { // long seeds only slow the mutator down
			f.Add(c.src)
		}
	}
	f.Add(body("%a, %b = loop ^l (%i: u32 = %n, %f: f16 = -0.5_f16) -> (f16, u32) { break ^l (%f, %i) }\nstore @x[0_u32], %b !inb !f.go:3"))
	f.Add(body("%a = bfe.u32 %n, #3, #4; trap true, 1_u64, #1; fence.seqcst.sys\n%v = load.v4.keep @x[%a]\n%e = elem %v, #2; trace %e, #7"))
	f.Fuzz(func(t *testing.T, src string) {
		ps, err := ir.Parse("fuzz", src)
		if err != nil {
			if len(err.Error()) == 0 {
				t.Error("an error without words")
			}
			return
		}
		var b bytes.Buffer
		if err := ir.Print(&b, ps...); err != nil {
			t.Fatal(err)
		}
		again, err := ir.Parse("printed", b.String())
		if err != nil {
			t.Fatalf("%v in the text printed for\n%s\nwhich is\n%s", err, src, b.String())
		}
		for i, p := range ps {
			if p.Digest() != again[i].Digest() {
				t.Fatalf("another digest:\n%s", b.String())
			}
			wire, err := ir.Encode(p)
			if err != nil {
				t.Fatal(err)
			}
			if q, notes, err := ir.Decode(wire); err != nil || len(notes) > 0 || q.Digest() != p.Digest() {
				t.Fatalf("wire form does not come back: %v %v", err, notes)
			} else if d := difference(p, q); d != "" {
				t.Fatalf("wire form does not come back: %s", d)
			}
		}
	})
}

// longText is a text of n rows with names, literals and structure.
func longText(t testing.TB, n int) (string, *ir.Program) {
	t.Helper()
	p, err := shapes[2].Build(n).Program()
	if err != nil {
		t.Fatal(err)
	}
	return p.Text(), p
}

func BenchmarkParse(b *testing.B) {
	text, _ := longText(b, 50_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ir.ParseCode("bench", text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseNames(b *testing.B) {
	src := corpus(b)["reach.vyre"]
	head, body, _ := strings.Cut(src, "vyre 1")
	var all strings.Builder
	all.WriteString(head + "vyre 1")
	for i := range 200 {
		all.WriteString(strings.Replace(body, "@reach", fmt.Sprintf("@reach%d", i), 1))
	}
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ir.ParseCode("bench", all.String()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	text, p := longText(b, 50_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p.Text()
	}
}
