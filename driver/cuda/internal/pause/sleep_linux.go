package pause

import (
	"syscall"
	"time"
)

// sleep sleeps by the system's own call: time.Sleep takes a millisecond and more in a process
// that is otherwise idle. To be woken early by a signal does no harm.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
