//go:build race

package gpu

import (
	"runtime"
	"unsafe"
)

// Under the race detector every lock, channel and atomic of ours would order what the
// invocations did before it against what others do after it, and so hide races of the
// kernel: between groups that follow each other, between warps, between invocations that
// merely return. What the kernel language does not order is therefore hidden from the detector.

// maxGoroutines is the most invocations that may be alive at once. The detector ends the
// process at 8128 goroutines; some are left for the rest of the program.
const maxGoroutines = 8000

// hide makes the detector ignore the synchronisation of this goroutine until show. Only
// atomics and channels may stand between: plain memory is still watched.
func hide() { runtime.RaceDisable() }

func show() { runtime.RaceEnable() }

// publish orders what this goroutine did before what follows an observe of the same address.
func publish(p unsafe.Pointer) { runtime.RaceReleaseMerge(p) }

func observe(p unsafe.Pointer) { runtime.RaceAcquire(p) }
