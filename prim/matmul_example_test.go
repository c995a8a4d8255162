package prim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim"
)

// A product is made for greatest sizes, recorded, and run as often as one wants. Here A has two rows, B lies in memory by its
// columns, and the second run adds the product to what the first has left.
func ExampleNewMatMul() {
	ctx := context.Background()
	dev, err := vyre.Open("cpu")
	check(err)
	defer dev.Close()
	dims := prim.Dims{M: 2, N: 3, K: 2}
	product, err := prim.NewMatMul[gpu.BFloat16, float32](ctx, dev, prim.MatMulOptions{Dims: dims, TransB: true})
	check(err)
	defer product.Close()

	var x []gpu.BFloat16
	for _, v := range []float32{1, 2, 3, 4, 10, 100, 0.5, 0.25} {
		x = append(x, gpu.ToBFloat16(v))
	}
	a, err := vyre.Upload(ctx, dev, x[:4])
	check(err)
	b, err := vyre.Upload(ctx, dev, append(x[4:], x[:2]...))
	check(err)
	c, err := vyre.Alloc[float32](dev, 6)
	check(err)
	seq := dev.NewSequence("product")
	defer seq.Close()
	step := product.Record(seq, dims, a, b, c)
	for _, beta := range []float64{0, 1} {
		check(step.SetScale(1, beta))
		_, err = seq.Run(ctx)
		check(err)
		y, err := c.Read(ctx)
		check(err)
		fmt.Println(y)
	}
	// Output:
	// [210 1 5 430 2.5 11]
	// [420 2 10 860 5 22]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
