package native_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// narrowLocals use a local array of a type, whose values have another one: rows, records, and what each lane asks for, under masks
// and outside.
const narrowLocals = `%d = load @x[%i]
	%v = load @s[%i]
	%w = load @s[%p]
	loop ^f (%k: u32 = 0_u32) {
		%out = le.u32 11_u32, %k
		if %out { break ^f }
		store @l[%k], %v
		%m = add.u32 %k, 1_u32
		continue ^f (%m)
	}
	%r = vec %w, %v, %v, %w
	%odd = and.u32 %d, 1_u32
	%is = eq.u32 %odd, 0_u32
	%g = group.x
	%h = add.u32 %g, 1_u32
	store.v4 @l[%h], %r
	if %is {
		store @l[2_u32], %w
		%pair = vec %w, %w
		store.v2 @l[%h], %pair
		%j = and.u32 %d, 15_u32
		store @l[%j], %w
	}
	%far = add.u32 %g, 10_u32
	store @l[%far], %w
	store @l[%d], %w
	%e = shr.u32 %d, 28_u32
	store @l[%e], %w
	%a = load @l[%e]
	store @z[%i], %a
	%o1 = add.u32 %i, 128_u32
	%b = load @l[%far]
	store @z[%o1], %b
	%o2 = add.u32 %i, 256_u32
	if %is {
		%n = load @l[%d]
		store @z[%o2], %n
		%q = load.v4 @l[%h]
		%q3 = elem %q, #3
		%o3 = add.u32 %i, 384_u32
		store @z[%o3], %q3
	}
	%u = load.v4 @l[2_u32]
	%u1 = elem %u, #1
	%o4 = add.u32 %i, 512_u32
	store @z[%o4], %u1
	%t = load @l[2_u32]
	%o5 = add.u32 %i, 640_u32
	store @z[%o5], %t`

// Local arrays of narrow elements give the interpreter's bits, whatever their type.
func TestNarrowLocalArrays(t *testing.T) {
	for _, elem := range []string{"u8", "i8", "u16", "i16", "f16", "bf16", "bool"} {
		t.Run(elem, func(t *testing.T) {
			body := narrowLocals
			if elem == "bool" { // records are of numbers
				body = strings.NewReplacer("store.v4", "#", "load.v4", "#", "store.v2", "#", "= vec", "#", "= elem", "#", "%q3", "#", "%u1", "#").Replace(body)
				var lines []string
				for _, line := range strings.Split(body, "\n") {
					if !strings.Contains(line, "#") {
						lines = append(lines, line)
					}
				}
				body = strings.Join(lines, "\n")
			}
			everyForm(t, []int{97, 1024}, "param @x: buf<u32> ro\nparam @s: buf<"+elem+"> ro\nparam @z: buf<"+elem+"> rw\nlocal @l: "+elem+"[11]", body)
		})
	}
}

// Loops that fill and copy local arrays give the interpreter's bits: of all types, for all elements and for some, for all lanes
// and for some.
func TestSweeps(t *testing.T) {
	value := map[string]string{"u8": "4011_u32", "i16": "-300_i32", "u32": "7_u32", "f32": "0.5_f32", "u64": "8589934595_u64", "f16": "0.5_f16", "i8": "0_i32"}
	for elem := range value {
		for _, c := range []struct{ length, other, filled, copied int }{{333, 333, 333, 333}, {320, 320, 160, 320}, {320, 333, 157, 301}, {203, 160, 209, 203}} {
			t.Run(fmt.Sprint(elem, c), func(t *testing.T) {
				loop := func(label string, n int, body string) string {
					return fmt.Sprintf("loop ^%[1]s (%%%[1]s: u32 = 0_u32) {\n%%%[1]so = le.u32 %[2]d_u32, %%%[1]s\nif %%%[1]so { break ^%[1]s }\n%[3]s\n%%%[1]sn = add.u32 %%%[1]s, 1_u32\ncontinue ^%[1]s (%%%[1]sn)\n}\n", label, n, body)
				}
				fill := func(label, array, v string, n int) string {
					return loop(label, n, "store @"+array+"[%"+label+"], "+v)
				}
				body := fill("a", "l", "%v", 350) + fill("b", "m", "%w", 350) + fill("c", "l", value[elem], c.filled) +
					"%d = load @x[%i]\n%odd = and.u32 %d, 1_u32\n%is = eq.u32 %odd, 0_u32\nif %is {\n" +
					loop("e", c.copied, "%et = load @m[%e]\nstore @l[%e], %et") + fill("f", "m", value[elem], c.filled) + "}\n" +
					loop("g", 350, "%gl = load @l[%g]\n%gm = load @m[%g]\n%ga = mul.u32 %g, 128_u32\n%gb = add.u32 %ga, %i\nstore @z[%gb], %gl\nstore @y[%gb], %gm")
				everyForm(t, []int{45000}, "param @x: buf<u32> ro\nparam @s: buf<"+elem+"> ro\nparam @z: buf<"+elem+"> rw\nparam @y: buf<"+elem+"> rw\nlocal @l: "+elem+fmt.Sprintf("[%d]\nlocal @m: ", c.length)+elem+fmt.Sprintf("[%d]", c.other),
					"%v = load @s[%i]\n%w = load @s[%p]\n"+body)
			})
		}
	}
}

