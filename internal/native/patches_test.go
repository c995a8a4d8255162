package native_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// patches are accesses by indices that may be rows, and how many look whether theirs is one. %n is uniform.
var patches = []struct {
	name, body string
	look       int
}{
	{"a remainder", `%h = add.u32 %n, 1_u32; %j = rem.u32 %i, %h; %k = sub.u32 %i, %j; %t = shl.u32 %k, 1_u32; %at = add.u32 %t, %j; %v = load @x[%at]; store @z[%at], %v`, 2},
	{"clamped", `%j = min.u32 %i, %n; %v = load @x[%j]; store @z[%i], %v`, 1},
	{"turned", `%j = xor.u32 %i, %n; %v = load @x[%j]; store @z[%j], %v`, 2},
	{"turned, by others", `%j = xor.u32 %i, %n; %v = load @x[%j]; %w = add.u32 %v, %i; %k = sub.u32 127_u32, %j; store @z[%k], %w`, 2},
	{"chosen", `%d = load @x[%i]; %is = lt.u32 %d, 4026531840_u32; %m = xor.u32 %i, 8_u32; %j = select.u32 %is, %i, %n; %v = load @x[%j]; %s = add.u32 %v, %m; store @z[%m], %s`, 1},
	{"under a mask", `%d = load @x[%i]; %is = lt.u32 %d, 4026531840_u32; %j = xor.u32 %i, %n; if %is { %v = load @x[%j]; %w = add.u32 %v, 1_u32; store @z[%j], %w }`, 2},
	{"with a sign", `%s = bitcast.i32.u32 %i; %m = bitcast.i32.u32 %n; %t = sub.i32 %s, 9_i32; %j = min.i32 %t, %m; %v = load @x[%j]; store @z[%i], %v`, 1},
	{"from data", `%j = load @x[%i]; %k = xor.u32 %j, %n; %v = load @x[%k]; store @z[%i], %v`, 0},
	{"a multiple", `%j = mul.u32 %i, %n; %v = load @x[%j]; store @z[%i], %v`, 0},
}

// Whether an index is a row is found out when code runs. Buffers end where a page does, so what reads or writes behind the last
// element fails.
func TestRowsThatComeOutAtRunTime(t *testing.T) {
	needs.MachineCode(t, native.Available())
	rng := rand.New(rand.NewPCG(7, 8))
	one := native.RunOptions{Polls: 1, Workers: 1}
	for _, c := range patches {
		for _, typ := range []string{"u32", "u8", "u16", "u64"} {
			if typ == "u64" && (strings.Contains(c.body, "%v,") || strings.Contains(c.body, "= load @x[%i]")) { // which compute in 32 bits
				continue
			}
			t.Run(c.name+" "+typ, func(t *testing.T) {
				p := patched(t, c.body, typ)
				for _, n := range []uint32{0, 7, 8, 23, 40} {
					for _, size := range []int{0, 9, 64, 100, 300} {
						l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Bits: uint64(n)}}}
						for _, q := range p.Params()[1:] {
							b := make([]byte, size*q.Bytes())
							for i := range b {
								b[i] = byte(rng.Uint32())
							}
							l.Args = append(l.Args, conform.Arg{Data: b})
						}
						compare(t, p, l, forced{run: one, place: atPageEnd}, forced{code: native.Options{Registers: 3}, run: one})
					}
				}
				if got := looked(t, p); typ == "u32" && got != c.look {
					t.Errorf("%d accesses look for a row, want %d", got, c.look)
				}
			})
		}
	}
}

// patched is a kernel over elements of a type.
func patched(t *testing.T, body, typ string) *ir.Program {
	t.Helper()
	source := "vyre 1\nkernel @k workgroup(64) {\nparam %n: u32\nparam @x: buf<u32> ro\nparam @z: buf<u32> rw\n%i = global.x\n" + body + "\n}"
	source = strings.NewReplacer("; ", "\n", "buf<u32>", "buf<"+typ+">").Replace(source)
	ps, err := text.Parse("test", source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return ps[0]
}

// looked counts accesses that look for a row.
func looked(t *testing.T, p *ir.Program) (n int) {
	t.Helper()
	l, err := native.List(p, "amd64.avx2")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range l.Lines {
		if in.Op == "vpmovzxbd" && in.Row != ir.NoRow && p.Op(in.Row).Info().Imm == ir.ImmObject {
			n++
		}
	}
	return n
}
