package native_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// stepKernels have two buffers of 128 words; %i is the invocation's number. What they do decides whether vectors go in step.
var stepKernels = []struct {
	name, local, body string
	inStep            bool
}{
	{"rounds that wait for each other", "", `%v = load @x[%i]
		%w = loop ^l (%k: u32 = 0_u32, %s: u32 = %v) -> (u32) { %d = lt.u32 %s, 1000_u32; if %d { break ^l (%k) }
			%t = shr.u32 %s, 1_u32; %m = add.u32 %k, 1_u32; continue ^l (%m, %t) }
		store @y[%i], %w`, true},
	{"rounds that all count alike, and lanes that leave before", "", `%v = load @x[%i]; %most = load @x[3_u32]; %m = and.u32 %most, 15_u32
		%w = loop ^l (%k: u32 = 0_u32, %s: u32 = %v) -> (u32) { %d = le.u32 %m, %k; if %d { break ^l (%s) }
			%e = lt.u32 %s, 1000_u32; if %e { break ^l (%k) }
			%t = shr.u32 %s, 2_u32; %n = add.u32 %k, 1_u32; continue ^l (%n, %t) }
		store @y[%i], %w`, true},
	{"rounds after which all return", "", `%v = load @x[%i]; %most = load @x[5_u32]; %m = and.u32 %most, 7_u32
		loop ^l (%k: u32 = 0_u32, %s: u32 = %v) { %d = le.u32 %m, %k; if %d { return }
			%e = lt.u32 %s, 1000_u32; if %e { break ^l }
			%t = shr.u32 %s, 3_u32; %n = add.u32 %k, 1_u32; continue ^l (%n, %t) }
		store @y[%i], %v`, true},
	{"a row of elements a round", "", `loop ^l (%j: u32 = %i, %s: u32 = 1_u32) { %n = len @x; %out = le.u32 %n, %j; if %out { break ^l }
			%v = load @x[%j]; %t = xor.u32 %s, %v; store @y[%j], %t; %m = add.u32 %j, 64_u32; continue ^l (%m, %t) }`, true},
	{"no loop", "", `%v = load @x[%i]; %t = not.u32 %v; store @y[%i], %t`, false},
	{"elements anywhere, in a loop that lanes leave", "", `loop ^l (%j: u32 = %i) { %n = len @x; %out = le.u32 %n, %j; if %out { break ^l }
			%v = load @x[%j]; store @y[%i], %v; %m = add.u32 %j, %j; %o = add.u32 %m, 1_u32; continue ^l (%o) }`, false},
	{"rounds that load from where the one before tells", "", `%w = loop ^l (%j: u32 = %i, %k: u32 = 0_u32) -> (u32) { %out = le.u32 %i, %k; if %out { break ^l (%j) }
			%v = load @x[%j]; %h = and.u32 %v, 127_u32; %a = add.u32 %h, %k; %b = and.u32 %a, 127_u32; %m = add.u32 %k, 1_u32; continue ^l (%b, %m) }
		store @y[%i], %w`, true},
	{"rounds that load from where a counter tells", "", `%w = loop ^l (%s: u32 = %i, %k: u32 = 0_u32) -> (u32) { %out = le.u32 %i, %k; if %out { break ^l (%s) }
			%j = mul.u32 %i, %k; %v = load @x[%j]; %a = add.u32 %v, %s; %m = add.u32 %k, 1_u32; continue ^l (%a, %m) }
		store @y[%i], %w`, false},
	{"a local array", "local @l: u32[4]", `loop ^l (%j: u32 = 0_u32) { %out = le.u32 4_u32, %j; if %out { break ^l }
			%v = load @x[%j]; store @l[%j], %v; %m = add.u32 %j, 1_u32; continue ^l (%m) }
		%h = and.u32 %i, 3_u32; %w = load @l[%h]; store @y[%i], %w`, false},
	{"a barrier", "", `loop ^l (%j: u32 = 0_u32) { %out = le.u32 4_u32, %j; if %out { break ^l }
			%v = load @x[%j]; store @y[%i], %v; barrier.wg; %m = add.u32 %j, 1_u32; continue ^l (%m) }`, false},
	{"vectors that go different ways", "", `%r = shr.u32 %i, 3_u32; %b = and.u32 %r, 1_u32; %is = eq.u32 %b, 0_u32
		loop ^l (%j: u32 = 0_u32) { %out = le.u32 9_u32, %j; if %out { break ^l }; if %is { %k = add.u32 %j, %i; %v = load @x[%k]; store @y[%k], %v }
			%m = add.u32 %j, 1_u32; continue ^l (%m) }`, false},
}

func TestVectorsGoInStep(t *testing.T) {
	for _, k := range stepKernels {
		t.Run(k.name, func(t *testing.T) {
			source := "vyre 1\nkernel @step workgroup(64) {\nparam @x: buf<u32> ro\nparam @y: buf<u32> rw\n" + k.local + "\n%i = global.x\n" + strings.ReplaceAll(k.body, "; ", "\n") + "\n}"
			ps, err := text.Parse("test", source)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range native.Targets() {
				l, err := native.List(ps[0], target)
				if err != nil {
					t.Fatal(err)
				}
				if (l.InStep > 1) != k.inStep {
					t.Errorf("%s: code is for %d vectors", target, l.InStep)
				}
			}
			needs.MachineCode(t, native.Available())
			data := make([]byte, 512)
			for i := range data {
				data[i] = byte(i * i >> 3)
			}
			l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Data: data}, {Data: make([]byte, 512)}}}
			compare(t, ps[0], l, forced{}, forced{code: native.Options{Vectors: 2}}, forced{code: native.Options{Vectors: 4}, run: native.RunOptions{Polls: 1}})
		})
	}
}