// A loop that sweeps has no instructions for each element.
func TestSweepsAreShort(t *testing.T) {
	needs.MachineCode(t, native.Available())
	loop := func(body string) string {
		return "loop ^f (%k: u32 = 0_u32) {\n%out = le.u32 4096_u32, %k\nif %out { break ^f }\n" + body + "\n%n = add.u32 %k, 1_u32\ncontinue ^f (%n)\n}"
	}
	for name, body := range map[string]string{
		"a fill": loop("store @l[%k], 7_u32"),
		"a copy": loop("%v = load @m[%k]\nstore @l[%k], %v"),
	} {
		ps, err := text.Parse("test", "vyre 1\nkernel @k workgroup(64) {\nparam @z: buf<u32> rw\nlocal @l: u8[4096]\nlocal @m: u8[4096]\n%i = global.x\n"+body+"\n%a = load @l[%i]\nstore @z[%i], %a\n}")
		if err != nil {
			t.Fatal(err)
		}
		for form, list := range map[string]func(*ir.Program, string) (*native.Listing, error){"lanes": native.List, "one": native.ListSingle} {
			l, err := list(ps[0], "amd64.avx2")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, in := range l.Lines {
				if in.Row != ir.NoRow && ps[0].Op(in.Row) == ir.OpContinue || in.Row != ir.NoRow && ps[0].Op(in.Row) == ir.OpStore && ps[0].Objects()[ps[0].X(in.Row)].Local() {
					n++
				}
			}
			if n > 4 {
				t.Errorf("%s, %s: %d instructions", name, form, n)
			}
		}
	}
}

// An index that is outside one local array may be inside another one, which has the same index next.
func TestOneIndexOfTwoLocalArrays(t *testing.T) {
	fill := "loop ^f (%k: u32 = 0_u32) {\n%out = le.u32 12_u32, %k\nif %out { break ^f }\nstore @l[%k], %i\nstore @m[%k], %p\n%n = add.u32 %k, 1_u32\ncontinue ^f (%n)\n}\n"
	body := fill + "%d = load @x[%i]\n%j = and.u32 %d, 15_u32\n%a = load @l[%j]\n%b = load @m[%j]\n%e = shr.u32 %d, 28_u32\n%c = load @m[%e]\nstore @l[%e], %c\n%g = load @l[%e]\n" +
		"%s = mul.u32 %a, 31_u32\n%t = sub.u32 %b, %s\n%u = xor.u32 %g, %t\nstore @z[%i], %u"
	for _, n := range [][2]int{{5, 9}, {9, 5}, {7, 7}} {
		everyForm(t, []int{1024}, fmt.Sprintf("param @x: buf<u32> ro\nparam @z: buf<u32> rw\nlocal @l: u32[%d]\nlocal @m: u32[%d]", n[0], n[1]), body)
	}
}

// everyForm compares a kernel with the interpreter in each form of code.
func everyForm(t *testing.T, sizes []int, head, body string) { inGroups(t, 61, sizes, head, body) }

func inGroups(t *testing.T, group int, sizes []int, head, body string) {
	t.Helper()
	needs.MachineCode(t, native.Available())
	source := fmt.Sprintf("vyre 1\nkernel @k workgroup(%d) {\n", group) + head + "\n%i = global.x\n%p = xor.u32 %i, 5_u32\n" + body + "\n}"
	ps, err := text.Parse("test", source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	yes, no, one := true, false, native.RunOptions{Polls: 1, Workers: 1}
	for _, n := range sizes {
		l := conform.Launch{Grid: [3]uint32{2, 1, 1}}
		for i := range ps[0].Params() {
			data := make([]byte, n*ps[0].Params()[i].Bytes())
			for k := range data {
				data[k] = byte(rng.Uint32())
				if ps[0].Params()[i].Type == ir.U32 && k%4 != 0 && k%4 != 3 {
					data[k] = 0
				}
			}
			l.Args = append(l.Args, conform.Arg{Data: data})
		}
		o0 := compile.Choice{Level: compile.O0} // which leaves loops as they are
		compare(t, ps[0], l, forced{run: one}, forced{passes: o0, code: native.Options{Registers: 3, Alone: &no}, run: one}, forced{passes: o0, code: native.Options{Single: &yes}},
			forced{passes: o0, code: native.Options{Single: &no}}, forced{passes: o0, code: native.Options{Single: &yes, General: 1, Registers: 2}})
	}
}
