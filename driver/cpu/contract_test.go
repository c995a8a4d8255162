package cpu_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/driver/drivertest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	drivertest.Run(t, func(o driver.OpenOptions) (driver.Device, error) { return cpu.Open(cpu.Options{OpenOptions: o}) })
}
