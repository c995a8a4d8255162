package cusim_test

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// The next allocation fails as if memory were gone. The device goes on, and nothing is left when it is closed.
func ExampleDriver_Fail() {
	d := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	dev, err := cuda.Open(cuda.Options{Driver: d})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range 2 { // a device that gets no memory gives back what it keeps and asks once more
		d.Fail(cusim.Rule{Call: "cuMemAllocFromPoolAsync", Nth: 1 + n, Result: cu.OutOfMemory})
	}
	_, err = dev.Alloc(64<<20, driver.AllocOptions{Label: "edges"})
	fmt.Println(errors.Is(err, driver.OutOfMemory))
	b, err := dev.Alloc(64<<20, driver.AllocOptions{Label: "edges"})
	fmt.Println(err)
	fmt.Println(b.Close(), dev.Close(), d.Left() == "")
	// Output:
	// true
	// <nil>
	// <nil> <nil> true
}
