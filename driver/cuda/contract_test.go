package cuda_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/drivertest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContractOnAFakeDriver(t *testing.T) {
	f := newFake()
	f.slow = true
	drivertest.Run(t, func() (driver.Device, error) { return f.open() })
	if left := f.left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}
