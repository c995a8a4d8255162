package wire_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir/internal/irtest"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

// encode returns the wire form of p.
func encode(t testing.TB, p *ir.Program) []byte {
	t.Helper()
	b, err := wire.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// annotated is a program with a name, a message and positions, one with an inlined call.
func annotated(t testing.TB) *ir.Program {
	t.Helper()
	b := build.New("annotated", build.Workgroup(4, 2))
	b.At(ir.Pos{File: "main.go", Line: 7, Col: 12})
	x := b.Buffer("x", ir.U32, ir.RW)
	b.At(ir.Pos{File: "inner.go", Line: 68, Col: 3})
	s := b.SharedArray("s", ir.F64, 3)
	b.At(ir.Pos{File: "main.go", Line: 7, Col: 20})
	n := b.Scalar("n", ir.U16)
	call := &ir.Pos{File: "outer.go", Line: 3, Col: 9, Call: &ir.Pos{File: "main.go", Line: 1}}
	b.At(ir.Pos{File: "inner.go", Line: 70, Col: 2, Call: call})
	v := b.Load(x, n)
	b.Name(v, "größe")
	b.At(ir.Pos{File: "inner.go", Line: 71})
	b.Trap(b.Eq(v, b.U32(7)), b.Cvt(ir.U64, v), 5, "seven is not allowed")
	b.If(b.Lt(v, n), func() { b.Store(s, b.U32(0), b.F64(1.5)) })
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWireFormComesBack(t *testing.T) {
	programs := append(irtest.Programs(t), annotated(t))
	for _, s := range shape.All {
		p, err := s.Build(1000).Program()
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	for _, p := range programs {
		t.Run(p.Name(), func(t *testing.T) {
			b := encode(t, p)
			q, notes, err := wire.Decode(b)
			if err != nil || len(notes) > 0 {
				t.Fatalf("%v %v", err, notes)
			}
			if q.Digest() != p.Digest() || text.Of(q) != text.Of(p) || q.Name() != p.Name() {
				t.Errorf("came back as\n%s", text.Of(q))
			}
			if d := irtest.Difference(p, q); d != "" {
				t.Error(d)
			}
			if !bytes.Equal(encode(t, q), b) {
				t.Error("encodes to other bytes")
			}
		})
	}
}

func TestWireFormKeepsNamesPositionsAndMessages(t *testing.T) {
	p := annotated(t)
	q, _, err := wire.Decode(encode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if d := irtest.Difference(p, q); d != "" {
		t.Error(d)
	}
	for i, want := range []string{"main.go:7:12", "main.go:7:20"} {
		if got := irtest.Chain(q.Params()[i].Pos); got != want {
			t.Errorf("parameter %d is at %s, want %s", i, got, want)
		}
	}
	if got := irtest.Chain(q.Arrays()[0].Pos); got != "inner.go:68:3" {
		t.Errorf("the array is at %s", got)
	}
	for r := range ir.Row(p.Rows()) {
		switch p.Op(r) {
		case ir.OpLoad:
			if got := irtest.Chain(q.Pos(r)); got != "inner.go:70:2 in outer.go:3:9 in main.go:1" || q.ValueName(r) != "größe" {
				t.Errorf("the load is %q at %s", q.ValueName(r), got)
			}
		case ir.OpTrap:
			if q.Message(r) != "seven is not allowed" {
				t.Errorf("the trap says %q", q.Message(r))
			}
		}
	}
}

// The digest is a promise to every cache that was ever written: it may change only
// together with the version of the wire form.
func TestDigestIsPinned(t *testing.T) {
	p := irtest.Parse(t, irtest.Texts(t)["reach.vyre"])
	sum := p.Digest()
	const want = "2c5557819a40e235"
	if got := hexOf(sum[:8]); got != want {
		t.Errorf("digest of @reach starts with %s, was %s", got, want)
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for _, c := range b {
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

// sectionAt returns the offset of the payload of section id, and of its table entry.
func sectionAt(b []byte, id uint32) (offset, entry int) {
	for i := range int(binary.LittleEndian.Uint32(b[12:])) {
		e := 64 + 24*i
		if binary.LittleEndian.Uint32(b[e:]) == id {
			return int(binary.LittleEndian.Uint64(b[e+8:])), e
		}
	}
	return -1, -1
}

const (
	secHead, secOp, secFlags, secPool, secNames = 1, 4, 6, 14, 0x8001
)

func TestDamagedWireFormIsRefusedWithItsCode(t *testing.T) {
	le := binary.LittleEndian
	good := encode(t, annotated(t))
	for _, c := range []struct {
		name, code, says string
		damage           func(b []byte) []byte
	}{
		{"empty", "VW001", "0 bytes", func(b []byte) []byte { return nil }},
		{"header cut", "VW001", "63 bytes", func(b []byte) []byte { return b[:63] }},
		{"table cut", "VW001", "too short for a table of 18 sections", func(b []byte) []byte { le.PutUint64(b[16:], 100); return b[:100] }},
		{"many sections", "VW007", "65 sections, at most 64", func(b []byte) []byte { b[12] = 65; return b }},
		{"magic", "VW002", "starts with", func(b []byte) []byte { b[0] = 'V'; return b }},
		{"version", "VW003", "version 2, but this reads version 1", func(b []byte) []byte { b[8] = 2; return b }},
		{"header flags", "VW004", "flags 0x1", func(b []byte) []byte { b[10] = 1; return b }},
		{"header tail", "VW004", "tail 0x1", func(b []byte) []byte { b[56] = 1; return b }},
		{"bytes after", "VW005", "but the header says", func(b []byte) []byte { return append(b, 0) }},
		{"bytes after, counted", "VW006", "1 bytes after the last section", func(b []byte) []byte { le.PutUint64(b[16:], uint64(len(b)+1)); return append(b, 0) }},
		{"section twice", "VW006", "section head: stands after section head", func(b []byte) []byte { b[64+24] = 1; return b }},
		{"section flags", "VW006", "reserved flags 0x2", func(b []byte) []byte { b[68] = 2; return b }},
		{"required section marked", "VW006", "the flag that it may be skipped is wrong", func(b []byte) []byte { b[68] = 1; return b }},
		{"section moved", "VW006", "the next multiple of 16", func(b []byte) []byte { b[72]++; return b }},
		{"section too long", "VW006", "bytes", func(b []byte) []byte { b[64+17*24+22] = 1; return b }},
		{"dirty padding", "VW006", "not all zero", func(b []byte) []byte { o, _ := sectionAt(b, secNames); b[o-1] = 1; return b }},
		{"section missing", "VW006", "section Regions is missing", func(b []byte) []byte { _, e := sectionAt(b, 15); le.PutUint32(b[e:], 16); b[e+4] = 1; return b }},
		{"unknown section", "VW009", "section 0x10 is required", func(b []byte) []byte { _, e := sectionAt(b, 15); le.PutUint32(b[e:], 16); return b }},
		{"too many rows", "VW007", "rows: 16777", func(b []byte) []byte { o, _ := sectionAt(b, secHead); b[o+23] = 1; return b }},
		{"one row more", "VW008", "section Op has", func(b []byte) []byte { o, _ := sectionAt(b, secHead); b[o+20]++; return b }},
		{"head too short", "VW006", "at byte", func(b []byte) []byte { _, e := sectionAt(b, secHead); b[e+16] = 4; return b }},
		{"parameter of no kind", "VW004", "parameter 0 is 09", func(b []byte) []byte { o, _ := sectionAt(b, 2); b[o] = 9; return b }},
		{"array of no type", "VW004", "array 0 is 03 7f", func(b []byte) []byte { o, _ := sectionAt(b, 3); b[o+1] = 0x7F; return b }},
		{"constant changed", "VW010", "digest", func(b []byte) []byte { o, _ := sectionAt(b, secPool); b[o] ^= 1; return b }},
		{"digest changed", "VW010", "digest", func(b []byte) []byte { b[24] ^= 1; return b }},
		{"unknown opcode", "VW011", "unknown opcode 0x3ff: written by a newer version", func(b []byte) []byte { o, _ := sectionAt(b, secOp); le.PutUint16(b[o+2:], 0x3FF); return b }},
		{"in bounds", "VW013", "flagged in bounds", func(b []byte) []byte { o, _ := sectionAt(b, secFlags); b[o] |= 0x80; return b }},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := wire.Decode(c.damage(bytes.Clone(good)))
			ds, _ := err.(ir.Diags)
			if len(ds) == 0 || ds[0].Code != c.code || !strings.Contains(ds[0].Msg, c.says) {
				t.Errorf("got  %v\nwant %s %s", err, c.code, c.says)
			}
		})
	}
}

func TestSideTableOutOfRangeIsDroppedWithANote(t *testing.T) {
	le := binary.LittleEndian
	p := annotated(t)
	good := encode(t, p)
	for _, c := range []struct {
		name   string
		damage func(b []byte)
	}{
		{"row", func(b []byte) { le.PutUint32(b[len(b)-8:], 1000) }},
		{"string", func(b []byte) { le.PutUint32(b[len(b)-4:], 9) }},
		{"count", func(b []byte) { o, _ := sectionAt(b, 0x8003); le.PutUint32(b[o:], 1<<31) }},
		{"length", func(b []byte) { o, _ := sectionAt(b, 0x8003); le.PutUint32(b[o+8:], 1<<31) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bytes.Clone(good)
			c.damage(b)
			q, notes, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if len(notes) != 1 || notes[0].Code != "VW012" || notes[0].Severity != ir.Warning || !strings.Contains(notes[0].Msg, "section messages dropped") {
				t.Errorf("notes are %v", notes)
			}
			if q.Digest() != p.Digest() || text.Of(q) != text.Of(p) {
				t.Error("the program itself changed")
			}
			for r := range ir.Row(q.Rows()) {
				if q.Message(r) != "" {
					t.Errorf("row %d kept its message %q", r, q.Message(r))
				}
			}
		})
	}
}

func TestPositionsOutOfRangeAreDroppedAsAWhole(t *testing.T) {
	le := binary.LittleEndian
	good := encode(t, annotated(t))
	const secPositions = 0x8002
	at, e := sectionAt(good, secPositions)
	last := at + int(le.Uint64(good[e+16:])) - 1 // the link of the array, behind those of two parameters
	file := bytes.Index(good[at:], []byte("main.go")) + at
	for _, c := range []struct {
		name   string
		damage func(b []byte)
	}{
		{"no such link", func(b []byte) { b[last] = 0x7e }},
		{"a link before the first", func(b []byte) { b[last] = 0x7f }},
		{"a link that nothing uses", func(b []byte) { b[last] = 0 }},
		{"a number that does not end", func(b []byte) { b[last] = 0x80 }},
		{"one link more", func(b []byte) { b[at]++ }},
		{"one link less", func(b []byte) { b[at]-- }},
		{"no links", func(b []byte) { b[at] = 0 }},
		{"links before their calls", func(b []byte) { b[at+1] = 2 }},
		{"a link around itself", func(b []byte) { b[at+1] = 0 }},
		{"a file that is not the next", func(b []byte) { b[at+2] = 1 }},
		{"a name beyond the end", func(b []byte) { b[file-1] = 0x7f }},
		{"a file twice", func(b []byte) { copy(b[bytes.Index(b[at:], []byte("inner.go"))+at-1:], "\x07main.go") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bytes.Clone(good)
			c.damage(b)
			q, notes, err := wire.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if len(notes) != 1 || notes[0].Code != "VW012" || !strings.Contains(notes[0].Msg, "section positions dropped") {
				t.Errorf("notes are %v", notes)
			}
			for _, pos := range []ir.Pos{q.Params()[0].Pos, q.Arrays()[0].Pos, q.Pos(ir.Row(q.Rows() - 1))} {
				if pos != (ir.Pos{}) {
					t.Errorf("position %s was kept", irtest.Chain(pos))
				}
			}
		})
	}
}

// A position names the call that it was inlined at, and that its own. So a printed one may be as long as all of them.
func TestAPositionHasAtMostAThousandCalls(t *testing.T) {
	for _, calls := range []int{1000, 1001} {
		b := build.New("k")
		pos := ir.Pos{File: "k.go", Line: 1}
		for i := range calls {
			outer := pos
			pos = ir.Pos{File: "k.go", Line: i + 2, Call: &outer}
		}
		b.At(pos)
		b.Buffer("x", ir.U32, ir.RW)
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		data, err := wire.Encode(p)
		if calls > 1000 {
			if err == nil || !strings.Contains(err.Error(), "more than 1000 calls") {
				t.Errorf("%d calls: %v", calls, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		q, notes, err := wire.Decode(data)
		if err != nil || len(notes) > 0 || irtest.Chain(q.Params()[0].Pos) != irtest.Chain(p.Params()[0].Pos) {
			t.Errorf("%v %v: the chain is not as it was", err, notes)
		}
	}
}

// Positions come from whoever builds; what is none does not cost the others theirs.
func TestAPositionOfNothingIsNotWritten(t *testing.T) {
	b := build.New("k")
	b.At(ir.Pos{Line: -1})
	x := b.Buffer("x", ir.U32, ir.RW)
	b.Store(x, b.U32(0), b.U32(1))
	b.At(ir.Pos{File: "k.go", Line: 3})
	b.Store(x, b.U32(1), b.U32(2))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	q, notes, err := wire.Decode(encode(t, p))
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v %v", err, notes)
	}
	if got := q.Pos(ir.Row(q.Rows() - 2)).String(); got != "k.go:3" {
		t.Errorf("the last store is at %s", got)
	}
}

func TestSectionsOfALaterVersionAreSkipped(t *testing.T) {
	le := binary.LittleEndian
	b := encode(t, annotated(t))
	_, e := sectionAt(b, 0x8003)
	le.PutUint32(b[e:], 0x9000)
	_, notes, err := wire.Decode(b)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0].Msg, "section 0x9000 dropped") {
		t.Errorf("%v %v", err, notes)
	}
}

func TestOptimisedProgramHasNoWireForm(t *testing.T) {
	ps, err := text.ParseTrusted("k", "vyre 1\nkernel @k workgroup(1) {\n  param @x: buf<u32> rw\n  store @x[0_u32], 1_u32 !inb\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = wire.Encode(ps[0])
	if err == nil || !strings.Contains(err.Error(), "flagged in bounds [VW013]") {
		t.Errorf("got %v", err)
	}
}

func TestNoProgramHasNoWireForm(t *testing.T) {
	for _, p := range []*ir.Program{nil, new(ir.Program)} {
		if b, err := wire.Encode(p); err == nil || !strings.Contains(err.Error(), "was not sealed") {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	}
}

func TestWireFormOfUnsealedCodeIsRefused(t *testing.T) {
	for name, change := range map[string]func(*ir.Code){
		"unused constant":        func(c *ir.Code) { c.Pool = append(c.Pool, 0) },
		"operand list left over": func(c *ir.Code) { c.Extra = append(c.Extra, 0) },
		"no alignment":           func(c *ir.Code) { c.Params[0].MaxLen = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			c := annotated(t).Edit()
			change(c)
			b, err := wire.EncodeCode(c)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = wire.Decode(b)
			if err == nil || !strings.Contains(err.Error(), "[VY015]") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWireFormCutAnywhereIsRefused(t *testing.T) {
	b := encode(t, annotated(t))
	for n := range b {
		if _, _, err := wire.Decode(b[:n:n]); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(b))
		}
	}
}

func TestAnyDamagedByteIsFoundOrChangesNothing(t *testing.T) {
	p := annotated(t)
	good := encode(t, p)
	b := bytes.Clone(good)
	for i := range good {
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
			b[i] = good[i] ^ flip
			q, notes, err := wire.Decode(b)
			if err != nil {
				continue
			}
			if q.Digest() != p.Digest() {
				t.Fatalf("byte %d xor %#x is accepted and makes another program", i, flip)
			}
			if len(notes) == 0 && !bytes.Equal(encode(t, q), b) {
				t.Fatalf("byte %d xor %#x is accepted, but does not encode to the same bytes", i, flip)
			}
		}
		b[i] = good[i]
	}
}

// Wrong columns with a right digest are what a hostile writer would send.
func TestHammerColumnsWithAMatchingDigest(t *testing.T) {
	tries := 8_000
	if testing.Short() {
		tries = 2_000
	}
	rng := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for _, p := range []*ir.Program{annotated(t), irtest.Parse(t, irtest.Texts(t)["reach.vyre"])} {
		good := encode(t, p)
		first, _ := sectionAt(good, secOp)
		last, _ := sectionAt(good, secNames)
		for range tries {
			b := bytes.Clone(good)
			for range 1 + rng.IntN(2) {
				i := first + rng.IntN(last-first)
				b[i] = byte(rng.IntN(32)) - byte(rng.IntN(2))
			}
			b = wire.WithDigest(b)
			q, notes, err := wire.Decode(b)
			if err != nil {
				continue
			}
			accepted++
			if len(notes) == 0 && !bytes.Equal(encode(t, q), b) {
				t.Fatal("accepted bytes encode to others")
			}
			if again := irtest.Parse(t, text.Of(q)); again.Digest() != q.Digest() {
				t.Fatalf("another digest after text:\n%s", text.Of(q))
			}
		}
	}
	if accepted == 0 {
		t.Error("nothing was accepted: the test does not get past the digest")
	}
}

func TestTooManyBytesOfNamesAreRefused(t *testing.T) {
	b := build.New("k")
	x := b.Buffer("x", ir.U32, ir.RW)
	v := b.Load(x, b.U32(0))
	b.Name(v, strings.Repeat("n", 256))
	b.Store(x, b.U32(0), v)
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Encode(p); err == nil || !strings.Contains(err.Error(), "a name of 256 bytes, at most 255 [VW007]") {
		t.Errorf("got %v", err)
	}
}

func TestWireSizeIsLinear(t *testing.T) {
	for _, s := range shape.All {
		last := 0
		for _, n := range []int{2000, 4000, 8000} {
			p, err := s.Build(n).Program()
			if err != nil {
				t.Fatal(err)
			}
			size := len(encode(t, p))
			if last > 0 && float64(size) > 2.2*float64(last) {
				t.Errorf("%s: %d bytes at %d, half as many rows take %d", s.Name, size, n, last)
			}
			last = size
		}
	}
}

//ci:inputs 125000
func FuzzWire(f *testing.F) {
	f.Add(encode(f, annotated(f)))
	f.Add(encode(f, irtest.Parse(f, "vyre 1 kernel @k workgroup(1) {}")))
	f.Add(encode(f, irtest.Parse(f, `vyre 1
kernel @k workgroup(1) { param @x: buf<u32> rw; param %n: u32
	%a = if true -> (u32) { yield 1_u32 } else { yield %n }
	store @x[0_u32], %a
}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = wire.WithDigest(b)
		p, notes, err := wire.Decode(b)
		if err != nil {
			return
		}
		again := encode(t, p)
		if len(notes) == 0 && !bytes.Equal(again, b) {
			t.Fatal("accepted bytes encode to others")
		}
		if q, notes, err := wire.Decode(again); err != nil || len(notes) > 0 {
			t.Fatalf("the wire form of a program is not accepted: %v %v", err, notes)
		} else if d := irtest.Difference(p, q); d != "" {
			t.Fatalf("another program after wire form: %s", d)
		}
		if q := irtest.Parse(t, text.Of(p)); q.Digest() != p.Digest() {
			t.Fatalf("another digest after text:\n%s", text.Of(p))
		}
	})
}

// longProgram has n rows with names and structure.
func longProgram(t testing.TB, n int) *ir.Program {
	t.Helper()
	p, err := shape.All[2].Build(n).Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func BenchmarkEncode(b *testing.B) {
	p := longProgram(b, 50_000)
	wire := encode(b, p)
	b.SetBytes(int64(len(wire)))
	b.ReportAllocs()
	for b.Loop() {
		encode(b, p)
	}
}

func BenchmarkDecode(b *testing.B) {
	p := longProgram(b, 50_000)
	encoded := encode(b, p)
	b.SetBytes(int64(len(encoded)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := wire.Decode(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	p := longProgram(b, 50_000)
	c := p.Edit()
	b.SetBytes(int64(p.Rows() * 31))
	b.ReportAllocs()
	for b.Loop() {
		wire.DigestOf(c)
	}
}
