package native_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// singles are the engine with code for one invocation at a time wherever that can be, under what happens seldom.
func singles() []forced {
	yes := true
	var all []forced
	for _, target := range native.HostTargets() {
		all = append(all, forced{name: target, code: native.Options{Target: target, Single: &yes}})
	}
	return append(all,
		forced{name: "registers that only some targets have", code: native.Options{Single: &yes, Upper: true}},
		forced{name: "one general register and two vectors", code: native.Options{Single: &yes, General: 1, Registers: 2}},
		forced{name: "a poll a round", code: native.Options{Single: &yes, General: 3}, run: native.RunOptions{Polls: 1}},
		forced{name: "a poll a round, all registers", code: native.Options{Single: &yes}, run: native.RunOptions{Polls: 1}})
}

// One invocation at a time gives the interpreter's bits: in the conformance suite, and in random programs.
func TestOneInvocationAtATime(t *testing.T) {
	needs.MachineCode(t, native.Available())
	for _, d := range singles() {
		t.Run(d.name, func(t *testing.T) {
			var no *native.UnsupportedError
			for _, f := range conform.Suite() {
				if f.Name == "launch" { // which is about what a device refuses
					continue
				}
				for i, c := range f.Cases() {
					if c.Host != nil || !long.Turn(i, 12) {
						continue
					}
					if err := conform.Try(context.Background(), d, &c); err != nil && !errors.Is(err, conform.ErrSkipped) && !errors.As(err, &no) {
						t.Fatalf("%s: %v", &c, err)
					}
				}
			}
			for seed := range long.Seeds(t, 20, 1000, 30_000) {
				p := conform.Random(seed + 11_000)
				switch seed % 4 {
				case 3:
					p = conform.RandomShapes(seed + 11_000)
				case 1:
					p = conform.RandomWide(seed + 11_000)
				}
				if err := agree(p, d); err != nil && !errors.As(err, &no) {
					t.Fatalf("seed %d: %v\n%s", seed+11_000, err, p.Describe())
				}
			}
		})
	}
}

// Code is for one invocation where lanes part in loops and access memory one by one, and only there.
// A conversion to half precision has its result for itself: where it is the last of an arm, it cannot be told to write what
// the arm yields.
func TestHalvesAtTheEndOfAnArm(t *testing.T) {
	needs.MachineCode(t, native.Available())
	ps, err := text.Parse("k.vyre", `vyre 1

		kernel @k workgroup(1) {
			param @x: buf<f16> ro
			param @y: buf<f16> wo
			%i = global.x
			%a = load @x[%i]
			%low = lt.u32 %i, 1_u32
			%r = if %low -> (f16) {
				store @y[%i], %a
				%b = add.f16 %a, 0.5_f16
				yield %b
			} else {
				store @y[%i], %a
				%c = mul.f16 %a, 2_f16
				yield %c
			}
			store @y[%i], %r
		}`)
	if err != nil {
		t.Fatal(err)
	}
	l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Data: []byte{0, 0x3c, 0, 0x40}}, {Data: make([]byte, 4)}}}
	for _, d := range singles() {
		out, err := d.Run(t.Context(), ps[0], l)
		if err != nil {
			t.Fatal(err)
		}
		if want := []byte{0, 0x3e, 0, 0x44}; !bytes.Equal(out.Buffers[1], want) { // 1.5 and 4
			t.Errorf("%s: %x, want %x", d.name, out.Buffers[1], want)
		}
	}
}

func TestWhereCodeIsForOneInvocation(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"a chase through a list": {`%i = global.x
			%last = loop ^l (%at: u32 = %i) -> (u32) {
				%next = load @x[%at]
				%end = eq.u32 %next, 0_u32
				if %end { break ^l (%at) }
				store @y[%next], %at
				continue ^l (%next)
			}
			store @y[%i], %last`, 1},
		"the same until all have gone as far": {`%i = global.x
			%n = len @x
			%last = loop ^l (%k: u32 = 0_u32, %at: u32 = %i) -> (u32) {
				%end = le.u32 %n, %k
				if %end { break ^l (%at) }
				%next = load @x[%at]
				%m = add.u32 %k, 1_u32
				continue ^l (%m, %next)
			}
			store @y[%i], %last`, 8},
		"a recurrence of each lane's own length": {`%i = global.x
			%last = loop ^l (%v: u32 = %i) -> (u32) {
				%end = lt.u32 %v, 5_u32
				if %end { break ^l (%v) }
				%h = shr.u32 %v, 1_u32
				%w = sub.u32 %v, %h
				%u = xor.u32 %w, 3_u32
				continue ^l (%u)
			}
			store @y[%i], %last`, 8},
		"a chase that waits for its group": {`%i = global.x
			%last = loop ^l (%at: u32 = %i) -> (u32) {
				%next = load @x[%at]
				%end = eq.u32 %next, 0_u32
				if %end { break ^l (%at) }
				store @y[%next], %at
				continue ^l (%next)
			}
			barrier.wg
			store @y[%i], %last`, 8},
	} {
		t.Run(name, func(t *testing.T) {
			ps, err := text.Parse("test", "vyre 1\nkernel @k workgroup(64) {\n param @x: buf<u32> ro\n param @y: buf<u32> rw\n"+c.body+"\n}")
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range []string{"amd64.avx2", "amd64.avx512", "arm64.neon"} {
				l, err := native.List(ps[0], target)
				if err != nil {
					t.Fatal(err)
				}
				if l.Lanes != c.want {
					t.Errorf("%s: code is for %d invocations, want %d", target, l.Lanes, c.want)
				}
			}
		})
	}
}
