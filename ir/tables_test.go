package ir_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
	"github.com/govyre/vyre/ir/wire"
)

const tables = `vyre 1

kernel @k workgroup(64) {
  param @y: buf<f32> wo
  shared @s: u32[64]
  local @l: u32[2]
  table @b: bool[3] = {true, false, true}
  table @i8: i8[2] = {-128, 127}
  table @u16: u16[2] = {65535, 0}
  table @i64: i64[1] = {-9223372036854775808}
  table @u64: u64[1] = {18446744073709551615}
  table @f: f32[5] = {-0, 0.1, inf, -inf, 0x7fc00001}
  table @d: f64[1] = {1e-300}
  table @h: f16[2] = {0.5, 0x7e01}
  table @bf: bf16[1] = {3}
  %0 = global.x
  %1 = load @f[%0]
  store @y[%0], %1
}
`

func TestTablesKeepTheirTextAndWireForm(t *testing.T) {
	p, err := text.Parse("tables.vyre", tables)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Of(p[0]); got != tables {
		t.Errorf("text\n%s\nwant\n%s", got, tables)
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

func TestTablesMayStandInFrontOfOtherArrays(t *testing.T) {
	p, err := text.Parse("k.vyre", `vyre 1
		kernel @k workgroup(1) {
			table @t: u32[2] = {1_u32,
				0x2}
			local @l: u32[1]
			shared @s: u32[1]
			%a = load @t[0_u32]
			store @l[0_u32], %a
			store @s[0_u32], %a
		}`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range p[0].Arrays() {
		names = append(names, a.Kind().Word()+" "+a.Name)
	}
	if got := strings.Join(names, ", "); got != "shared s, local l, table t" {
		t.Error(got)
	}
}

func TestTablesOfTheBuilderEqualThoseOfTheText(t *testing.T) {
	b := build.New("k", build.Workgroup(32))
	y := b.Buffer("y", ir.I32, ir.WO)
	one := b.Table("one", ir.I8, []uint64{0xFF, 2})
	if again := b.Table("again", ir.I8, []uint64{0xFF, 2}); again != one {
		t.Error("a table of the same elements is another object")
	}
	i := b.Local(0)
	b.Store(y, i, b.Load(b.Table("two", ir.I16, []uint64{0xFF, 2}), b.Load(one, i)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	q, err := text.Parse("k.vyre", `vyre 1
		kernel @k workgroup(32) {
			param @y: buf<i32> wo
			table @t: i8[2] = {-1, 2}
			table @u: i16[2] = {255, 2}
			%i = local.x
			%a = load @t[%i]
			%b = load @u[%a]
			store @y[%i], %b
		}`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Digest() != q[0].Digest() {
		t.Errorf("different digests:\n%s\n%s", text.Of(p), text.Of(q[0]))
	}
}

func TestTablesOfOtherContentsHaveAnotherDigest(t *testing.T) {
	seen := make(map[[32]byte]string)
	for _, decl := range []string{"u8[4] = {1, 2, 3, 4}", "u8[4] = {1, 2, 3, 5}", "u8[3] = {1, 2, 3}", "u16[2] = {513, 1027}", "i8[4] = {1, 2, 3, 4}"} {
		p, err := text.Parse("k.vyre", "vyre 1\nkernel @k workgroup(1) {\ntable @x: "+decl+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[p[0].Digest()]; ok {
			t.Errorf("%s has the digest of %s", decl, other)
		}
		seen[p[0].Digest()] = decl
	}
}

func TestTablesThatAreNoneAreRefused(t *testing.T) {
	for _, c := range []struct{ name, decl, body, want string }{
		{"too few", "u32[3] = {1, 2}", "", "2:32: table @x has 3 elements, and 2 in braces [VT005]"},
		{"too many", "u32[1] = {1, 2}", "", "table @x has 1 elements, and 2 in braces"},
		{"none", "u32[0] = {}", "", "table @x has 0 elements"},
		{"no elements", "u32[1]", "", "before the elements of a table"},
		{"of launch-time length", "u32[?] = {1}", "", "bytes of table @x"},
		{"another type", "u32[1] = {1_i32}", "", "an element is u32"},
		{"too large a number", "u8[1] = {256}", "", `"256" does not fit u8`},
		{"no number", "f32[1] = {foo}", "", `"foo_f32" is no number`},
		{"a number for a bool", "bool[1] = {1}", "", "is neither true nor false"},
		{"too large", "u8[65537] = {1}", "", "bytes of table @x: 65537, at most 65536"},
		{"store", "u32[1] = {1}", "store @x[0_u32], 1_u32", "store writes @x, which is a table"},
		{"atomic", "u32[1] = {1}", "%a = atomic_add.relaxed.dev @x[0_u32], 1_u32", "atomic_add on the table @x"},
		{"atomic load", "u32[1] = {1}", "%a = atomic_load.relaxed.dev @x[0_u32]", "atomic_load on the table @x"},
		{"prefetch", "u32[1] = {1}", "prefetch @x[0_u32]", "prefetch on the table @x"},
		{"beyond", "u32[1] = {1}", "%a = load @x[1_u32]", "its length is 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := text.Parse("k.vyre", "vyre 1\nkernel @k workgroup(1) { table @x: "+c.decl+"\n"+c.body+"\n}")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// What is refused where no text and no builder could have made it.
func TestTablesWithBytesThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		arrays     []ir.Array
	}{
		{"bytes missing", "table @t does not have the bytes of its elements", []ir.Array{{Name: "t", Type: ir.U32, Len: 2, Table: "1234"}}},
		{"a bool of two", "neither false nor true", []ir.Array{{Name: "t", Type: ir.Bool, Len: 1, Table: "\x02"}}},
		{"shared", "is shared and has contents", []ir.Array{{Name: "t", Type: ir.U8, Len: 1, Shared: true, Table: "1"}}},
		{"too large", "bytes of table @t: 65537, at most 65536", []ir.Array{{Name: "t", Type: ir.U8, Len: 65537, Table: strings.Repeat("1", 65537)}}},
		{"too large together", "bytes of tables: 1114112, at most 1048576", many(17)},
	} {
		t.Run(c.name, func(t *testing.T) {
			codes, err := text.ParseCode("k.vyre", "vyre 1\nkernel @k workgroup(1) {\n}")
			if err != nil {
				t.Fatal(err)
			}
			codes[0].Arrays = c.arrays
			if _, err = verify.Seal(codes[0]); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// many are so many of the largest tables.
func many(n int) (list []ir.Array) {
	for i := range n {
		list = append(list, ir.Array{Name: fmt.Sprintf("t%d", i), Type: ir.U8, Len: ir.MaxTableBytes, Table: strings.Repeat(string(rune('a'+i)), ir.MaxTableBytes)})
	}
	return list
}

func TestTheLargestTablePrintsAndParses(t *testing.T) {
	b := build.New("k", build.Workgroup(1))
	elems := make([]uint64, ir.MaxTableBytes/8)
	for i := range elems {
		elems[i] = math.Float64bits(1 / float64(i+3))
	}
	b.Store(b.Buffer("y", ir.F64, ir.WO), b.U32(0), b.Load(b.Table("t", ir.F64, elems), b.Scalar("i", ir.U32)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	q, err := text.Parse("k.vyre", text.Of(p))
	if err != nil || q[0].Digest() != p.Digest() {
		t.Fatalf("another program, %v", err)
	}
}
