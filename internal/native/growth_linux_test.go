package native_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long the processor has worked for this thread.
func threadTime() time.Duration {
	var at unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at) // which all kernels have
	return time.Duration(at.Nano())
}
