// Command cublas multiplies matrices by NVIDIA's cuBLAS between two kernels of its own, on the same memory and without a wait of
// the host. The product is in memory of the other library, which the program borrows; the factors are in its own, which it lends. Without
// cuBLAS or a GPU, a second vyre device is the other library.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

//go:generate go run ../../internal/gen/generate .

// The matrices are x, of h rows and n columns, y, of n rows and w columns, and their product z.
const h, n, w = 96, 80, 64

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	flag.Parse()
	if err := run(context.Background(), *device); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device string) (err error) {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	lib, err := chooseLibrary(ctx, dev)
	if err != nil {
		return errors.Join(err, dev.Close())
	}
	defer func() { err = errors.Join(err, dev.Close(), lib.close()) }() // the device before the memory that it borrows
	scale, err := CompileScale(ctx, dev)
	if err != nil {
		return err
	}

	// Small whole numbers, so that every sum is exact in whatever order it is made.
	xs, ys := numbers(h*n, 7), numbers(n*w, 5)
	x, err := vyre.Upload(ctx, dev, xs)
	if err != nil {
		return err
	}
	y, err := vyre.Upload(ctx, dev, ys)
	if err != nil {
		return err
	}
	borrowed, err := driver.Borrow(dev, driver.Foreign{Address: lib.address(), Bytes: 4 * h * w, Label: "product", Owner: lib, Turns: lib.turns()})
	if err != nil {
		return err
	}
	z, err := vyre.View[float32](borrowed)
	if err != nil {
		return err
	}
	lent, err := lend(lib, x.Memory(), y.Memory())
	if err != nil {
		return err
	}

	before, after := dev.NewSequence("before"), dev.NewSequence("after")
	scale.Launch(before, vyre.Cover(scale.Kernel, h*n), 2, 1, x) // x = 2x + 1
	got := make([]float32, h*w)
	scale.Launch(after, vyre.Cover(scale.Kernel, h*w), 3, -1, z) // z = 3z - 1
	after.Read(z.All(), vyre.Bytes(got))
	if err := turn(ctx, before, after, lib, lent); err != nil {
		return err
	}
	for i, v := range product(xs, ys) {
		if got[i] != v {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], v)
		}
	}
	fmt.Printf("3·(2x+1)·y-1 of %d×%d and %d×%d, in memory of another library: right, from %v to %v\n", h, n, n, w, slices.Min(got), slices.Max(got))
	return errors.Join(before.Close(), after.Close(), lent[0].Close(), lent[1].Close(), z.Close())
}
