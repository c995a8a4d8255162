package native_test

import (
	"context"
	"testing"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
)

// A copy of a copy takes the place of what it is of only if nothing else reads that: here the result of the block, which as many
// instructions read after it was copied as read what it is a copy of before.
func TestCopiesOfCopies(t *testing.T) {
	k := kernelOf(t, `kernel @copies workgroup(8) {
		param @x: buf<u32> rw
		%i = global.x
		%d = block ^b -> (u32) {
			%a = add.u32 %i, 5_u32
			%y = mul.u32 %a, 3_u32
			store @x[%i], %y
			break ^b (%a)
		}
		%e = loop ^l (%k: u32 = %d, %n: u32 = 1_u32) -> (u32) {
			%m = add.u32 %k, 2_u32
			%done = le.u32 20_u32, %n
			if %done { break ^l (%m) }
			%p = add.u32 %n, 1_u32
			continue ^l (%m, %p)
		}
		%s = mul.u32 %e, %d
		%j = add.u32 %i, 8_u32
		store @x[%j], %s
	}`)
	mem := aligned(make([]byte, 4*16))
	if _, err := k.Run(context.Background(), &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem}}}, native.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(8) {
		d := i + 5
		for at, want := range map[uint32]uint32{i: 3 * d, i + 8: (d + 40) * d} {
			if got := uint32(mem[4*at]) | uint32(mem[4*at+1])<<8; got != want {
				t.Errorf("x[%d] is %d, want %d", at, got, want)
			}
		}
	}
}
