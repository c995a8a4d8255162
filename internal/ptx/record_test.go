package ptx_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/kernel"
)

var loads = regexp.MustCompile(`ld\.global(\.nc)?(\.v[24])?\.\w+`)

// Fields that lie next to each other in one record are loaded at once, as far as alignment, writes and order allow.
func TestLoadsOfNeighbouringFieldsAreOne(t *testing.T) {
	use := func(fields ...string) (body string) {
		for _, f := range fields {
			body += "%x" + f + " = load @p[%i]." + f + "\n"
		}
		for _, f := range fields {
			body += "store @out[%i], %x" + f + "\n"
		}
		return body
	}
	// converted is use for fields that are no f32, each with the type of its value.
	converted := func(fields ...string) (body string) {
		for _, f := range fields {
			f, _, _ := strings.Cut(f, " ")
			body += "%x" + f + " = load @p[%i]." + f + "\n"
		}
		for _, f := range fields {
			f, typ, _ := strings.Cut(f, " ")
			body += "%y" + f + " = cvt.f32." + typ + " %x" + f + "\nstore @out[%i], %y" + f + "\n"
		}
		return body
	}
	for _, c := range []struct {
		name, elem, access, body string
		want                     []string
	}{
		{"sixteen bytes", "{f32, f32, f32, f32; 16}", "ro", use("0", "1", "2", "3"), []string{"ld.global.nc.v4.f32"}},
		{"in another order", "{f32, f32, f32, f32; 16}", "rw", use("2", "0", "3", "1"), []string{"ld.global.v4.f32"}},
		{"two of eight", "{f32, f64 @8, f64; 32}", "ro", "%a = load @p[%i].1\n%b = load @p[%i].2\n%c = add.f64 %a, %b\n%d = cvt.f32.f64 %c\nstore @out[%i], %d\n",
			[]string{"ld.global.nc.f64", "ld.global.nc.f64"}},
		{"two of eight, aligned", "{f32, f64 @16, f64; 32}", "ro", "%a = load @p[%i].1\n%b = load @p[%i].2\n%c = add.f64 %a, %b\n%d = cvt.f32.f64 %c\nstore @out[%i], %d\n",
			[]string{"ld.global.nc.v2.f64"}},
		{"eight bytes", "{f32, f32, f32; 24 align 8}", "ro", use("0", "1", "2"), []string{"ld.global.nc.v2.f32", "ld.global.nc.f32"}},
		{"no alignment", "{f32, f32, f32; 12}", "ro", use("0", "1", "2"), []string{"ld.global.nc.f32", "ld.global.nc.f32", "ld.global.nc.f32"}},
		{"three of four, read only", "{f32, f32, f32, f32; 16}", "ro", use("0", "1", "2"), []string{"ld.global.nc.v4.f32"}},
		{"three of four, written", "{f32, f32, f32, f32; 16}", "rw", use("0", "1", "2"), []string{"ld.global.v2.f32", "ld.global.f32"}},
		{"different types", "{f32, u32, f32, f32; 16}", "rw", use("0", "2", "3"), []string{"ld.global.f32", "ld.global.v2.f32"}},
		{"a store between", "{f32, f32; 8}", "rw", "%a = load @p[%i].0\nstore @p[%n].1, %a\n%b = load @p[%i].1\nstore @out[%i], %b\n", []string{"ld.global.f32", "ld.global.f32"}},
		{"a barrier between", "{f32, f32; 8}", "rw", "%a = load @p[%i].0\nstore @out[%i], %a\nbarrier.grid\n%b = load @p[%i].1\nstore @out[%i], %b\n", []string{"ld.global.f32", "ld.global.f32"}},
		{"a branch between", "{f32, f32; 8}", "ro", "%a = load @p[%i].0\nstore @out[%i], %a\n%c = lt.u32 %i, 9_u32\nif %c {\n%b = load @p[%i].1\nstore @out[%i], %b\n}\n", []string{"ld.global.nc.f32", "ld.global.nc.f32"}},
		{"other records", "{f32, f32; 8}", "ro", "%a = load @p[%i].0\n%b = load @p[%n].1\n%c = add.f32 %a, %b\nstore @out[%i], %c\n", []string{"ld.global.nc.f32", "ld.global.nc.f32"}},
		{"bytes and a half", "{f16, u8, i8, u8, u8, u8, u8; 8}", "ro", converted("0 f16", "1 u32", "2 i32", "3 u32", "4 u32", "5 u32", "6 u32"), []string{"ld.global.nc.v2.u32"}},
		{"half of the bytes", "{u8, u8, u8, u8; 4}", "ro", converted("1 u32", "3 u32"), []string{"ld.global.nc.u32"}},
		{"half of the bytes, written", "{u8, u8, u8, u8; 4}", "rw", converted("1 u32", "3 u32"), []string{"ld.global.u8", "ld.global.u8"}},
		{"all of the bytes, written", "{i8, u8, u16; 4}", "rw", converted("2 u32", "1 u32", "0 i32"), []string{"ld.global.u32"}},
		{"fewer of sixteen", "{u8, u8, u8, u8, u32, u32, u32; 16}", "ro", converted("0 u32", "1 u32", "2 u32"), []string{"ld.global.nc.u32"}},
		{"bytes without alignment", "{u8, u8, u8; 3}", "ro", converted("0 u32", "1 u32", "2 u32"), []string{"ld.global.nc.u8", "ld.global.nc.u8", "ld.global.nc.u8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "kernel @k workgroup(64) {\nparam @p: buf<"+c.elem+"> "+c.access+"\nparam @out: buf<f32> wo\n%i = global.x\n%n = len @out\n"+c.body+"}")
			m, err := emit(p, ptx.Target{SM: 70})
			if err != nil {
				t.Fatal(err)
			}
			if got := loads.FindAllString(m.Text, -1); !slices.Equal(got, c.want) {
				t.Errorf("loads %v, want %v\n%s", got, c.want, m.Text)
			}
			if ptxas := needs.PTXAS(t); ptxas != "" {
				if log, err := assemble(context.Background(), t, ptxas, m); err != nil {
					t.Errorf("%v\n%s", err, strings.TrimSpace(log))
				}
			}
		})
	}
}

