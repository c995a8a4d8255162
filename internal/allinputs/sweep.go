package allinputs

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
)

// Sweep is a pair, compiled for a device. It is for one goroutine at a time.
type Sweep struct {
	pair   *Pair
	kernel driver.Kernel
	dev    driver.Device
	took   time.Duration
}

// Compile makes the program of a pair, without passes that rewrite.
func Compile(ctx context.Context, dev driver.Device, p *Pair) (*Sweep, error) {
	prog, err := p.Program()
	if err != nil {
		return nil, err
	}
	k, err := dev.Compile(ctx, prog, driver.Options{Optimise: "0"})
	if err != nil {
		return nil, err
	}
	return &Sweep{pair: p, kernel: k, dev: dev}, nil
}

// Close frees the kernel.
func (s *Sweep) Close() error { return s.kernel.Close() }

// Took is the device time of the last call.
func (s *Sweep) Took() time.Duration { return s.took }

// All tries all inputs, for values of the fixed leaves in their order.
func (s *Sweep) All(ctx context.Context, fixed ...uint64) (*Difference, error) {
	return s.Some(ctx, 0, 1<<s.pair.Bits(), fixed...)
}

// Some tries n inputs from one on: at most 2¹⁸, or a multiple of that.
func (s *Sweep) Some(ctx context.Context, first, n uint64, fixed ...uint64) (*Difference, error) {
	threads := min(n, maxThreads)
	if n == 0 || n%threads != 0 || first+n > 1<<s.pair.Bits() {
		return nil, fmt.Errorf("%s: inputs %d to %d are not whole rounds of the 2^%d", s.pair.Name, first, first+n, s.pair.Bits())
	}
	buf, err := s.dev.Alloc(16, driver.AllocOptions{Label: s.pair.Name})
	if err != nil {
		return nil, err
	}
	defer buf.Close()
	args := []driver.Arg{driver.U32(uint32(first)), driver.U32(uint32(threads)), driver.U32(uint32(n / threads))}
	at := 0
	for _, l := range s.pair.Leaves {
		if l.Fixed {
			args = append(args, driver.Scalar{Type: l.Type, Bits: fixed[at]})
			at++
		}
	}
	var found [16]byte
	seq := s.dev.NewSequence(s.pair.Name)
	defer seq.Close()
	seq.Fill(driver.Part(buf, 0, 8), 0, 8)
	seq.Fill(driver.Part(buf, 8, 8), 1<<64-1, 8)
	seq.Launch(s.kernel, driver.Cover(threads, workgroup), append(args, driver.All(buf))...)
	seq.Read(driver.All(buf), found[:])
	res, err := seq.Run(ctx)
	if err != nil {
		return nil, err
	}
	s.took = res.Device
	count, input := binary.LittleEndian.Uint64(found[:]), binary.LittleEndian.Uint64(found[8:])
	if count == 0 {
		return nil, nil
	}
	d := &Difference{Count: count, Values: s.pair.values(fixed, input)}
	var differ bool
	if d.Left, d.Right, differ = s.pair.Differ(d.Values); !differ {
		return nil, fmt.Errorf("BUG: %s on %s: it computes a difference for %#x, and the op table none", s.pair.Name, s.dev.Name(), d.Values)
	}
	return d, nil
}
