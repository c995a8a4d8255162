package megakernel_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/megakernel"
)

const sharing = `package sharing

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func Turn(t gpu.Thread, in, out []uint32) {
	s := gpu.Shared[uint32](t, 64)
	i := t.Local().X
	s[63-i] = in[t.Group().X*64+i]
	t.Barrier()
	out[t.Group().X*64+i] = s[i] + gpu.At(s, i+64) // the latter is none of its own
}

//vyre:kernel workgroup=64
func Long(t gpu.Thread, in, out []uint32) {
	a, b := gpu.Shared[uint32](t, 1000), gpu.Shared[uint64](t, 64)
	i := t.Local().X
	for k := i; k < 1000; k += 64 {
		a[k] = k + 1
	}
	b[i] = uint64(in[t.Group().X*64+i]) << 32
	t.Barrier()
	out[t.Group().X*64+i] = a[999-i] + uint32(b[63-i]>>32)
}

//vyre:kernel workgroup=64
func AsMany(t gpu.Thread, in, out []uint32) {
	s := gpu.SharedRest[uint32](t)
	i := t.Local().X
	for k := i; int(k) < len(s); k += 64 {
		s[k] = in[t.Group().X*64+i]
	}
	t.Barrier()
	out[t.Group().X*64+i] = gpu.At(s, i^1) + gpu.At(s, i+32) + uint32(len(s))
}

//vyre:kernel workgroup=64
func Huge(t gpu.Thread, in, out []uint32) {
	a, b := gpu.Shared[uint32](t, 30000), gpu.Shared[uint64](t, 15000)
	i := t.Local().X
	a[i], b[i] = in[i], 1
	t.Barrier()
	out[t.Group().X*64+i] = a[63-i] + uint32(b[i])
}

//vyre:kernel workgroup=64
func Sum(t gpu.Thread, in []uint32, out []float32) {
	gpu.AtomicAdd(&out[0], float32(in[t.Global().X]))
}
`

// sharer makes waves of the kernels of sharing.
func sharer(t *testing.T) func(name string, args ...driver.Arg) megakernel.Wave {
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "sharing.go", Src: []byte(sharing)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(name string, args ...driver.Arg) megakernel.Wave {
		return megakernel.Wave{Program: pkg.Lookup(name).Program, Args: args, Domain: megakernel.Fixed(3)}
	}
}

