package codegen_test

import (
	"context"
	"encoding/binary"
	"go/types"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

var sm90 = ptx.Target{SM: 90}

// Where each thread stores a record of several chunks, the lanes of a warp store them for each other; two chunks are not
// several.
func TestWarpsStoreParticlesTogether(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"Particles": true, "ParticlesSplit": false, "Bodies": false, "BodiesSplit": false} {
		c, err := codegen.Compile(kernels[name].Program, sm90)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(c.Module.Text, "activemask"); got != want {
			t.Errorf("%s: together: %v, want %v", name, got, want)
		}
	}
}

// Every kernel, as written, optimised, with its checks taken out, and as PTX, against plain Go.
func TestKernelsComputeWhatPlainGoDoes(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	cpu, sim := open(t, "cpu"), open(t, "cuda-sim")
	asWritten := func(p *ir.Program) (*ir.Program, error) { return p, nil }
	for _, c := range codegen.Cases {
		t.Run(c.Name, func(t *testing.T) {
			p := c.Make(codegen.Launch)
			want := p.Want()
			for _, form := range []struct {
				name string
				dev  vyre.Device
				of   func(*ir.Program) (*ir.Program, error)
			}{
				{"as written", cpu, asWritten},
				{"as PTX", sim, asWritten},
				{"optimised", cpu, func(p *ir.Program) (*ir.Program, error) {
					c, err := codegen.Compile(p, sm90)
					return c.Program, err
				}},
				{"unchecked", cpu, func(p *ir.Program) (*ir.Program, error) {
					c, err := codegen.Unchecked(p, sm90)
					return c.Program, err
				}},
			} {
				programs := make(map[string]*ir.Program)
				for _, s := range p.Steps {
					k := kernels[s.Kernel]
					if k == nil {
						t.Fatalf("no kernel is called %s", s.Kernel)
					}
					if programs[s.Kernel], err = form.of(k.Program); err != nil {
						t.Fatal(err)
					}
				}
				got := run(t, form.dev, programs, p)
				for b, w := range want {
					if err := p.Check(b, got[b], w); err != nil {
						t.Errorf("%s: %v", form.name, err)
					}
				}
			}
		})
	}
}

// Shapes are launched like the problem they belong to.
func TestShapesDoTheSameWork(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	dev := open(t, "cuda-sim")
	for _, c := range codegen.Cases {
		p := c.Make(codegen.Launch)
		for _, shape := range p.Shapes {
			t.Run(c.Name+", "+shape.Name, func(t *testing.T) {
				q := *p
				q.Steps, q.Approximate = shape.Steps, p.Approximate || shape.Approximate
				programs := make(map[string]*ir.Program)
				for _, s := range q.Steps {
					programs[s.Kernel] = kernels[s.Kernel].Program
				}
				got := run(t, dev, programs, &q)
				for b, w := range q.Want() {
					if err := q.Check(b, got[b], w); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// Kernels over arrays that are split by hand leave in them what those over structs must leave.
func TestSplitsDoTheSameWork(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	dev := open(t, "cuda-sim")
	for _, c := range codegen.Cases {
		p := c.Make(codegen.Launch)
		if p.Split == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			q := *p
			q.Steps, q.Buffers = p.Split.Steps, p.Split.Buffers()
			programs := make(map[string]*ir.Program)
			for _, s := range q.Steps {
				programs[s.Kernel] = kernels[s.Kernel].Program
			}
			got := p.Split.Join(run(t, dev, programs, &q))
			for b, w := range p.Want() {
				if err := p.Check(b, got[b], w); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What the reference kernels are told of a buffer is the length of the Go slice over it.
func TestLengthsAreThoseOfGoSlices(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	sizes := types.SizesFor("gc", "amd64")
	for _, c := range codegen.Cases {
		for _, s := range c.Make(codegen.Launch).Steps {
			k := kernels[s.Kernel]
			for i, a := range s.Args {
				slice, ok := k.Params[i].Type.Underlying().(*types.Slice)
				if ok != (a.Buffer != nil) {
					t.Fatalf("%s: argument %d does not fit a %s", s.Kernel, i, k.Params[i].Type)
				}
				if !ok {
					continue
				}
				if got, want := a.Len(k, i), a.Buffer.Bytes/sizes.Sizeof(slice.Elem()); int64(got) != want {
					t.Errorf("%s: %s of %d bytes has length %d, want %d", s.Kernel, k.Params[i].GoType, a.Buffer.Bytes, got, want)
				}
			}
		}
	}
}

// The suite is tested at a size at which all tiles fit into one round.
func TestScanStartsGoesOnWhereARoundEnded(t *testing.T) {
	kernels, err := codegen.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	sums, want := make([]byte, 4*40_000), make([]byte, 4*40_000)
	var before uint32
	for i := 0; i < len(sums); i += 4 {
		v := uint32(i) * 0x9E3779B9
		binary.LittleEndian.PutUint32(sums[i:], v)
		binary.LittleEndian.PutUint32(want[i:], before)
		before += v
	}
	b := &codegen.Buffer{Name: "sums", Role: codegen.Update, Bytes: int64(len(sums)), Data: sums}
	p := &codegen.Problem{
		N: "40000 tiles", Buffers: []*codegen.Buffer{b},
		Steps: []codegen.Step{{Kernel: "ScanStarts", Grid: [3]uint32{1, 1, 1}, Args: []codegen.Arg{{Buffer: b}}}},
	}
	got := run(t, open(t, "cpu"), map[string]*ir.Program{"ScanStarts": kernels["ScanStarts"].Program}, p)
	if err := codegen.Same(b, got[b], want); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T, name string) vyre.Device {
	t.Helper()
	dev, err := vyre.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// run runs a problem with other programs in place of the kernels, and returns what it wrote.
func run(t *testing.T, dev vyre.Device, programs map[string]*ir.Program, p *codegen.Problem) map[*codegen.Buffer][]byte {
	t.Helper()
	ctx := context.Background()
	kernels := make(map[string]vyre.Kernel)
	for name, program := range programs {
		k, err := dev.Compile(ctx, program, vyre.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		kernels[name] = k
	}
	seq := dev.NewSequence(p.N)
	mem := make(map[*codegen.Buffer]driver.Buffer)
	got := make(map[*codegen.Buffer][]byte)
	for _, b := range p.Buffers {
		m, err := dev.Alloc(b.Bytes, driver.AllocOptions{Label: b.Name})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		mem[b] = m
		if b.Role == codegen.Out {
			seq.Fill(driver.All(m), 0xCBCBCBCB, 4)
		} else {
			seq.Upload(driver.All(m), b.Data, driver.Always)
		}
	}
	defer seq.Close()
	for _, s := range p.Steps {
		var args []driver.Arg
		for i, q := range programs[s.Kernel].Params() {
			if q.IsBuffer() {
				args = append(args, driver.All(mem[s.Args[i].Buffer]))
			} else {
				args = append(args, driver.Scalar{Type: q.Type, Bits: s.Args[i].Bits})
			}
		}
		seq.Launch(kernels[s.Kernel], driver.Grid(s.Grid), args...)
	}
	for _, b := range p.Buffers {
		if b.Role != codegen.In {
			got[b] = make([]byte, b.Bytes)
			seq.Read(driver.All(mem[b]), got[b])
		}
	}
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return got
}
