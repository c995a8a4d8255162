package ir_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

const records = `vyre 1

kernel @k workgroup(64) {
  param @ps: buf<{f32, f32, f64 @16; 24}> rw
  param %a: f32
  param @q: buf<{u8, u8[3], f32; 16 align 8}> wo max 100
  shared @s: u32[64]
  %0 = global.x
  %1 = len @ps
  %2 = load @ps[%0].1
  store @ps[%1].0, %2
  store @q[%0].2, %a
}
`

func TestRecordsKeepTheirTextAndWireForm(t *testing.T) {
	p, err := text.Parse("records.vyre", records)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Of(p[0]); got != records {
		t.Errorf("text\n%s\nwant\n%s", got, records)
	}
	b, err := wire.Encode(p[0])
	if err != nil {
		t.Fatal(err)
	}
	q, notes, err := wire.Decode(b)
	if err != nil || len(notes) > 0 {
		t.Fatalf("decode: %v, notes %v", err, notes)
	}
	if text.Of(q) != text.Of(p[0]) || q.Digest() != p[0].Digest() {
		t.Errorf("decoded\n%s\nwant\n%s", text.Of(q), text.Of(p[0]))
	}
	for cut := range b { // no shorter file is taken for a program
		if _, _, err := wire.Decode(b[:cut]); err == nil {
			t.Fatalf("%d of %d bytes decode", cut, len(b))
		}
	}
}

func TestRecordsOfTheBuilderEqualThoseOfTheText(t *testing.T) {
	b := build.New("k", build.Workgroup(64))
	f := b.Records("ps", ir.Record{Stride: 16, Align: 3, Fields: []ir.RecordField{
		{Type: ir.F32, Count: 1, Name: "X"}, {Type: ir.F32, Offset: 4, Count: 1}, {Type: ir.F64, Offset: 8, Count: 1}}}, ir.RW)
	b.Store(f[1], b.Len(f[2]), b.Load(f[0], b.Global(0)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	q, err := text.Parse("k.vyre", `vyre 1
		kernel @k workgroup(64) {
			param @other: buf<{f32, f32, f64; 16}> rw
			%l = len @other
			%i = global.x
			%x = load @other[%i].0
			store @other[%l].1, %x
		}`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Digest() != q[0].Digest() {
		t.Errorf("different digests:\n%s\n%s", text.Of(p), text.Of(q[0]))
	}
}

func TestRecordsOfAnotherLayoutHaveAnotherDigest(t *testing.T) {
	seen := make(map[[32]byte]string)
	for _, elem := range []string{"{f32, f32; 8}", "{f32, f32; 12}", "{f32, f32; 8 align 8}", "{f32, f32 @8; 12}", "{f32, i32; 8}", "{f32[2]; 8}", "{f32, f32, f32; 12}", "{f32, pad f32; 8}", "{f32, pad u8[4]; 8}"} {
		p, err := text.Parse("k.vyre", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<"+elem+"> ro\n}")
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[p[0].Digest()]; ok {
			t.Errorf("%s has the digest of %s", elem, other)
		}
		seen[p[0].Digest()] = elem
	}
}

func TestRecordsThatAreNoneAreRefused(t *testing.T) {
	for _, c := range []struct{ name, decl, body, want string }{
		{"overlap", "{f32, f32 @2; 8}", "", "begins inside the one before"},
		{"misaligned", "{u8, f32 @6; 12}", "", "is not aligned"},
		{"too short", "{f32, f32; 4}", "", "in a record of 4 bytes"},
		{"no multiple", "{f64, u8; 9}", "", "it divides the bytes"},
		{"empty", "{u8[0]; 4}", "", "0 elements"},
		{"too long", "{u8; 4097}", "", "at most 4096"},
		{"far alignment", "{f64; 16 align 16}", "", "align: 16, at most 8"},
		{"no field", "{f32; 4}", "%1 = load @x[0_u32]", "no field after the index"},
		{"unknown field", "{f32; 4}", "%1 = load @x[0_u32].1", "has no field 1"},
		{"field of a scalar", "f32", "%1 = load @x[0_u32].0", "holds no records"},
		{"vector", "{f32, f32; 8}", "%1 = load.v2 @x[0_u32].0", "lies in different records"},
		{"array", "{f32; 4}", "store @x[2147483647_u32].0, 0_f32", "its length is at most 2147483647"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := text.Parse("k.vyre", "vyre 1\nkernel @k workgroup(1) {\nparam @x: buf<"+c.decl+"> rw\n"+c.body+"\n}")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
