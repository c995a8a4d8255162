package cpu_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/kernel"
)

// The kernels of docs/cpu-slow.md, each with the loop in Go that does the same.
const slowKernels = `package k

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=256
func Atomics(t gpu.Thread, data []uint32, bins []uint32) {
	if i := t.Global().X; i < uint32(len(data)) {
		gpu.AtomicAdd(&bins[data[i]&255], 1)
	}
}

//vyre:kernel workgroup=256
func Shared(t gpu.Thread, data []uint32, bins []uint32) {
	part := gpu.Shared[uint32](t, 256)
	l := t.Local().X
	part[l] = 0
	t.Barrier()
	for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
		gpu.AtomicAdd(&part[data[i]&255], 1)
	}
	t.Barrier()
	if part[l] > 0 {
		gpu.AtomicAdd(&bins[l], part[l])
	}
}

//vyre:kernel workgroup=256
func One(t gpu.Thread, data []uint32, sums []uint32) {
	if i := t.Global().X; i < uint32(len(data)) {
		gpu.AtomicAdd(&sums[0], data[i])
	}
}

//vyre:kernel workgroup=256
func Private(t gpu.Thread, data []uint32, sums []uint32) {
	mine := uint32(0)
	for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
		mine += data[i]
	}
	mine = gpu.ReduceAdd(t, mine)
	if t.Elect() {
		gpu.AtomicAdd(&sums[0], mine)
	}
}

//vyre:kernel workgroup=256
func Tree(t gpu.Thread, data []uint32, sums []uint32) {
	part := gpu.Shared[uint32](t, 256)
	l := t.Local().X
	part[l] = 0
	if i := t.Global().X; i < uint32(len(data)) {
		part[l] = data[i]
	}
	for half := uint32(128); half > 0; half /= 2 {
		t.Barrier()
		if l < half {
			part[l] += part[l+half]
		}
	}
	if l == 0 {
		gpu.AtomicAdd(&sums[0], part[0])
	}
}

//vyre:kernel workgroup=256
func Add(t gpu.Thread, data []uint32, out []uint32) {
	if i := t.Global().X; i < uint32(len(data)) && i < uint32(len(out)) {
		out[i] = data[i] + 1
	}
}

//vyre:kernel workgroup=256
func Steps(t gpu.Thread, data []uint32, out []uint32) {
	if i := t.Global().X; i < uint32(len(data)) && i < uint32(len(out)) {
		n, x := uint32(0), data[i]&65535|1
		for x != 1 {
			if x&1 == 0 {
				x /= 2
			} else {
				x = 3*x + 1
			}
			n++
		}
		out[i] = n
	}
}
`

func slowKernel(b *testing.B, d *cpu.Device, name string) driver.Kernel {
	p, err := kernel.Program(slowKernels, name)
	if err != nil {
		b.Fatal(err)
	}
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return k
}

func steps(x uint32) (n uint32) {
	for x = x&65535 | 1; x != 1; n++ {
		if x&1 == 0 {
			x /= 2
		} else {
			x = 3*x + 1
		}
	}
	return n
}

// BenchmarkSlow measures what docs/cpu-slow.md says. Data are in device memory, but for Dispatch.
//
//	go test ./driver/cpu -run none -bench Slow
func BenchmarkSlow(b *testing.B) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	const n = 1 << 18
	data := make([]uint32, n)
	var raw []byte
	for i := range data {
		data[i] = rand.Uint32()
		raw = binary.LittleEndian.AppendUint32(raw, data[i])
	}
	in, err := d.Alloc(4*n, driver.AllocOptions{})
	if err == nil {
		err = driver.Write(ctx, driver.All(in), raw)
	}
	if err != nil {
		b.Fatal(err)
	}
	out, err := d.Alloc(4*n, driver.AllocOptions{})
	if err != nil {
		b.Fatal(err)
	}
	own := make([]uint32, n)
	loop := func(name string, f func()) {
		b.Run(name+"/Go", func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
	launch := func(name, kernel string, grid driver.Grid) {
		b.Run(name+"/"+kernel, func(b *testing.B) {
			s := d.NewSequence(kernel)
			defer s.Close()
			s.Launch(slowKernel(b, d, kernel), grid, driver.All(in), driver.All(out))
			for b.Loop() {
				if _, err := s.Run(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	loop("Histogram", func() {
		for _, x := range data {
			own[x&255]++
		}
	})
	launch("Histogram", "Atomics", driver.Groups(n/256))
	launch("Histogram", "Shared", driver.Groups(16))
	loop("Sum", func() {
		for _, x := range data {
			own[0] += x
		}
	})
	launch("Sum", "One", driver.Groups(n/256))
	launch("Sum", "Tree", driver.Groups(n/256))
	launch("Sum", "Private", driver.Groups(16))
	loop("Steps", func() {
		for i, x := range data {
			own[i] = steps(x)
		}
	})
	launch("Steps", "Steps", driver.Groups(n/256))
	small := slowKernel(b, d, "Add")
	for _, m := range []int{256, 4096, 65536, n} {
		loop(fmt.Sprintf("Small/%d", m), func() {
			for i, x := range data[:m] {
				own[i] = x + 1
			}
		})
		launch(fmt.Sprintf("Small/%d", m), "Add", driver.Groups(uint32(m/256)))
		b.Run(fmt.Sprintf("Small/%d/Dispatch", m), func(b *testing.B) {
			to := make([]byte, 4*m)
			for b.Loop() {
				if _, err := driver.Dispatch(ctx, small, driver.Groups(uint32(m/256)), driver.In(raw[:4*m]), driver.Out(to)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
