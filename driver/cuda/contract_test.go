package cuda_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/govyre/vyre/driver"
	"go.uber.org/goleak"
)

// TestMain keeps what a developer has set out of what tests count, and looks for goroutines that were left.
func TestMain(m *testing.M) {
	os.Unsetenv(driver.EnvCacheDir)
	os.Unsetenv(driver.EnvCacheBytes)
	flag.Parse()
	goleak.VerifyTestMain(closing{m}, mayStay()...)
}

// closing closes what the tests of a process share before goroutines are counted.
type closing struct{ *testing.M }

func (c closing) Run() int {
	code := c.M.Run()
	if held.dev == nil {
		return code
	}
	if *gpuKeep {
		os.Exit(code) // racecheck was seen to crash in a thread of its own while modules went
	}
	if err := held.dev.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the GPU:", err)
		return max(code, 1)
	}
	return code
}
