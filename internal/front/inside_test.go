package front_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/kernel"
)

const insideSource = `package kernels

import "github.com/govyre/vyre/gpu"

type slot struct {
	w float32
	n uint32
}

type rack struct {
	id    uint16
	slots [3]slot
	keys  [3]int16
	grid  [2][3]uint8
}

//vyre:kernel workgroup=1
func Inside(t gpu.Thread, rs []rack, i int32, j int64, out []float32) {
	out[0] = rs[i].slots[j].w
	out[1] = float32(rs[i].keys[j])
	out[2] = float32(gpu.AtomicAdd(&rs[i].slots[j].n, 1))
	rs[i].slots[j].w = 77
	rs[i].keys[j] = 88
	out[3] = float32(rs[i].grid[j][1])
	rs[i].grid[j][2] = 99
	out[4] = float32(rs[i].grid[1][j])
}
`

// slot and rack are the types of insideSource.
type slot struct {
	w float32
	n uint32
}

type rack struct {
	id    uint16
	slots [3]slot
	keys  [3]int16
	grid  [2][3]uint8
}

func racks() []rack {
	return []rack{{1, [3]slot{{1, 2}, {3, 4}, {5, 6}}, [3]int16{7, 8, 9}, [2][3]uint8{{1, 2, 3}, {4, 5, 6}}},
		{2, [3]slot{{11, 12}, {13, 14}, {15, 16}}, [3]int16{17, 18, 19}, [2][3]uint8{{11, 12, 13}, {14, 15, 16}}}}
}

// inside does what the kernel says, where both indices exist.
func inside(rs []rack, i int32, j int64, out []float32) {
	if i < 0 || int(i) >= len(rs) {
		return
	}
	r := &rs[i]
	if j >= 0 && j < 3 {
		out[0], out[1], out[2] = r.slots[j].w, float32(r.keys[j]), float32(r.slots[j].n)
		r.slots[j] = slot{77, r.slots[j].n + 1}
		r.keys[j] = 88
		out[4] = float32(r.grid[1][j])
	}
	if j >= 0 && j < 2 {
		out[3] = float32(r.grid[j][1])
		r.grid[j][2] = 99
	}
}

// An index of an array inside an element that is out of bounds reads zero and writes nothing, as one of the element does:
// it names no neighbour.
func TestIndicesInsideElementsAreChecked(t *testing.T) {
	p, err := kernel.Program(insideSource, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu", "cuda-sim"} {
		dev, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"0", ""} {
			on := conform.OnWith(dev, driver.Options{Optimise: level})
			for _, i := range []int32{0, 1, 2, -1, 1 << 30, -1 << 31} {
				for _, j := range []int64{0, 1, 2, 3, -1, 5, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 62, -1 << 63} {
					got, gotOut := racks(), make([]float32, 5)
					want, wantOut := racks(), make([]float32, 5)
					inside(want, i, j, wantOut)
					res, err := on.Run(t.Context(), p, conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{
						{Data: bytesOf(reflect.ValueOf(got))}, {Bits: uint64(uint32(i))}, {Bits: uint64(j)}, {Data: bytesOf(reflect.ValueOf(gotOut))}}})
					if err != nil {
						t.Fatal(err)
					}
					copy(bytesOf(reflect.ValueOf(got)), res.Buffers[0])
					copy(bytesOf(reflect.ValueOf(gotOut)), res.Buffers[3])
					if !slices.Equal(gotOut, wantOut) || !slices.Equal(got, want) {
						t.Errorf("%s at level %q, element %d, index %d: %v %v, want %v %v", name, level, i, j, gotOut, got, wantOut, want)
					}
				}
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Reports name what the source wrote, with the length that it exceeds.
func TestReportsNameElementsInsideElements(t *testing.T) {
	p, err := kernel.Program(insideSource, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		i    int32
		j    int64
		want []string
	}{
		{1, 5, []string{"load of rs[1].keys[5] out of bounds, length 3", "store of rs[1].keys[5] out of bounds, length 3"}},
		{2, 1, []string{"load of rs[2].slots[1].w out of bounds, length 2", "load of rs[2].keys[1] out of bounds, length 2", "store of rs[2].grid[1][2] out of bounds, length 2"}},
		{-1, 0, []string{"load of rs[-1].slots[0].w out of bounds, length 2", "atomic_add of rs[-1].slots[0].n out of bounds, length 2", "load of rs[-1].keys[0] out of bounds, length 2"}},
	} {
		rs, out := racks(), make([]float32, 5)
		res, err := k.Run(t.Context(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: bytesOf(reflect.ValueOf(rs))},
			{Bits: uint64(uint32(c.i))}, {Bits: uint64(c.j)}, {Mem: bytesOf(reflect.ValueOf(out))}}}, interp.Options{Detect: interp.Everything})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range res.Reports {
			all = append(all, r.String())
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(all, "\n"), want) {
				t.Errorf("rs[%d], index %d: no %q in\n%s", c.i, c.j, want, strings.Join(all, "\n"))
			}
		}
	}
}

const racing = `package kernels

import "github.com/govyre/vyre/gpu"

type particle struct {
	id  uint32
	pos [3]float32
}

//vyre:kernel workgroup=2
func Race(t gpu.Thread, ps []particle, at uint32) {
	ps[at].pos[at%3] = float32(t.Local().X)
	ps[2].pos[1] = float32(t.Local().X)
}
`

func TestRacesNameElementsInsideElements(t *testing.T) {
	p, err := kernel.Program(racing, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	type particle struct {
		id  uint32
		pos [3]float32
	}
	ps := make([]particle, 8)
	res, err := k.Run(t.Context(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{
		{Mem: unsafe.Slice((*byte)(unsafe.Pointer(&ps[0])), len(ps)*int(unsafe.Sizeof(ps[0])))}, {Bits: 4}}}, interp.Options{Detect: interp.Everything})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range res.Reports {
		all = append(all, r.String())
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{"race on ps[4].pos[1]: store", "race on ps[2].pos[1]: store"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// An index that the source makes narrower is what that leaves of it, in a whole buffer, a part, and inside a record.
func TestReportsNameNarrowedIndices(t *testing.T) {
	p, err := kernel.Program(`package kernels

import "github.com/govyre/vyre/gpu"

type rack struct {
	id   uint32
	keys [3]uint32
}

//vyre:kernel workgroup=1
func Narrowed(t gpu.Thread, x []uint32, rs []rack, n int) {
	part := x[4:8]
	x[uint32(n)] = 1
	part[uint32(n)] = 2
	rs[uint32(n)].id = 3
	rs[1].keys[uint32(n)] = 4
	part[n] = 5
	rs[1].keys[n] = 6
}
`, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	for n, index := range map[int64][2]string{-2: {"4294967294", "-2"}, 1<<32 + 9: {"9", "4294967305"}} {
		res, err := k.Run(t.Context(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: make([]byte, 4*8)}, {Mem: make([]byte, 16*2)}, {Bits: uint64(n)}}},
			interp.Options{Detect: interp.Bounds})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range res.Reports {
			all = append(all, r.String())
		}
		got := strings.Join(all, "\n")
		for i, want := range []string{"x[%] out of bounds, length 8", "x[%] out of bounds, length 4", "rs[%].id out of bounds, length 2", "rs[1].keys[%] out of bounds, length 3",
			"x[%] out of bounds, length 4", "rs[1].keys[%] out of bounds, length 3"} {
			if want = strings.Replace(want, "%", index[i/4], 1); !strings.Contains(got, want) {
				t.Errorf("%d: no %q in\n%s", n, want, got)
			}
		}
	}
}
