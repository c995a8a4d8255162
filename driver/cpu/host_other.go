//go:build !linux

package cpu

import "runtime"

// totalMemory returns 0, unknown: the standard library does not say, and what a cgroup or a
// job may use is not what the machine has.
func totalMemory() int64 { return 0 }

// model returns the architecture of the processor.
func model() string { return runtime.GOARCH }
