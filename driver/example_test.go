package driver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

// The contract by itself works on bytes: package vyre gives them types.
func ExampleSequence() {
	ctx := context.Background()
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	b, err := dev.Alloc(8, driver.AllocOptions{Label: "bytes"})
	if err != nil {
		log.Fatal(err)
	}
	out := make([]byte, 8)
	seq := dev.NewSequence("fill and read")
	defer seq.Close()
	seq.Fill(driver.Part(b, 0, 4), 7, 1)
	seq.Upload(driver.Part(b, 4, 4), []byte{1, 2, 3, 4}, driver.Always)
	seq.Read(driver.All(b), out)
	if _, err := seq.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	fmt.Print(seq.Plan())
	// Output:
	// [7 7 7 7 1 2 3 4]
	// 0          fill bytes[0:4) with 0x7, width 1
	// 1          upload bytes[4:8), always, inputs 1
	// 2          read bytes[0:8), outputs 1, gap 0
}

// A package makes its devices known when it is imported.
func init() {
	driver.Register("small", driver.NotAuto, func(_ string, o driver.OpenOptions) (driver.Device, error) {
		o.MemoryLimit = 16
		return cpu.Open(cpu.Options{OpenOptions: o})
	}, func() ([]driver.Info, error) { return nil, nil })
}

// A device of one's own is opened like any other, here for a test of what happens without memory.
func ExampleRegister() {
	dev, err := driver.Open("small", driver.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	_, err = dev.Alloc(17, driver.AllocOptions{})
	fmt.Println(err)
	// Output: vyre: alloc on cpu: out of memory: requested 17 bytes, 16 available; fix: close buffers or split the work
}

// A graph that remembers results runs nothing for inputs that it has had.
func ExampleGraph_Memoize() {
	ctx := context.Background()
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	seq := dev.NewSequence("first half")
	defer seq.Close()
	out := make([]byte, 2)
	x := seq.Scratch(4)
	in := seq.Upload(driver.All(x), make([]byte, 4), driver.IfChanged)
	seq.Read(driver.Part(x, 0, 2), out)
	graph, err := seq.Capture(driver.CaptureOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := graph.Memoize(8, 1<<20); err != nil {
		log.Fatal(err)
	}
	for _, bytes := range [][]byte{{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 3, 4}} {
		if err := in.Set(bytes); err != nil {
			log.Fatal(err)
		}
		res, err := graph.Run(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out, res.Memoized)
	}
	// Output:
	// [1 2] false
	// [5 6] false
	// [1 2] true
}
