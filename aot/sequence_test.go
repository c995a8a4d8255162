package aot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// steps are kernels whose launches can be put in any order.
const steps = `vyre 1
kernel @mix workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> rw
  param %k: u32
  %i = global.x
  %v = load @x[%i]
  %w = load @y[%i]
  %p = mul.u32 %v, %k
  %s = add.u32 %p, %w
  store @y[%i], %s
}
kernel @less workgroup(1) {
  param @flag: buf<u32> rw
  %i = global.x
  %v = load @flag[%i]
  %any = ne.u32 %v, 0_u32
  if %any {
    %w = sub.u32 %v, 1_u32
    store @flag[%i], %w
  }
}
kernel @rest workgroup(4) {
  shared @r: u32[?]
  param @y: buf<u32> rw
  %i = global.x
  %n = len @r
  %w = load @y[%i]
  %s = add.u32 %w, %n
  store @y[%i], %s
}
`

// made is a random sequence on a device, with what it was recorded over.
type made struct {
	*driver.Sequence
	own     []driver.Buffer
	inputs  []*driver.Input
	outputs []*driver.Output
}

const words = 64

// recorded records a random sequence with commands of every kind.
func recorded(t testing.TB, d driver.Device, seed uint64) made {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ks := make(map[string]driver.Kernel)
	for name, p := range parsed(t, steps) {
		k, err := d.Compile(ctx, p, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ks[name] = k
	}
	m := made{Sequence: d.NewSequence(fmt.Sprintf("s%d", seed))}
	var all []driver.Buffer
	for i := range 2 {
		b, err := d.Alloc(4*words, driver.AllocOptions{Label: fmt.Sprintf("own %d", i)})
		if err != nil {
			t.Fatal(err)
		}
		m.own, all = append(m.own, b), append(all, b, m.Scratch(4*words))
	}
	flag := m.Scratch(16)
	for _, b := range all {
		m.Fill(driver.All(b), 3, 4)
	}
	pick := func() driver.Buffer { return all[r.IntN(len(all))] }
	var commands func(depth int)
	commands = func(depth int) {
		for range 1 + r.IntN(6) {
			a, b := pick(), pick()
			switch op := r.IntN(9); {
			case op == 0:
				m.Fill(driver.Part(a, 8, 4*int64(r.IntN(10))), r.Uint64(), 1<<r.IntN(3))
			case op == 1:
				src := make([]byte, 4*(1+r.IntN(words-4)))
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				m.inputs = append(m.inputs, m.Upload(driver.Part(a, 16, int64(len(src))), src, driver.Mode(r.IntN(3))))
			case op == 2 && a != b:
				m.Copy(driver.Part(a, 0, 32), driver.Part(b, 64, 32))
			case op == 3 && depth == 0:
				n := 4 * int64(1+r.IntN(40))
				m.outputs = append(m.outputs, m.Read(driver.Part(a, 4, n), make([]byte, n)))
			case op == 4 && depth < 2:
				m.Repeat(r.IntN(4), func() { commands(depth + 1) })
			case op == 5 && depth == 0:
				m.Fill(driver.Part(flag, 4, 4), uint64(r.IntN(4)), 4)
				m.While(driver.Part(flag, 4, 4), 1+r.IntN(5), func() {
					m.Launch(ks["less"], driver.Groups(1), driver.Part(flag, 4, 4))
					commands(depth + 1)
				})
			case op == 6:
				m.Launch(ks["rest"], driver.Groups(uint32(r.IntN(3))), driver.All(a), driver.Rest(1+r.IntN(9)))
			case a != b:
				m.Launch(ks["mix"], driver.Grid{1 + r.Uint32N(2)}, driver.All(a), driver.All(b), driver.U32(r.Uint32()))
			}
		}
	}
	commands(0)
	for _, b := range all {
		m.outputs = append(m.outputs, m.Read(driver.All(b), make([]byte, b.Len())))
	}
	return m
}

// results runs a sequence, and returns what it delivers: to each output as many bytes as to that of the recorded one.
func (m *made) results(run func() error, outputs []*driver.Output) (all []byte, err error) {
	var at [][]byte
	for i, out := range outputs {
		at = append(at, make([]byte, len(m.outputs[i].Bytes())))
		if err := out.Set(at[i]); err != nil {
			return nil, err
		}
	}
	err = run()
	return bytes.Join(at, nil), err
}

// again records the sequence from a bundle on another device, over buffers of that.
func (m *made) again(b *aot.Bundle, on driver.Device) (*aot.Recording, error) {
	var own []driver.Buffer
	for _, buf := range b.Sequences()[0].Buffers {
		if buf.Scratch {
			continue
		}
		x, err := on.Alloc(4*words, driver.AllocOptions{Label: buf.Label})
		if err != nil {
			return nil, err
		}
		own = append(own, x)
	}
	rec, err := b.Record(ctx, on, m.Label(), driver.Options{}, own...)
	if err != nil {
		return nil, err
	}
	for i, in := range rec.Inputs {
		if err := in.Set(m.inputs[i].Bytes()); err != nil {
			return nil, err
		}
	}
	_, err = m.results(rec.Prepare, rec.Outputs)
	return rec, err
}

func TestASequenceOfABundleGivesWhatTheRecordedOneGives(t *testing.T) {
	for seed := range uint64(long.Count(30, 300, 3000)) {
		for _, from := range devices {
			d := opened(t, from.open, driver.OpenOptions{})
			m := recorded(t, d, seed)
			if seed%2 == 0 {
				if err := m.Prepare(); err != nil {
					t.Fatal(err)
				}
			}
			b := built(t, parsed(t, steps), aot.Options{Sequences: []*driver.Sequence{m.Sequence}, Targets: []string{"sm_80"}})
			want, err := m.results(func() error { _, err := m.Run(ctx); return err }, m.outputs)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range devices {
				on := opened(t, to.open, driver.OpenOptions{})
				rec, err := m.again(b, on)
				if err != nil {
					t.Fatal(err)
				}
				run := func() error { _, err := rec.Run(ctx); return err }
				if g, err := rec.Capture(driver.CaptureOptions{}); err == nil {
					run = func() error { _, err := g.Run(ctx); return err }
				} else if !errors.Is(err, driver.Unsupported) {
					t.Fatal(err)
				}
				for range 2 {
					if got, err := m.results(run, rec.Outputs); err != nil || !bytes.Equal(got, want) {
						t.Errorf("seed %d, from %s to %s: the bytes differ, %v", seed, from.name, to.name, err)
					}
				}
				if err := rec.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestASequenceThatCannotBeKeptOrRecordedSaysWhy(t *testing.T) {
	d := opened(t, devices[0].open, driver.OpenOptions{})
	ps := parsed(t, steps)
	k, err := d.Compile(ctx, ps["mix"], driver.Options{Label: "mixer"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.Alloc(128, driver.AllocOptions{Label: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("s")
	y := s.Scratch(128)
	in := s.Upload(driver.All(y), make([]byte, 128), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y), driver.U32(2))
	fails := func(err error, kind driver.Kind, text string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%v, want %v with %q", err, kind, text)
		}
	}
	keep := func(kernels map[string]*ir.Program, all ...*driver.Sequence) error {
		_, err := aot.Build(ctx, kernels, aot.Options{Sequences: all})
		return err
	}
	fails(keep(map[string]*ir.Program{"less": ps["less"]}, s), driver.InvalidArgument, `the bundle does not have the kernel`)
	fails(keep(ps, s, s), driver.InvalidArgument, "two sequences have that label")
	fails(keep(ps, nil), driver.InvalidArgument, "sequence is nil")
	bad := d.NewSequence("bad")
	bad.Fill(driver.All(x), 0, 3)
	fails(keep(ps, bad), driver.InvalidArgument, "width is 3")

	b := built(t, ps, aot.Options{Sequences: []*driver.Sequence{s}})
	record := func(label string, buffers ...driver.Buffer) error {
		rec, err := b.Record(ctx, d, label, driver.Options{}, buffers...)
		if err == nil {
			err = rec.Close()
		}
		return err
	}
	short, err := d.Alloc(124, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fails(record("t"), driver.InvalidArgument, `it has ["s"]`)
	fails(record("s"), driver.InvalidArgument, `no buffer was passed for "x", of at least 128 bytes`)
	fails(record("s", nil), driver.InvalidArgument, "is nil")
	fails(record("s", short), driver.InvalidArgument, "less than 128 bytes")
	fails(record("s", x, x), driver.InvalidArgument, "1 more buffers were passed")
	_, err = b.Record(ctx, nil, "s", driver.Options{})
	fails(err, driver.InvalidArgument, "device is nil")
	rec, err := b.Record(ctx, d, "s", driver.Options{}, x)
	if err != nil {
		t.Fatal(err)
	}
	fails(rec.Prepare(), driver.InvalidArgument, "0 host bytes for a range of 128")
	if err := errors.Join(rec.Inputs[0].Set(in.Bytes()), rec.Prepare(), rec.Close()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	fails(keep(ps, s), driver.Closed, "sequence was closed")
}

// A bundle whose file was damaged anywhere is refused, and one that was made wrong on purpose is read or refused.
func TestDamagedSequencesAreRefused(t *testing.T) {
	d := opened(t, devices[0].open, driver.OpenOptions{})
	s := d.NewSequence("s")
	x := s.Scratch(64)
	s.Upload(driver.All(x), make([]byte, 64), driver.Static)
	s.Repeat(3, func() { s.Fill(driver.All(x), 1, 4) })
	data, err := aot.Build(ctx, nil, aot.Options{Sequences: []*driver.Sequence{s}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x40
		if _, err := aot.Open(string(bad)); !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("byte %d is damaged: %v", i, err)
		}
		if _, err := aot.Open(string(data[:i])); !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%d bytes of it: %v", i, err)
		}
	}
}

// Whatever call fails while a sequence is recorded from a bundle and run, nothing is left, and the next session works.
func TestAnyCallOfARecordingMayFail(t *testing.T) {
	from := opened(t, devices[0].open, driver.OpenOptions{})
	m := recorded(t, from, 5)
	b := built(t, parsed(t, steps), aot.Options{Sequences: []*driver.Sequence{m.Sequence}, Targets: []string{"sm_80"}})
	want, err := m.results(func() error { _, err := m.Run(ctx); return err }, m.outputs)
	if err != nil {
		t.Fatal(err)
	}
	session := faults.OnDevice(func(ctx context.Context, dev driver.Device) error {
		rec, err := m.again(b, dev)
		if err != nil {
			return err
		}
		got, err := m.results(func() error { _, err := rec.Run(ctx); return err }, rec.Outputs)
		if err == nil && !bytes.Equal(got, want) {
			return faults.ErrWrong
		}
		return err
	})
	if n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}}, 5, session, cu.OutOfMemory, 719); n < 40 {
		t.Errorf("only %d calls failed", n)
	}
}
