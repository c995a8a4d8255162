// Command saxpy adds two vectors of a million numbers, one of them scaled. It is the shortest
// complete program with a kernel: kernel.go is the kernel, kernels_vyre.go what go generate makes
// of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/govyre/vyre"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	flag.Parse()
	if err := run(context.Background(), *device); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	saxpy, err := CompileSaxpy(ctx, dev)
	if err != nil {
		return err
	}

	const n, a = 1 << 20, 2
	x, y := make([]float32, n), make([]float32, n)
	for i := range n {
		x[i], y[i] = float32(i), float32(n-i)
	}
	if _, err := saxpy.Run(ctx, vyre.Cover(saxpy, n), a, x, y); err != nil {
		return err
	}

	for i, got := range y {
		if want := a*float32(i) + float32(n-i); got != want {
			return fmt.Errorf("y[%d] is %v, want %v", i, got, want)
		}
	}
	fmt.Printf("%d elements are right: y[0] = %.0f … y[%d] = %.0f\n", n, y[0], n-1, y[n-1])
	return nil
}
