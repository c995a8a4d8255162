package native_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// upperFirst is AVX-512 with the registers first that only it has.
func upperFirst(t *testing.T) forced {
	needs.MachineCode(t, native.Available())
	if !slices.Contains(native.HostTargets(), "amd64.avx512") {
		t.Skip("the processor, or the system, has no AVX-512")
	}
	return forced{name: "upper registers", code: native.Options{Target: "amd64.avx512", Upper: true}}
}

// Every op, and some of the suite, is right in registers that only AVX-512 has.
func TestUpperRegisters(t *testing.T) {
	d := upperFirst(t)
	rng := rand.New(rand.NewPCG(3, 4))
	try := func(c *conform.Case) {
		var none *native.UnsupportedError
		if err := conform.Try(context.Background(), d, c); err != nil && !errors.Is(err, conform.ErrSkipped) && !errors.As(err, &none) {
			t.Errorf("%s: %v", c, err)
		}
	}
	for _, op := range ir.Ops() {
		for _, o := range conform.OpCases(op) {
			c := chosen(rng, &o, 11)
			try(&c)
		}
	}
	every := long.Count(16, 2, 1)
	for _, f := range conform.Suite() {
		for i, c := range f.Cases() {
			if c.Program != nil && c.Host == nil && i%every == 0 && f.Name != "launch" && f.Name != "trace" { // those are for devices
				try(&c)
			}
		}
	}
}

// logicProgram is a random tree of logic on words, with branches on what it computes, and how many instructions it has.
func logicProgram(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("kernel @logic workgroup(32) {\n\tparam @x: buf<u32> ro\n\tparam @y: buf<u32> rw\n\t%i = global.x\n")
	b.WriteString("\t%j = add.u32 %i, 32_u32\n\t%k = add.u32 %i, 64_u32\n\t%v0 = load @x[%i]\n\t%v1 = load @x[%j]\n\t%v2 = load @x[%k]\n")
	b.WriteString("\t%b0 = lt.u32 %v0, %v1\n\t%b1 = lt.u32 %v1, %v2\n")
	words, bools := 3, 2
	word := func() string { return fmt.Sprintf("%%v%d", max(0, words-1-rng.IntN(4))) }
	mask := func() string { return fmt.Sprintf("%%b%d", max(0, bools-1-rng.IntN(3))) }
	op := func() string { return []string{"and", "or", "xor"}[rng.IntN(3)] }
	for range 4 + rng.IntN(24) {
		switch rng.IntN(7) {
		case 0:
			fmt.Fprintf(&b, "\t%%v%d = not.u32 %s\n", words, word())
			words++
		case 1:
			fmt.Fprintf(&b, "\t%%v%d = select.u32 %s, %s, %s\n", words, mask(), word(), word())
			words++
		case 2:
			fmt.Fprintf(&b, "\t%%b%d = %s.bool %s, %s\n", bools, op(), mask(), mask())
			bools++
		case 3:
			fmt.Fprintf(&b, "\t%%b%d = not.bool %s\n", bools, mask())
			bools++
		case 4:
			fmt.Fprintf(&b, "\t%%v%d = if %s -> (u32) {\n\t\t%%s%d = %s.u32 %s, %s\n\t\tyield %%s%d\n\t} else {\n\t\tyield %s\n\t}\n", words, mask(), words, op(), word(), word(), words, word())
			words++
		default:
			fmt.Fprintf(&b, "\t%%v%d = %s.u32 %s, %s\n", words, op(), word(), word())
			words++
		}
	}
	fmt.Fprintf(&b, "\tstore @y[%%i], %%v%d\n}\n", words-1)
	return b.String()
}

// Whatever tree of logic is made fewer instructions, it gives the bits of the program as it stands.
func TestLogicIsFusedToTheSameBits(t *testing.T) {
	d := upperFirst(t)
	d.code.Upper = false
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 400 {
		source := logicProgram(rng)
		ps, err := text.Parse("logic", "vyre 1\n"+source)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		if d.code.Registers = 0; n%2 == 0 {
			d.code.Registers = 1 + rng.IntN(4)
		}
		data := make([]byte, 4*96)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		l := conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{{Data: data}, {Data: make([]byte, 4*32)}}}
		want, err := conform.Interp(interp.Options{}).Run(context.Background(), ps[0], l)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Run(context.Background(), ps[0], l)
		if err != nil || !slices.Equal(got.Buffers[1], want.Buffers[1]) {
			t.Fatalf("program %d gives other bits, or %v:\n%s", n, err, source)
		}
	}
}

// What hashes choose, their majority and their parity are an instruction each; so is a value that a loop keeps for lanes
// that have left it.
func TestFunctionsOfThreeValuesAreOneInstruction(t *testing.T) {
	ps, err := text.Parse("hash", `vyre 1
kernel @hash workgroup(32) {
	param @x: buf<u32> rw
	%i = global.x
	%j = add.u32 %i, 32_u32
	%k = add.u32 %i, 64_u32
	%e = load @x[%i]
	%f = load @x[%j]
	%g = load @x[%k]
	%ef = and.u32 %e, %f
	%no = not.u32 %e
	%eg = and.u32 %no, %g
	%choice = xor.u32 %ef, %eg
	%fg = and.u32 %f, %g
	%ge = and.u32 %g, %e
	%m = xor.u32 %ef, %ge
	%majority = xor.u32 %m, %fg
	%p = xor.u32 %e, %f
	%parity = xor.u32 %p, %g
	store @x[%i], %choice
	store @x[%j], %majority
	store @x[%k], %parity
}`)
	if err != nil {
		t.Fatal(err)
	}
	l, err := native.List(ps[0], "amd64.avx512")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{} // by instruction, the rows that it is for
	for _, line := range l.Lines {
		if line.Place == "" && line.Row != ir.NoRow && ps[0].Op(line.Row).Info().Attr&ir.Pure != 0 {
			of[line.Op] = append(of[line.Op], ps[0].ValueName(line.Row))
		}
	}
	if got := of["vpternlogd"]; !slices.Equal(got, []string{"choice", "majority", "parity"}) {
		t.Errorf("vpternlogd is for %v", got)
	}
	if got := append(of["vpxor"], of["vpxord"]...); len(got) > 0 {
		t.Errorf("vpxor is for %v", got)
	}
}
