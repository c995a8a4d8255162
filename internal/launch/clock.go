package launch

import "time"

var began = time.Now()

// Nanoseconds is the timer of device cpu, the same for all invocations of a process: nanoseconds since it began, about.
func Nanoseconds() uint64 { return uint64(time.Since(began)) }
