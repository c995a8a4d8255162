package queries

import (
	"context"
	"encoding/binary"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/kernel/packed"
	"github.com/govyre/vyre/megakernel"
)

// resident is a graph on the device: offsets, targets, and masks if it has any.
type resident struct {
	csr    *graph.CSR
	digest [32]byte
	memory driver.Buffer
}

// upload brings a graph to the device, in one piece.
func upload(ctx context.Context, dev driver.Device, label string, csr *graph.CSR, digest [32]byte) (*resident, error) {
	memory, err := dev.Alloc(csr.Bytes(), driver.AllocOptions{Label: label + " graph"})
	if err != nil {
		return nil, err
	}
	host := make([]byte, 0, csr.Bytes())
	for _, column := range [][]uint32{csr.Offsets(), csr.Targets(), csr.Masks()} {
		for _, v := range column {
			host = binary.LittleEndian.AppendUint32(host, v)
		}
	}
	if err := driver.Write(ctx, driver.All(memory), host); err != nil {
		_ = memory.Close() // nobody else has it
		return nil, err
	}
	return &resident{csr, digest, memory}, nil
}

// columns are the parts of a graph. What it does not have is its offsets, which nobody looks at then.
func (r *resident) columns() (offsets, targets, masks driver.Range) {
	n, arcs := int64(len(r.csr.Offsets())), int64(r.csr.Arcs())
	offsets = driver.Part(r.memory, 0, 4*n)
	targets, masks = offsets, offsets
	if arcs > 0 {
		targets = driver.Part(r.memory, 4*n, 4*arcs)
	}
	if r.csr.Masks() != nil {
		masks = driver.Part(r.memory, 4*(n+arcs), 4*arcs)
	}
	return offsets, targets, masks
}

// seedBytes is what a seed takes: its node, and the lane that begins there.
const seedBytes = 8

// scratchBytes is what a group takes whatever its queries: two words a node, the list, and its lengths.
func scratchBytes(nodes uint64) uint64 { return 16*nodes + 12 }

// outputBytes is what an answer takes.
func outputBytes(nodes uint64) uint64 { return 4 * ((nodes + 31) / 32) }

// search runs some of the queries together.
func (s *Session) search(ctx context.Context, r *resident, list []Query, group []int, answers []Answer) error {
	n := uint64(r.csr.Nodes())
	var nodes, lanes []byte
	for lane, k := range group {
		for _, v := range list[k].Seeds {
			nodes = binary.LittleEndian.AppendUint32(nodes, v)
			lanes = binary.LittleEndian.AppendUint32(lanes, 1<<lane)
		}
	}
	var buffers [3]driver.Buffer // seeds, scratch, answers
	free := func() (first error) {
		for _, b := range buffers {
			if b == nil {
				continue
			}
			if err := b.Close(); err != nil && first == nil {
				first = err
			}
		}
		return first
	}
	for k, bytes := range [...]uint64{uint64(len(nodes) + len(lanes)), scratchBytes(n), outputBytes(n) * uint64(len(group))} {
		var err error
		if buffers[k], err = s.dev.Alloc(int64(bytes), driver.AllocOptions{Label: s.o.Label + " group"}); err != nil {
			_ = free() // nobody else has them
			return err
		}
	}
	err := s.together(ctx, r, buffers, append(nodes, lanes...), list[group[0]].Kinds)
	if err == nil {
		err = s.read(ctx, buffers[2], list, group, answers)
	}
	if e := free(); err == nil {
		err = e
	}
	return err
}

// together makes the plan of a group, and runs it.
func (s *Session) together(ctx context.Context, r *resident, buffers [3]driver.Buffer, seeds []byte, kinds uint32) error {
	if err := driver.Write(ctx, driver.All(buffers[0]), seeds); err != nil {
		return err
	}
	waves, deps, err := r.waves(buffers, kinds)
	if err != nil {
		return err
	}
	p, err := megakernel.New(ctx, s.dev, waves, deps, s.o.Run)
	if err != nil {
		return err
	}
	if s.ready != nil {
		s.ready()
	}
	for {
		rec, e := p.Run(ctx)
		if err = e; err != nil || rec.Status == megakernel.Converged {
			break
		}
	}
	if e := p.Close(); err == nil {
		err = e
	}
	return err
}

// waves are what a group runs: all nodes are made new, the seeds make the first list, rounds hand on what is new,
// and each lane becomes a bitset.
func (r *resident) waves(buffers [3]driver.Buffer, kinds uint32) ([]megakernel.Wave, []megakernel.Dependency, error) {
	n := int64(r.csr.Nodes())
	offsets, targets, masks := r.columns()
	seeds, scratch, out := buffers[0].Len()/2, buffers[1], buffers[2]
	nodes, starts := driver.Part(buffers[0], 0, seeds), driver.Part(buffers[0], seeds, seeds)
	seen, queued, list, lengths := driver.Part(scratch, 0, 4*n), driver.Part(scratch, 4*n, 4*n), driver.Part(scratch, 8*n, 8*n), driver.Part(scratch, 16*n, 12)
	words := outputBytes(uint64(n)) / 4
	filter := kinds
	if r.csr.Masks() == nil { // every arc has mask 1, which is nowhere stored
		if filter &= 1; filter == 0 && kinds != 0 {
			filter, masks = kinds, driver.Part(r.memory, 0, 4) // of the first offset, which is 0: no arc is followed
		} else {
			filter = 0
		}
	}
	waves := []megakernel.Wave{
		{Args: []driver.Arg{seen, queued, lengths}, Domain: megakernel.Fixed(uint32(max(n, 3))), Phase: megakernel.Before},
		{Args: []driver.Arg{nodes, starts, seen, queued, list, lengths}, Domain: megakernel.Fixed(uint32(seeds / 4)), Phase: megakernel.Before},
		{Args: []driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(filter), offsets, targets, masks, seen, queued, list, lengths, megakernel.Vote{}, megakernel.Edges{}},
			Domain: megakernel.Spread(lengths, uint32(n))},
		{Args: []driver.Arg{driver.U32(uint32(words)), seen, driver.All(out)}, Domain: megakernel.Fixed(uint32(out.Len() / 4)), Phase: megakernel.After},
	}
	for k, text := range [...]string{beginProgram, seedProgram, roundProgram, answerProgram} {
		var err error
		if waves[k].Program, err = packed.Program(text); err != nil {
			return nil, nil, err
		}
	}
	return waves, []megakernel.Dependency{{Before: 0, After: 1}}, nil
}

// read fetches the answers of a group.
func (s *Session) read(ctx context.Context, from driver.Buffer, list []Query, group []int, answers []Answer) error {
	host := make([]byte, from.Len())
	if err := driver.ReadInto(ctx, driver.All(from), host); err != nil {
		return err
	}
	words := len(host) / 4 / len(group)
	for lane, k := range group {
		bits := make([]uint32, words)
		for w := range bits {
			bits[w] = binary.LittleEndian.Uint32(host[4*(lane*words+w):])
		}
		answers[k] = Answer{list[k].ID, bits}
	}
	return nil
}
