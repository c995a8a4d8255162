package native_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// One store of what all lanes have is left out where no lane is active, which with vectors in step is so for one of them while
// another goes on, and where the element is outside.
func TestStoreOfOneForAll(t *testing.T) {
	needs.MachineCode(t, native.Available())
	const rounds, length, beyond = 16, 54, 64
	together := false
	for elem, size := range map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8} {
		store := "store @x[%at], %m"
		if size == 8 {
			store = "%n = cvt.u64.u32 %m; store @x[%at], %n"
		}
		ps, err := text.Parse("test", fmt.Sprintf(`vyre 1
		kernel @ones workgroup(8, 4) {
			param @x: buf<%s> rw
			%%l = local.x
			%%v = local.y
			%%some = mul.u32 %%v, 2_u32
			%%less = xor.u32 %%l, 7_u32
			%%end = add.u32 %%less, %%some
			%%row = mul.u32 %%v, %d_u32
			loop ^l (%%k: u32 = 0_u32) {
				%%done = lt.u32 %%end, %%k
				if %%done { break ^l }
				%%at = add.u32 %%row, %%k
				%%m = add.u32 %%at, 1_u32
				%s
				%%p = add.u32 %%k, 1_u32
				continue ^l (%%p)
			}
		}`, elem, rounds, store))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []native.Options{{}, {Vectors: 1}, {Vectors: 2}, {Vectors: 4}, {Registers: 2}, {Alone: &together}} {
			k, err := native.New(ps[0], o)
			if err != nil {
				t.Fatal(err)
			}
			mem := aligned(make([]byte, size*beyond))
			_, err = k.Run(context.Background(), &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem[:size*length]}}}, native.RunOptions{})
			k.Close()
			if err != nil {
				t.Fatal(err)
			}
			for i := range beyond {
				want := byte(i + 1)
				if i >= length || i%rounds > 7+2*(i/rounds) {
					want = 0
				}
				if mem[size*i] != want {
					t.Errorf("%s, %+v: x[%d] is %d, want %d", elem, o, i, mem[size*i], want)
				}
			}
		}
	}
}
