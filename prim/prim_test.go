package prim_test

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/gpu/random"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/prim"
)

var ctx = context.Background()

var deviceFlag = flag.String("devices", "cpu,cuda-sim", "comma list of `names` of the devices that tests run on")

// devices are what every test runs on.
func devices() []string { return strings.Split(*deviceFlag, ",") }

// closeAll closes what a test made, in this order.
func closeAll(t *testing.T, list ...io.Closer) {
	t.Helper()
	for _, c := range list {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func open(t testing.TB, name string) vyre.Device {
	t.Helper()
	d, err := vyre.Open(long.Device(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// must returns the value of a call that may not fail.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// words are words 0 to n-1 of seed 1, stream 0.
func words(n int) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		x[i] = random.Word(1, 0, uint64(i))
	}
	return x
}

func uniforms(n int) []float32 {
	f := make([]float32, n)
	for i := range f {
		f[i] = random.Uniform(random.Word(1, 0, uint64(i)))
	}
	return f
}

// digest is what tables of known answers have of an array.
func digest[T vyre.Element](x []T) string {
	sum := blake3.Sum256(vyre.Bytes(x))
	return hex.EncodeToString(sum[:8])
}

// sizes are those of the table that a test has time for.
func sizes(device string) []int {
	if long.Whole() || long.Enabled() && !strings.HasPrefix(device, "cuda-sim") {
		return []int{0, 1, 33, 4097, 1048576}
	}
	return []int{0, 1, 33, 4097}
}

func reduce[T, A vyre.Element](t *testing.T, d vyre.Device, op prim.Operator, x []T) A {
	t.Helper()
	r := must(prim.NewReduceTo[T, A](ctx, d, op, len(x)))(t)
	defer r.Close()
	in, out := must(vyre.Upload(ctx, d, x))(t), must(vyre.Alloc[A](d, 1))(t)
	defer in.Close()
	defer out.Close()
	seq := d.NewSequence("reduce")
	defer seq.Close()
	r.Record(seq, prim.N(len(x)), in, out)
	if _, err := seq.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return must(out.Read(ctx))(t)[0]
}

func doubles(n int) []float64 {
	f := make([]float64, n)
	for i := range f {
		f[i] = random.Uniform64(random.Word(1, 0, uint64(2*i)), random.Word(1, 0, uint64(2*i+1)))
	}
	return f
}

func TestReduceGivesTheKnownAnswers(t *testing.T) {
	known := map[int]struct {
		sum uint64
		xor uint32
		f32 uint32
		f64 uint64
	}{
		0:       {0, 0, 0, 0},
		1:       {3823634032, 0xe3e80670, 0x3f63e806, 0x3feca141d79c7d00},
		33:      {74175365385, 0x8a609a7d, 0x418a2992, 0x4031a62545bb6b04},
		4097:    {8719637399210, 0x4aba6072, 0x44fdc65c, 0x409f88385ad3e18f},
		1048576: {2251521044186623, 0x7de356b9, 0x48fff7e2, 0x4120008662e13a7c},
		// Two tiles of results of tiles; in long tests.
		16777217: {36025822231994635, 0x7199ee3b, 0x4afffa96, 0x415fff49f0d9d2d8},
	}
	for _, name := range devices() {
		most := sizes(name)
		if long.Enabled() && (long.Exhaustive() || !strings.HasPrefix(name, "cuda-sim")) { // where that takes minutes
			most = append(most, 16777217)
		}
		for _, n := range most {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				d, want := open(t, name), known[n]
				for i, answer := range []func() (got, known any){
					func() (any, any) { return reduce[uint32, uint64](t, d, prim.Sum, words(n)), want.sum },
					func() (any, any) { return reduce[uint32, uint32](t, d, prim.Xor, words(n)), want.xor },
					func() (any, any) {
						return math.Float32bits(reduce[float32, float32](t, d, prim.Sum, uniforms(n))), want.f32
					},
					func() (any, any) {
						return math.Float64bits(reduce[float64, float64](t, d, prim.Sum, doubles(n))), want.f64
					},
				} {
					if n > 1<<24 && !long.Turn(i, 0) {
						continue
					}
					if got, known := answer(); got != known {
						t.Errorf("answer %d is %x, want %x", i, got, known)
					}
				}
			})
		}
	}
}
