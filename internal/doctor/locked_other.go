//go:build !(linux && (amd64 || arm64))

package doctor

// lockedLimit reports that the system does not tell how many bytes the process may lock.
func lockedLimit() (bytes uint64, unlimited, ok bool) { return 0, false, false }
