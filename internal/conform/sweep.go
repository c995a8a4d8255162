package conform

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Sweep compares a function on a device with the op table, on blocks of arguments that are neighbours. The
// device returns one number for each block, a sum that depends on every result, so a sweep over all 2³²
// arguments is bound by the evaluation on this side. The zero values of the last two are right for a GPU.
type Sweep struct {
	Function Function
	From, To int // the blocks to look at; of 4096 at the usual size
	Stride   int // look at every Stride-th only
	Workers  int // goroutines that evaluate here; 0 is one

	Block  int // arguments in a block, a power of two from 2¹⁴ on; 0 is SweepBlock
	Launch int // blocks in a launch; 0 is 64
}

// SweepBlock is the usual number of arguments in a block, and SweepBlocks how many of these there are.
const (
	SweepBlock  = 1 << 20
	SweepBlocks = 1 << 32 / SweepBlock
)

// Swept is how far a sweep came.
type Swept struct {
	Blocks int     // compared
	Wrong  []error // one for each block that differs
	Resume int     // the first block that was not looked at
}

// sweepGroup is how many arguments a group of 256 invocations takes.
const sweepGroup = 1 << 14

// Run sweeps until the range or ctx ends. Blocks that differ are compared again, value by value,
// with the interpreter, and described in Wrong; the error is for what went wrong beside that.
func (s Sweep) Run(ctx context.Context, d Device) (Swept, error) {
	s.Block, s.Launch, s.Stride = cmp.Or(s.Block, SweepBlock), cmp.Or(s.Launch, 64), max(1, s.Stride)
	if s.Block < sweepGroup || s.Block&(s.Block-1) != 0 {
		return Swept{}, fmt.Errorf("a block of %d arguments is no power of two from %d on", s.Block, sweepGroup)
	}
	out := Swept{Resume: s.From}
	p := s.Function.sumProgram()
	type job struct {
		block int
		sum   uint64
	}
	var (
		jobs  = make(chan job, s.Launch)
		wrong = make(chan int, 1<<32/s.Block) // room for all, so that no worker waits
	)
	wait := s.workers(func() {
		bulk := NewBulk(s.Function)
		for j := range jobs {
			if s.expected(bulk, j.block) != j.sum {
				wrong <- j.block
			}
		}
	})
	err := func() error {
		for first := s.From; first < s.To && ctx.Err() == nil; {
			// With a stride, a launch takes one block.
			n := min(s.Launch, s.To-first)
			if s.Stride > 1 {
				n = 1
			}
			sums, err := s.sums(ctx, d, p, first, n)
			if err != nil {
				return err
			}
			for i, sum := range sums {
				jobs <- job{first + i, sum}
			}
			out.Blocks += n
			first += n * s.Stride
			out.Resume = min(first, s.To)
		}
		return nil
	}()
	close(jobs)
	wait()
	close(wrong)
	if ctx.Err() != nil {
		err = nil // how far it came says it
	}
	for block := range wrong {
		out.Wrong = append(out.Wrong, s.describe(d, block))
	}
	return out, err
}

// workers starts the goroutines that evaluate, and returns what waits for them.
func (s Sweep) workers(f func()) (wait func()) {
	var running sync.WaitGroup
	for range max(1, s.Workers) {
		running.Go(f)
	}
	return running.Wait
}

// sums has the device evaluate n blocks.
func (s Sweep) sums(ctx context.Context, d Device, p *ir.Program, first, n int) ([]uint64, error) {
	l := Launch{Grid: [3]uint32{uint32(n * (s.Block / sweepGroup)), 1, 1}, Args: []Arg{
		{Bits: uint64(first) * uint64(s.Block)}, {Bits: uint64(s.Block / sweepGroup)}, {Data: make([]byte, 8*n)}}}
	got, err := d.Run(ctx, p, l)
	if err != nil {
		return nil, err
	}
	sums := make([]uint64, n)
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint64(got.Buffers[2][8*i:])
	}
	return sums, nil
}

// expected is the sum of a block, evaluated here.
func (s Sweep) expected(bulk *Bulk, block int) (sum uint64) {
	out := s.Function.Out
	bulk.Range(uint32(block*s.Block), s.Block, func(at uint32, results []uint64) {
		weight := 2*uint64(at) + 1
		for _, r := range results {
			if isNaN(out, r) {
				r = canonicalNaN(out)
			}
			sum += (r + 1) * weight
			weight += 2
		}
	})
	return sum
}

