package native_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
)

// Groups that code runs one after the other, without Go between them, have their own numbers: along all axes, and in what
// is said of a trap.
func TestGroupsOfABlockKnowTheirNumbers(t *testing.T) {
	k := kernelOf(t, `kernel @numbers workgroup(8, 2) {
		param @x: buf<u32> rw
		%gx = group.x
		%gy = group.y
		%gz = group.z
		%i = global.x
		%j = local.y
		%a = mul.u32 %gy, 1000_u32
		%b = mul.u32 %gz, 100000_u32
		%c = add.u32 %a, %b
		%v = add.u32 %c, %i
		%row = mul.u32 %gz, 3_u32
		%rows = add.u32 %row, %gy
		%from = mul.u32 %rows, 40_u32
		%at = add.u32 %from, %i
		%first = eq.u32 %j, 0_u32
		if %first { store @x[%at], %v }
		%sum = add.u32 %rows, %gx
		%bad = eq.u32 %sum, 6_u32
		%wide = cvt.u64.u32 %v
		trap %bad, %wide, #7
	}`)
	const x, y, z = 5, 3, 2
	for _, workers := range []int{1, 2} {
		in := &launch.Launch{Grid: [3]uint32{x, y, z}, Args: []launch.Arg{{Mem: aligned(make([]byte, 4*8*x*y*z))}}}
		res, err := k.Run(context.Background(), in, native.RunOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint32(8 * x * y * z) {
			row := n / 40
			if got, want := binary.LittleEndian.Uint32(in.Args[0].Mem[4*n:]), row/y*100000+row%y*1000+n%40; got != want {
				t.Fatalf("%d workers: element %d is %d, want %d", workers, n, got, want)
			}
		}
		if res.Trap == nil || res.Trap.By.Group != [3]uint32{4, 2, 0} || res.Trap.Value != 2032 {
			t.Errorf("%d workers: trap %+v, want one of group 4, 2, 0 with 2032", workers, res.Trap)
		}
	}
}
