package cusim

import "syscall"

// threadID tells operating system threads apart.
func threadID() int { return syscall.Gettid() }