// describe finds the first argument of a block on which the device differs from the interpreter.
func (s Sweep) describe(d Device, block int) error {
	p, ctx := s.Function.program(), context.Background()
	l := Launch{Grid: [3]uint32{uint32(s.Block / 256), 1, 1}, Args: []Arg{
		{Bits: uint64(block) * uint64(s.Block)}, {Data: make([]byte, s.Block*s.Function.Out.Size())}}}
	got, err := d.Run(ctx, p, l)
	if err != nil {
		return fmt.Errorf("%s, block %d: the sums differ, and running it once more: %w", s.Function, block, err)
	}
	want, err := Interp(interp.Options{}).Run(ctx, p, l)
	if err != nil {
		return fmt.Errorf("%s, block %d: the sums differ, and on the interpreter: %w", s.Function, block, err)
	}
	t := s.Function.Out
	for i := range s.Block {
		g, w := t.ReadElem(got.Buffers[1][i*t.Size():]), t.ReadElem(want.Buffers[1][i*t.Size():])
		if g != w && !(isNaN(t, g) && isNaN(t, w)) {
			x := uint64(block)*uint64(s.Block) + uint64(i)
			return fmt.Errorf("%s of %s is %s, want %s", s.Function, show(ir.F32, x), show(t, g), show(t, w))
		}
	}
	return fmt.Errorf("%s, block %d: the sums differ, but value by value the device agrees with the interpreter", s.Function, block)
}

// canonicalNaN is what Builder.CanonNaN makes of a NaN of type t.
func canonicalNaN(t ir.Type) uint64 {
	switch t {
	case ir.F64:
		return 0x7FF8_0000_0000_0000
	case ir.F16:
		return 0x7E00
	case ir.BF16:
		return 0x7FC0
	}
	return 0x7FC0_0000
}

// apply writes the function of the f32 with the given bits.
func (f Function) apply(b *build.Builder, bits build.Value) build.Value {
	return OpCase{op: f.Op, in: []ir.Type{ir.F32}, out: f.Out}.apply(b, []build.Value{b.Bitcast(ir.F32, bits)})
}

// program stores the function of base + g to out[g].
func (f Function) program() *ir.Program {
	b := build.New("function", build.Workgroup(256))
	base, out := b.Scalar("base", ir.U32), b.Buffer("out", f.Out, ir.WO)
	g := b.Global(0)
	b.Store(out, g, f.apply(b, b.Add(base, g)))
	return must(b.Program())
}

// sumProgram adds to out[block] the results of each block, each plus one and weighted by twice its argument
// plus one, modulo 2⁶⁴. The weights are odd, so one wrong result always shows.
func (f Function) sumProgram() *ir.Program {
	b := build.New("sums", build.Workgroup(256))
	base, groups := b.Scalar("base", ir.U32), b.Scalar("groups", ir.U32) // groups of a block
	out := b.Buffer("out", ir.U64, ir.RW)
	bits := b.Var(b.Add(b.Add(base, b.Mul(b.Group(0), b.U32(sweepGroup))), b.Local(0)))
	sum := b.Var(b.U64(0))
	b.For(b.U32(0), b.U32(sweepGroup/256), b.U32(1), func(build.Value, build.Label) {
		x := bits.Get()
		r := b.Add(rawU64(b, f.apply(b, x)), b.U64(1))
		sum.Set(b.Add(sum.Get(), b.Mul(r, b.Add(b.Shl(b.Cvt(ir.U64, x), b.U32(1)), b.U64(1)))))
		bits.Set(b.Add(x, b.U32(256)))
	})
	all := b.Op(ir.OpReduceAdd, sum.Get())
	b.If(b.Op(ir.OpElect), func() {
		b.Atomic(ir.OpAtomicAdd, out, ir.Relaxed, ir.Device, b.Div(b.Group(0), groups), all)
	})
	return must(b.Program())
}

// rawU64 is the bits of v with one NaN for all, zero-extended.
func rawU64(b *build.Builder, v build.Value) build.Value {
	switch t := b.Type(v); t {
	case ir.F64:
		return b.Bitcast(ir.U64, b.CanonNaN(v))
	case ir.F32, ir.F16, ir.BF16:
		return b.Cvt(ir.U64, b.Bitcast(ir.U32, b.CanonNaN(v)))
	case ir.I32:
		return b.Cvt(ir.U64, b.Bitcast(ir.U32, v))
	case ir.I64:
		return b.Bitcast(ir.U64, v)
	case ir.U64:
		return v
	default:
		return b.Cvt(ir.U64, v)
	}
}
