package machine_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// device runs the PTX of programs. Each buffer is an allocation of its own, so an access beyond it is a
// fault.
type device struct {
	target ptx.Target
	seed   uint64
	// findings makes a finding an error.
	findings bool
	// saw, if set, gets what each launch reports, races included.
	saw func(machine.Report)
	// edit, if set, changes the text before it is read.
	edit func(string) string
}

func (d device) Name() string { return fmt.Sprintf("simulated %s, seed %d", d.target, d.seed) }

// Units says which products of matrices the target has, and by which generation.
func (d device) Units() (generation, forms string) {
	return matrix.GenerationOf(d.target.SM/10, d.target.SM%10).String(), matrix.Offered(d.target.SM)
}

// What a trace ring has room for.
const (
	ringHeader  = 32
	ringRecord  = 40
	ringRecords = 1024
)

func (d device) Run(ctx context.Context, p *ir.Program, l conform.Launch) (out conform.Outcome, err error) {
	emitted, err := ptx.Compile(p, d.target, ptx.Options{Passes: compile.Choice{Level: compile.O0}})
	if err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, emitted.Text)
		}
	}()
	if d.edit != nil {
		emitted.Text = d.edit(emitted.Text)
	}
	k := &emitted.Kernels[0]
	module, err := asm.Parse(emitted.Text)
	if err != nil {
		return out, err
	}
	mem := machine.NewMemory()
	mem.Matrix = matrix.GenerationOf(d.target.SM/10, d.target.SM%10)
	image, err := machine.Load(module, mem)
	if err != nil {
		return out, err
	}
	params := make([]byte, k.Params.Bytes)
	alloc := func(b []byte, label string) uint64 {
		addr, err := mem.Alloc(int64(max(1, len(b))), label)
		if err == nil {
			err = mem.Write(addr, b)
		}
		if err != nil {
			panic(err)
		}
		return addr
	}
	base := make([]uint64, len(l.Args))
	size := make([]int, len(l.Args))
	for i, q := range p.Params() {
		if q.IsBuffer() && l.Args[i].Part == nil {
			base[i], size[i] = alloc(l.Args[i].Data, q.Name), len(l.Args[i].Data)
		}
	}
	for i, q := range p.Params() {
		slot, arg := k.Params.Slots[i], l.Args[i]
		if arg.Part != nil {
			base[i], size[i] = base[arg.Part.Of]+uint64(arg.Part.Off), arg.Part.Len
		}
		switch {
		case q.IsBuffer():
			binary.LittleEndian.PutUint64(params[slot.Offset:], base[i])
			binary.LittleEndian.PutUint64(params[slot.Len:], uint64(size[i]/q.Bytes()))
		case slot.Size == 4:
			binary.LittleEndian.PutUint32(params[slot.Offset:], uint32(widened(q.Type, arg.Bits)))
		default:
			binary.LittleEndian.PutUint64(params[slot.Offset:], arg.Bits)
		}
	}
	hide := func(offset int, b []byte, label string) uint64 {
		if offset < 0 {
			return 0
		}
		addr := alloc(b, label)
		binary.LittleEndian.PutUint64(params[offset:], addr)
		return addr
	}
	hide(k.Params.Grid, make([]byte, 128), "barrier block")
	trap := hide(k.Params.Trap, make([]byte, 64), "trap record")
	ring := make([]byte, ringHeader+ringRecord*ringRecords)
	binary.LittleEndian.PutUint32(ring[4:], ringRecords)
	trace := hide(k.Params.Trace, ring, "trace ring")

	report, err := image.Kernel(k.Entry).Run(ctx, machine.Launch{Grid: l.Grid, Block: p.Workgroup(), Shared: k.Dynamic + l.Rest*k.RestElem,
		Params: params, Together: p.Traits().Resident, Seed: d.seed, Budget: 1 << 26, Races: d.findings || d.saw != nil})
	if d.saw != nil {
		d.saw(report)
	}
	if err != nil {
		return out, err
	}
	if d.findings && len(report.Findings) > 0 {
		return out, fmt.Errorf("findings:\n%s", report)
	}
	out.Buffers = make([][]byte, len(l.Args))
	for i, q := range p.Params() {
		if q.IsBuffer() {
			out.Buffers[i] = make([]byte, size[i])
			if err := mem.Read(base[i], out.Buffers[i]); err != nil {
				return out, err
			}
		}
	}
	if trap != 0 {
		out.Trap, err = readTrap(mem, trap, k.Program)
	}
	if trace != 0 && err == nil {
		err = readTraces(mem, trace, &out)
	}
	return out, err
}

// widened is a scalar as it stands in 32 bits.
func widened(t ir.Type, bits uint64) uint64 {
	switch bits &= t.Mask(); t {
	case ir.I8:
		return uint64(int8(bits))
	case ir.I16:
		return uint64(int16(bits))
	case ir.Bool:
		return min(bits, 1)
	}
	return bits
}

func readTrap(mem *machine.Memory, at uint64, p *ir.Program) (*conform.Trap, error) {
	b := make([]byte, 64)
	if err := mem.Read(at, b); err != nil || b[0] == 0 {
		return nil, err
	}
	word := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	site := ir.Row(word(8))
	return &conform.Trap{Code: word(4), Value: binary.LittleEndian.Uint64(b[16:]),
		Group: [3]uint32{word(24), word(28), word(32)}, Local: [3]uint32{word(36), word(40), word(44)},
		Message: p.Message(site), Line: p.Pos(site).Line}, nil
}

func readTraces(mem *machine.Memory, at uint64, out *conform.Outcome) error {
	b := make([]byte, ringHeader+ringRecord*ringRecords)
	if err := mem.Read(at, b); err != nil {
		return err
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > ringRecords {
		out.Dropped, n = n-ringRecords, ringRecords
	}
	for i := range int(n) {
		rec := b[ringHeader+i*ringRecord:]
		t := conform.Trace{Tag: binary.LittleEndian.Uint32(rec), Linear: binary.LittleEndian.Uint64(rec[8:])}
		for v := range int(binary.LittleEndian.Uint32(rec[4:])) {
			t.Values = append(t.Values, binary.LittleEndian.Uint64(rec[16+8*v:]))
		}
		out.Traces = append(out.Traces, t)
	}
	return nil
}