// TestWavesShareSharedMemory runs waves with arrays of several lengths and types, one of a length that it is given, in one
// block after another: none sees more than its own, and together they take as much as the longest of each type.
func TestWavesShareSharedMemory(t *testing.T) {
	const items, rest = 3 * 64, 80
	in := make([]uint32, items)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	want := [3][]uint32{make([]uint32, items), make([]uint32, items), make([]uint32, items)}
	for g := range 3 {
		x := in[64*g : 64*g+64]
		at := func(k int) uint32 { // of AsMany's array
			if k < rest {
				return x[k%64]
			}
			return 0
		}
		for i := range 64 {
			want[0][64*g+i] = x[63-i]
			want[1][64*g+i] = uint32(1000-i) + x[63-i]
			want[2][64*g+i] = at(i^1) + at(i+32) + rest
		}
	}
	checked, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(2), Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	devs := []driver.Device{checked}
	for _, name := range devices() {
		devs = append(devs, open(t, name))
	}
	wave := sharer(t)
	for _, dev := range devs {
		from := words(t, dev, in)
		for _, top := range topologies {
			for _, shared := range []bool{false, true} { // bodies
				all, out := words(t, dev, make([]uint32, 4*items)), [4]driver.Range{}
				for k := range out {
					out[k] = driver.Part(all.Buffer, int64(4*items*k), 4*items)
				}
				waves := []megakernel.Wave{wave("Turn", from, out[0]), wave("Long", from, out[1]), wave("AsMany", from, out[2], driver.Rest(rest)), wave("AsMany", from, out[3], driver.Rest(rest))}
				rows := 0
				if shared { // one row too few for bodies of their own
					for _, w := range waves {
						rows += w.Program.Rows()
					}
					rows--
				}
				p, err := megakernel.New(t.Context(), dev, waves, nil, megakernel.Options{Topology: top, Blocks: 1, Tail: megakernel.TailNever, MaxRows: rows})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(p.Explain(), "bodies every round: 3 for 4 waves") != shared {
					t.Errorf("%d rows:\n%s", rows, p.Explain())
				}
				if _, err := p.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				for k, r := range out {
					if got, want := (&memory{t: t}).read(r), want[min(k, 2)]; !slices.Equal(got, want) {
						t.Errorf("%s, %v, %d rows: wave %d left\n%v, want\n%v", dev.Name(), top, rows, k, got, want)
					}
				}
				for _, r := range p.Result().Reports {
					if strings.Contains(r.Text, "out of bounds") {
						continue // on purpose
					}
					t.Errorf("%s, %v: %s", dev.Name(), top, r.Text)
				}
				const cells = 32 // of barriers that vote
				if n := p.SharedBytes(); n > 4000+8*64+cells {
					t.Errorf("%s, %v: %d bytes of shared memory", dev.Name(), top, n)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestSharedMemoryHasABound: of what all waves take, and of what one does.
func TestSharedMemoryHasABound(t *testing.T) {
	dev := open(t, "cpu")
	x, y := words(t, dev, make([]uint32, 192)), words(t, dev, make([]uint32, 192))
	wave := sharer(t)
	for _, c := range []struct {
		name, code, want string
		waves            []megakernel.Wave
	}{
		{"two types", "F6", "wave 1 Huge: the shared arrays of the waves take 2400", []megakernel.Wave{wave("Turn", x, x), wave("Huge", x, y)}},
		{"a length that is given", "F6", "wave 0 AsMany", []megakernel.Wave{wave("AsMany", x, y, driver.Rest(1<<20))}},
		{"a length of nothing that is there", "F6", "wave 0 AsMany", []megakernel.Wave{wave("AsMany", x, y, driver.Rest(1<<40))}},
		{"no length", "F1", "nothing says how long its shared array is", []megakernel.Wave{wave("AsMany", x, y)}},
		{"a negative length", "F1", "it has 3 arguments for 2 parameters", []megakernel.Wave{wave("AsMany", x, y, driver.Rest(-1))}},
		{"a length for nothing", "F1", "it has 3 arguments for 2 parameters", []megakernel.Wave{wave("Turn", x, y, driver.Rest(1))}},
	} {
		for _, top := range []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop} {
			_, err := megakernel.New(t.Context(), dev, c.waves, []megakernel.Dependency{{Before: 0, After: len(c.waves) - 1}}[:len(c.waves)-1], megakernel.Options{Topology: top})
			var why *megakernel.Reason
			if !errors.As(err, &why) || why.Code != c.code || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "fix: ") {
				t.Errorf("%s, %v: got %v, want %s and %q", c.name, top, err, c.code, c.want)
			}
		}
	}
	if s := dev.Stats(); s.Get(metric.Kernels) != 0 {
		t.Errorf("kernels stay open after refusals: %v", s)
	}
}

// TestWhatDependsOnTheOrderIsSaid, since a sum of floats does.
func TestWhatDependsOnTheOrderIsSaid(t *testing.T) {
	dev := open(t, "cpu")
	x := words(t, dev, make([]uint32, 192))
	wave := sharer(t)
	for _, c := range []struct {
		wave megakernel.Wave
		want bool
	}{{wave("Sum", x, words(t, dev, make([]uint32, 1))), true}, {wave("Turn", x, words(t, dev, make([]uint32, 192))), false}} {
		p, err := megakernel.New(t.Context(), dev, []megakernel.Wave{c.wave}, nil, megakernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(p.Explain(), "not bit-stable: wave 0 Sum adds floats in any order (sharing.go:48:2)\n"); got != c.want {
			t.Errorf("%s is explained as\n%s", c.wave.Program.Name(), p.Explain())
		}
		p.Close()
	}
}
