package cuda_test

import (
	"os"
	"testing"

	"github.com/govyre/vyre/driver"
	"go.uber.org/goleak"
)

// TestMain keeps what a developer has set out of what tests count.
func TestMain(m *testing.M) {
	os.Unsetenv(driver.EnvCacheDir)
	os.Unsetenv(driver.EnvCacheBytes)
	goleak.VerifyTestMain(m)
}
