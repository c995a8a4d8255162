package cu_test

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// counting is a driver that counts the allocations which pass through it.
type counting struct {
	cu.Driver
	bytes int64
}

func (c *counting) MemAllocFromPoolAsync(bytes int64, p cu.MemPool, s cu.Stream) (cu.Ptr, error) {
	c.bytes += bytes
	return c.Driver.MemAllocFromPoolAsync(bytes, p, s)
}

// A test wraps a driver, the real one of Load or a simulated one, and gives it to a device.
func ExampleDriver() {
	c := &counting{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}})}
	dev, err := cuda.Open(cuda.Options{Driver: c})
	if err != nil {
		fmt.Println(err)
		return
	}
	before := c.bytes
	b, err := dev.Alloc(1<<20, driver.AllocOptions{Label: "edges"})
	fmt.Println(c.bytes-before >= 1<<20, err)
	fmt.Println(b.Close(), dev.Close())
	// Output:
	// true <nil>
	// <nil> <nil>
}
