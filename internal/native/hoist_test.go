package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// counts is a loop of atomics here and there on shared memory, whose indices are made of a word and of constants.
const counts = `vyre 1
kernel @counts workgroup(64) {
param @x: buf<u32> ro
param @y: buf<u32> rw
shared @t: u32[512]
%l = local.x
%i = global.x
%lane = lane
loop ^z (%k: u32 = %l) {
  %over = le.u32 512_u32, %k
  if %over { break ^z }
  store @t[%k], 0_u32
  %more = add.u32 %k, 64_u32
  continue ^z (%more)
}
barrier.wg
loop ^l (%j: u32 = %i) {
  %end = le.u32 400_u32, %j
  if %end { break ^l }
  %v = load @x[%j]
STEPS  %next = add.u32 %j, 128_u32
  continue ^l (%next)
}
barrier.wg
%s = load @t[%l]
%from = add.u32 %l, 256_u32
%u = load @t[%from]
%sum = add.u32 %s, %u
store @y[%i], %sum
}`

func countsProgram(t *testing.T) *ir.Program {
	t.Helper()
	var steps strings.Builder
	for n := range 8 {
		fmt.Fprintf(&steps, "  %%a%d = shr.u32 %%v, %d_u32\n  %%b%d = and.u32 %%a%d, 15_u32\n  %%c%d = shl.u32 %%b%d, 5_u32\n  %%d%d = add.u32 %%lane, %%c%d\n  atomic_add.relaxed.wg @t[%%d%d], %d_u32\n",
			n, 3*n, n, n, n, n, n, n, n, n+1)
	}
	ps, err := text.Parse("counts.vyre", strings.Replace(counts, "STEPS", steps.String(), 1))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := opt.Run(ps[0], opt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Between stores here and there a loop reads nothing of the group's frame that it could have had before.
func TestLoopsReadConstantsFromRegisters(t *testing.T) {
	p := countsProgram(t)
	for _, target := range []string{"amd64.avx2", "amd64.avx512"} {
		l, err := native.List(p, target)
		if err != nil {
			t.Fatal(err)
		}
		// The first copy, for whole vectors: what follows goes on where their lanes parted.
		atomics := 0
		for _, line := range l.Lines {
			if line.Place != "" || line.Row == ir.NoRow {
				continue
			}
			op := p.Op(line.Row)
			if op == ir.OpAtomicAdd && line.Op == "add" {
				if atomics++; atomics == 8*8 {
					break
				}
			}
			if atomics > 0 && strings.Contains(line.Args, "[rdi") {
				t.Errorf("%s: %s reads the group's frame: %s %s", target, op, line.Op, line.Args)
			}
		}
		if atomics != 8*8 {
			t.Errorf("%s: %d atomics stand in the loop", target, atomics)
		}
	}
}

// What has no register is read where it was, and code means the same whatever registers there are.
func TestCopiesBeforeLoopsChangeNothing(t *testing.T) {
	needs.MachineCode(t, native.Available())
	p := countsProgram(t)
	data := make([]byte, 1600)
	for i := range data {
		data[i] = byte(i * i >> 2)
	}
	l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Data: data}, {Data: make([]byte, 512)}}}
	var all []forced
	for _, target := range native.HostTargets() {
		for _, n := range []int{0, 1, 2, 4, 7} {
			all = append(all, forced{name: fmt.Sprint(target, " ", n), code: native.Options{Target: target, Registers: n}, run: native.RunOptions{Polls: 1 + n%2*1000}})
		}
	}
	compare(t, p, l, all...)
}
