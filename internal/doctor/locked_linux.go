//go:build linux && (amd64 || arm64)

package doctor

import (
	"math"
	"syscall"
)

// lockedLimit returns how many bytes the process may lock.
func lockedLimit() (bytes uint64, unlimited, ok bool) {
	const locked = 8 // RLIMIT_MEMLOCK
	var r syscall.Rlimit
	if syscall.Getrlimit(locked, &r) != nil {
		return 0, false, false
	}
	return r.Cur, r.Cur == math.MaxUint64, true
}