var stores = regexp.MustCompile(`st\.global(\.v[24])?\.\w+`)

// Stores of neighbouring fields are one where they write all of its bytes and nothing in between sees the difference.
func TestStoresOfNeighbouringFieldsAreOne(t *testing.T) {
	const head = "%a = load @in[%i]\n%b = add.f32 %a, 1_f32\n"
	for _, c := range []struct {
		name, elem, body string
		want             []string
	}{
		{"sixteen bytes", "{f32, f32, f32, f32; 16}", "store @p[%i].1, %a\nstore @p[%i].0, %b\nstore @p[%i].3, 2_f32\nstore @p[%i].2, %a\n", []string{"st.global.v4.f32"}},
		{"three of four", "{f32, f32, f32, f32; 16}", "store @p[%i].0, %a\nstore @p[%i].1, %b\nstore @p[%i].2, %a\n", []string{"st.global.v2.f32", "st.global.f32"}},
		{"no alignment", "{f32, f32, f32; 12}", "store @p[%i].0, %a\nstore @p[%i].1, %b\nstore @p[%i].2, %a\n", []string{"st.global.f32", "st.global.f32", "st.global.f32"}},
		{"another record between", "{f32, f32; 8}", "store @p[%i].0, %a\nstore @p[%n].0, %b\nstore @p[%i].1, %a\n", []string{"st.global.f32", "st.global.f32", "st.global.f32"}},
		{"the same field twice", "{f32, f32; 8}", "store @p[%i].0, %a\nstore @p[%i].0, %b\nstore @p[%i].1, %a\n", []string{"st.global.f32", "st.global.v2.f32"}},
		{"a load between", "{f32, f32; 8}", "store @p[%i].0, %a\n%c = load @p[%n].0\nstore @p[%i].1, %c\n", []string{"st.global.f32", "st.global.f32"}},
		{"a barrier between", "{f32, f32; 8}", "store @p[%i].0, %a\nbarrier.wg\nstore @p[%i].1, %b\n", []string{"st.global.f32", "st.global.f32"}},
		{"a branch between", "{f32, f32; 8}", "store @p[%i].0, %a\n%c = lt.u32 %i, 9_u32\nif %c { store @p[%i].1, %b }\n", []string{"st.global.f32", "st.global.f32"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "kernel @k workgroup(64) {\nparam @p: buf<"+c.elem+"> rw\nparam @in: buf<f32> ro\n%i = global.x\n%n = len @in\n"+head+c.body+"}")
			m, err := emit(p, ptx.Target{SM: 70})
			if err != nil {
				t.Fatal(err)
			}
			if got := stores.FindAllString(m.Text, -1); !slices.Equal(got, c.want) {
				t.Errorf("stores %v, want %v\n%s", got, c.want, m.Text)
			}
			if ptxas := needs.PTXAS(t); ptxas != "" {
				if log, err := assemble(context.Background(), t, ptxas, m); err != nil {
					t.Errorf("%v\n%s", err, strings.TrimSpace(log))
				}
			}
		})
	}
}

// Padding of four bytes completes a wide store; extremes of floats are loops of compare and exchange. Both assemble for the floor,
// for sm_80 with its own minimum, and for sm_90.
func TestPaddingAndExtremesOfFloatsAssemble(t *testing.T) {
	p, err := kernel.Program(`package p

import "github.com/govyre/vyre/gpu"

type pair struct {
	A uint64
	B uint32
}

//vyre:kernel workgroup=64
func K(t gpu.Thread, x []pair, f []float32, d []float64, out []float64) {
	i := t.Global().X
	part := gpu.Shared[float32](t, 64)
	part[t.Local().X] = f[i]
	t.Barrier()
	gpu.AtomicMin(&part[i&7], f[i+1])
	gpu.AtomicMaxOrdered(&d[i&3], d[i+64], gpu.AcqRel, gpu.Device)
	out[i] = float64(gpu.AtomicMax(&f[i&3], f[i+64])) + gpu.AtomicMin(&d[i&3], d[i+70])
	x[i] = pair{uint64(i), i}
}
`, "K")
	if err != nil {
		t.Fatal(err)
	}
	for _, sm := range []int{70, 80, 90} {
		m, err := emit(p, ptx.Target{SM: sm})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(m.Text, ".cas."); got != 4 {
			t.Errorf("sm_%d: %d compare and exchange, want 4\n%s", sm, got, m.Text)
		}
		if ptxas := needs.PTXAS(t); ptxas != "" {
			if log, err := assemble(context.Background(), t, ptxas, m); err != nil {
				t.Errorf("sm_%d: %v\n%s", sm, err, strings.TrimSpace(log))
			}
		}
	}
}
