package pipeline_test

import (
	"context"
	"encoding/binary"
	"flag"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/testing/long"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// source holds the stages of the tests.
const source = `package stages

import "github.com/govyre/vyre/gpu"

// Scale multiplies.
//
//vyre:kernel workgroup=64
func Scale(t gpu.Thread, x, y []uint32, k uint32) {
	i := t.Global().X
	if i < uint32(len(y)) {
		y[i] = x[i] * k
	}
}

// Shift adds, and leaves at once what is no item of its.
//
//vyre:kernel workgroup=64
func Shift(t gpu.Thread, x, y []uint32, k uint32) {
	i := t.Global().X
	if i >= uint32(len(x)) {
		return
	}
	y[i] = x[i] + k
}

// Neighbour adds the element of the next item.
//
//vyre:kernel workgroup=64
func Neighbour(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[i] = x[i]
	if i+1 < uint32(len(x)) {
		y[i] += x[i+1]
	}
}

// Mirror stores from the end.
//
//vyre:kernel workgroup=64
func Mirror(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[uint32(len(y))-1-i] = x[i]
}

// Copy does not look at lengths.
//
//vyre:kernel workgroup=64
func Copy(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[i] = x[i]
}

// Even stores for some items.
//
//vyre:kernel workgroup=64
func Even(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	if x[i]&1 == 0 {
		y[i] = x[i]
	}
}

// Pairs stores two elements an item.
//
//vyre:kernel workgroup=64
func Pairs(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[2*i] = x[i]
	y[2*i+1] = x[i] + 1
}

// Join adds the two up.
//
//vyre:kernel workgroup=64
func Join(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	y[i] = x[2*i] - 3*x[2*i+1]
}

// Count counts odd ones.
//
//vyre:kernel workgroup=64
func Count(t gpu.Thread, x, sum []uint32) {
	gpu.AtomicAdd(&sum[0], x[t.Global().X]&1)
}

// Bytes keeps the low bits.
//
//vyre:kernel workgroup=64
func Bytes(t gpu.Thread, x []uint32, y []uint8) {
	i := t.Global().X
	y[i] = uint8(x[i])
}

// Wide reads them again.
//
//vyre:kernel workgroup=64
func Wide(t gpu.Thread, x []uint8, y []uint32) {
	i := t.Global().X
	y[i] = uint32(x[i])
}

// Rotate shifts its group's elements through shared memory.
//
//vyre:kernel workgroup=64
func Rotate(t gpu.Thread, x, y []uint32) {
	part := gpu.Shared[uint32](t, 64)
	i := t.Local().X
	part[i] = x[t.Group().X*64+i]
	t.Barrier()
	y[t.Group().X*64+i] = part[(i+1)%64]
}

// Turned is the same with as much shared memory as it is given.
//
//vyre:kernel workgroup=64
func Turned(t gpu.Thread, x, y []uint32) {
	part := gpu.SharedRest[uint32](t)
	i := t.Local().X
	part[i] = x[t.Group().X*64+i]
	t.Barrier()
	y[t.Group().X*64+i] = part[(i+1)%uint32(len(part))]
}

// Wider is the same in larger groups.
//
//vyre:kernel workgroup=128
func Wider(t gpu.Thread, x, y []uint32) {
	part := gpu.Shared[uint32](t, 128)
	i := t.Local().X
	part[i] = x[t.Group().X*128+i]
	t.Barrier()
	y[t.Group().X*128+i] = part[(i+1)%128]
}

// Whole has a barrier of the grid.
//
//vyre:kernel workgroup=64
func Whole(t gpu.Thread, x, y []uint32) {
	i := t.Group().X*64 + t.Local().X
	y[i] = x[i]
	t.GridBarrier()
	y[i] += x[uint32(len(x))-1-i]
}

// Signed multiplies by something narrow.
//
//vyre:kernel workgroup=64
func Signed(t gpu.Thread, x, y []uint32, k int8) {
	i := t.Global().X
	y[i] = x[i] * uint32(int32(k))
}

// Say prints.
//
//vyre:kernel workgroup=64
func Say(t gpu.Thread, x, y []uint32) {
	i := t.Global().X
	if x[i] == 12345 {
		gpu.Printf(t, "found at %d\n", i)
	}
	y[i] = x[i]
}
`

// programs holds the stages, compiled once.
var programs = sync.OnceValue(func() map[string]*ir.Program {
	pkg, err := front.Parse(context.Background(), []front.File{{Name: "stages.go", Src: []byte(source)}}, front.Options{})
	if err != nil {
		panic(err)
	}
	m := map[string]*ir.Program{}
	for _, k := range pkg.Kernels() {
		m[k.Name] = k.Program
	}
	return m
})

// stage is a stage of a program of the source.
func stage(name string, items uint32, args ...driver.Arg) pipeline.Stage {
	p := programs()[name]
	if p == nil {
		panic("no program " + name)
	}
	return pipeline.Stage{Program: p, Args: args, Items: items}
}

// temp is a temp of n u32.
func temp(id int, n uint32) megakernel.Temp { return megakernel.Temp{ID: id, Bytes: 4 * int64(n)} }

var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

// bench is a device with what its launches stored, if it is the interpreter.
type bench struct {
	driver.Device
	t      *testing.T
	stores *atomic.Int64
}

// devices opens those that tests run on; the interpreter with all detectors.
func devices(t *testing.T) (all []*bench) {
	for _, name := range strings.Split(*deviceFlag, ",") {
		all = append(all, open(t, name))
	}
	return all
}

func open(t *testing.T, name string) *bench {
	t.Helper()
	b := &bench{t: t, stores: new(atomic.Int64)}
	var err error
	if name == "cpu" {
		b.Device, err = cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Detect: cpu.Everything, Hook: func(at interp.Break) {
			if at.Op() == ir.OpStore {
				for m := at.Mask; m != 0; m &= m - 1 {
					b.stores.Add(1)
				}
			}
		}}})
	} else {
		b.Device, err = driver.Open(long.Device(name), driver.OpenOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Device.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// buffer makes a buffer with some contents.
func (b *bench) buffer(words ...uint32) driver.Range {
	b.t.Helper()
	m, err := b.Alloc(4*int64(len(words)), driver.AllocOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { m.Close() })
	b.write(driver.All(m), words)
	return driver.All(m)
}

func (b *bench) write(r driver.Range, words []uint32) {
	b.t.Helper()
	var host []byte
	for _, w := range words {
		host = binary.LittleEndian.AppendUint32(host, w)
	}
	if err := driver.Write(context.Background(), r, host); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(r driver.Range) []uint32 {
	b.t.Helper()
	host := make([]byte, r.Len)
	if err := driver.ReadInto(context.Background(), r, host); err != nil {
		b.t.Fatal(err)
	}
	words := make([]uint32, len(host)/4)
	for k := range words {
		words[k] = binary.LittleEndian.Uint32(host[4*k:])
	}
	return words
}

// numbers are n different words.
func numbers(n int) []uint32 {
	words := make([]uint32, n)
	for k := range words {
		words[k] = uint32(k)*2654435761 + 7
	}
	return words
}

// ran is what a run came to.
type ran struct {
	p      *pipeline.Pipeline
	stores int64
}

// run makes a pipeline and runs it twice. What the detectors find is an error.
func (b *bench) run(o pipeline.Options, stages ...pipeline.Stage) ran {
	b.t.Helper()
	before := b.Stats()
	p, err := pipeline.New(context.Background(), b.Device, stages, o)
	if err != nil {
		b.t.Fatalf("%s: %v", b.Name(), err)
	}
	b.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.t.Error(err)
		}
	})
	host := false
	for _, s := range stages {
		host = host || s.Feed != nil || s.Take != nil
	}
	for range 2 {
		b.stores.Store(0)
		begin := b.Stats()
		if err := p.Run(context.Background()); err != nil {
			b.t.Fatalf("%s: %v", b.Name(), err)
		}
		predicted := p.Predicted()
		for _, d := range predicted.Check(p.Tally(before, begin, b.Stats())) {
			if !host {
				b.t.Errorf("%s: %v\n%s", b.Name(), d, p.Explain())
			}
		}
		for _, r := range p.Result().Reports {
			if strings.Contains(r.Text, "out of bounds") {
				continue // gives 0 and is meant
			}
			b.t.Errorf("%s: %s: %s", b.Name(), r.Kernel, r.Text)
		}
	}
	return ran{p, b.stores.Load()}
}
