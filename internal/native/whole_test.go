package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// wholeKernels part their lanes at bounds alone. They have parameters %n and %s, buffers @x and @y of 402 words, and
// shared arrays @t and @x2 of 64.
var wholeKernels = []struct{ name, body string }{
	{"return", `%out = le.u32 %n, %i; if %out { return }
		%v = load @x[%i]; %w = mul.u32 %v, 3_u32; store @y[%i], %w`},
	{"what is within, with an other arm", `%in = lt.u32 %i, %n
		%r = if %in -> (u32) { %v = load @x[%i]; yield %v } else { %w = add.u32 %i, %s; yield %w }
		store @y[%i], %r`},
	{"or equal, both ways", `%in = le.u32 %i, %n; if %in { store @y[%i], 7_u32 }
		%out = lt.u32 %n, %i; if %out { store @y[%i], %s }`},
	{"an index that wraps", `%far = add.u32 %i, 4294967232_u32; %j = add.u32 %far, %s; %in = lt.u32 %j, %n
		if %in { store @y[%i], %j } else { store @y[%i], 9_u32 }`},
	{"the length itself", `%len = len @x; %far = add.u32 %i, %s; %in = lt.u32 %far, %len
		if %in { %v = load @x[%far]; %z = load @x[%i]; %w = add.u32 %v, %z; store @y[%far], %w }`},
	{"a loop over rows", `%out = le.u32 %n, %i; if %out { return }
		%len = len @x
		%r = loop ^l (%j: u32 = %i, %sum: u32 = 1_u32) -> (u32) { %end = le.u32 %len, %j; if %end { break ^l (%sum) }
			%v = load @x[%j]; %t = mul.u32 %sum, 5_u32; %u = add.u32 %t, %v; store @y[%j], %u
			%k = add.u32 %j, 128_u32; continue ^l (%k, %u) }
		%q = add.u32 %r, %i; store @y[%i], %q`},
	{"a loop that returns", `%len = len @x
		loop ^l (%j: u32 = %i, %sum: u32 = %s) { %end = le.u32 %n, %j; if %end { return }
			%w = add.u32 %j, 40_u32; %past = lt.u32 %len, %w; if %past { store @y[%i], %sum; break ^l }
			%v = load @x[%w]; %u = xor.u32 %sum, %v; store @y[%j], %u; %m = add.u32 %j, 128_u32; continue ^l (%m, %u) }
		store @y[%i], %s`},
	{"a bound in a loop in a bound", `%a = lt.u32 %i, %n; %len = len @y
		if %a { %r = loop ^l (%j: u32 = %i, %c: u32 = 0_u32) -> (u32) { %k = add.u32 %j, 128_u32
				%d = le.u32 %len, %k; if %d { break ^l (%c) }
				%b = le.u32 %k, %s; %e = if %b -> (u32) { %f = add.u32 %c, %k; store @y[%k], %f; yield %f } else { yield %c }
				%m = add.u32 %e, 1_u32; continue ^l (%k, %m) }
			store @y[%i], %r
		} else { store @y[%i], %i }`},
	{"a barrier before and after", `store @t[%l], %s; store @x2[%l], %l; barrier.wg; %in = lt.u32 %i, %n
		if %in { %m = xor.u32 %l, 63_u32; %v = load @t[%m]; %w = add.u32 %v, %i; store @x2[%l], %w }
		barrier.wg; %k = xor.u32 %l, 8_u32; %q = load @x2[%k]; store @y[%i], %q`},
	{"barriers between rounds of a loop with a bound", `store @x2[%l], %i
		%r = loop ^l (%j: u32 = %i, %c: u32 = 0_u32) -> (u32) { %end = le.u32 300_u32, %c; if %end { break ^l (%j) }
			barrier.wg; %in = lt.u32 %j, %n; %f = if %in -> (u32) { %k = xor.u32 %l, 9_u32; %g = load @x2[%k]; yield %g } else { yield %s }
			barrier.wg; store @x2[%l], %f; %d = add.u32 %c, 100_u32; %m = add.u32 %j, 24_u32; continue ^l (%m, %d) }
		%z = load @x2[%l]; %q = add.u32 %z, %r; store @y[%i], %q`},
	{"64 bits and a choice", `%len = len @x; %wide = cvt.u64.u32 %i; %b = mul.u64 %wide, 12345678901_u64; %odd = and.u32 %i, 1_u32; %is = ne.u32 %odd, 0_u32
		%r = loop ^l (%j: u32 = %i, %sum: u64 = %b) -> (u64) { %end = le.u32 %len, %j; if %end { break ^l (%sum) }
			%q = cvt.u64.u32 %j; %t = add.u64 %sum, %q; %m = add.u32 %j, 24_u32; continue ^l (%m, %t) }
		%lo = cvt.u32.u64 %r; %h = shr.u64 %r, 32_u32; %hi = cvt.u32.u64 %h; %v = select.u32 %is, %lo, %hi; store @y[%i], %v`},
}

// A vector whose lanes part at a bound, wherever that is, goes on as if it had had masks all along.
func TestWholeVectorsPartAtBounds(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for _, k := range wholeKernels {
		t.Run(k.name, func(t *testing.T) {
			source := "vyre 1\nkernel @whole workgroup(64) {\nparam %n: u32\nparam %s: u32\nparam @x: buf<u32> ro\nparam @y: buf<u32> rw\nshared @t: u32[64]\nshared @x2: u32[64]\n%i = global.x\n%l = local.x\n" + strings.ReplaceAll(k.body, "; ", "\n") + "\n}"
			ps, err := text.Parse("test", source)
			if err != nil {
				t.Fatal(err)
			}
			if native.Partings(ps[0]) == 0 {
				t.Error("it has masks from the start")
			}
			data := make([]byte, 1608)
			for i := range data {
				data[i] = byte(i * i >> 3)
			}
			for _, n := range []uint64{0, 1, 5, 8, 77, 96, 128, 301, 1<<32 - 5} {
				for _, s := range []uint64{0, 61, 397, 1<<32 - 1} {
					l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Bits: n}, {Bits: s}, {Data: data}, {Data: make([]byte, 1608)}}}
					var all []forced
					for _, target := range native.HostTargets() {
						for _, v := range []int{0, 1, 2, 8} {
							all = append(all, forced{name: fmt.Sprint(target, v), code: native.Options{Target: target, Vectors: v}})
						}
						all = append(all, forced{name: target + " few", code: native.Options{Target: target, Vectors: 4, Registers: 3}, run: native.RunOptions{Polls: 1}})
					}
					compare(t, ps[0], l, all...)
				}
			}
		})
	}
}
