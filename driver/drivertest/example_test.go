package drivertest_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/drivertest"
)

// Whoever writes a device has this in its tests.
func ExampleRun() {
	TestContract := func(t *testing.T) {
		drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) {
			return cpu.Open(cpu.Options{OpenOptions: o})
		})
	}
	_ = TestContract // go test calls it
}
