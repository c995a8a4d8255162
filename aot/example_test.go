package aot_test

import (
	"context"
	"fmt"
	"log"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// A build makes the bundle, and a program that embeds it loads its kernels.
func Example() {
	ps, err := text.Parse("twice.vyre", `vyre 1
kernel @twice workgroup(4) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  %s = add.u32 %v, %v
  store @x[%i], %s
}`)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	data, err := aot.Build(ctx, map[string]*ir.Program{"twice": ps[0]}, aot.Options{Targets: []string{"sm_80"}})
	if err != nil {
		log.Fatal(err)
	}

	bundle, err := aot.Open(string(data))
	if err != nil {
		log.Fatal(err)
	}
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	k, err := bundle.Load(ctx, dev, "twice", driver.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}
	_, err = driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x))
	fmt.Println(x, err, k.Artifact().Origin)
	// Output: [2 0 0 0 4 0 0 0 6 0 0 0 8 0 0 0] <nil> image
}
