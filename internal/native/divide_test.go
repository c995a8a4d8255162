package native_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
)

// Quotients next to integers, where an approximation would go wrong: dividends one below, at and one above multiples, of all
// lengths, in vectors where all operands are short and in others.
func TestQuotientsNextToIntegers(t *testing.T) {
	k := kernelOf(t, `kernel @divide workgroup(32) {
		param @a: buf<u64> ro
		param @b: buf<u64> ro
		param @q: buf<u64> wo
		param @r: buf<u64> wo
		%i = global.x
		%x = load @a[%i]
		%y = load @b[%i]
		%d = div.u64 %x, %y
		%m = rem.u64 %x, %y
		store @q[%i], %d
		store @r[%i], %m
	}`)
	const n = 1 << 15
	in := &launch.Launch{Grid: [3]uint32{n / 32, 1, 1}}
	for range 4 {
		in.Args = append(in.Args, launch.Arg{Mem: aligned(make([]byte, 8*n))})
	}
	at := func(arg, i int) []byte { return in.Args[arg].Mem[8*i:] }
	rng := rand.New(rand.NewPCG(3, 5))
	for i := range n {
		bits := 52 - i/8%2*rng.IntN(2) // of the product
		if i/8%16 == 15 {
			bits = 64
		}
		b := 1 + rng.Uint64()>>(64-1-rng.IntN(bits-1))
		q := 1<<bits/2/b + rng.Uint64N(1+(1<<(bits-1)-1)/b)
		binary.LittleEndian.PutUint64(at(0, i), q*b+rng.Uint64N(3)-1)
		binary.LittleEndian.PutUint64(at(1, i), b)
	}
	if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		a, b := binary.LittleEndian.Uint64(at(0, i)), binary.LittleEndian.Uint64(at(1, i))
		q, r := binary.LittleEndian.Uint64(at(2, i)), binary.LittleEndian.Uint64(at(3, i))
		if q != a/b || r != a%b {
			t.Fatalf("%d/%d is %d, rest %d; want %d, rest %d", a, b, q, r, a/b, a%b)
		}
	}
}
