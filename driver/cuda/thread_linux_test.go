package cuda_test

import "syscall"

// threadID tells operating system threads apart.
func threadID() int { return syscall.Gettid() }
