package conform

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/ir"
)

// sweeps are the conversions that SweepF32 runs over all 2³² values.
var sweeps = []ir.Type{ir.I32, ir.U32, ir.F16, ir.BF16}

// SweepF32 converts every one of the 2³² f32 values to i32, u32, f16 and bf16 on a device
// and compares all results with the op table. It takes minutes. Only every stride-th block of 2²⁰
// values is looked at; 1 is all.
func SweepF32(ctx context.Context, d Device, stride int) error {
	const block = 1 << 20
	for _, to := range sweeps {
		p := sweepProgram(to)
		out := make([]byte, block*to.Size())
		for base := uint64(0); base < 1<<32; base += uint64(stride) * block {
			l := Launch{Grid: [3]uint32{block / 256, 1, 1}, Args: []Arg{{Bits: base}, {Data: out}}}
			got, err := d.Run(ctx, p, l)
			if err != nil {
				return err
			}
			for i := range uint64(block) {
				g := bitsOf(to, got.Buffers[1][i*uint64(to.Size()):])
				w := ir.Eval(ir.OpCvt, ir.F32, to, 0, base+i, 0, 0)
				if g != w && !(isNaN(to, g) && isNaN(to, w)) {
					return fmt.Errorf("%s to %s is %s, want %s", show(ir.F32, base+i), to, show(to, g), show(to, w))
				}
			}
		}
	}
	return nil
}

// sweepProgram converts base + g, read as an f32.
func sweepProgram(to ir.Type) *ir.Program {
	b := ir.New("sweep", ir.Workgroup(256))
	base, out := b.Scalar("base", ir.U32), b.Buffer("out", to, ir.WO)
	g := b.Global(0)
	b.Store(out, g, b.Cvt(to, b.Bitcast(ir.F32, b.Add(base, g))))
	return must(b.Program())
}
