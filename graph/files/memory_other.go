//go:build !linux

package files

// halfOfMemory is what arcs may take if nobody says more: what a machine has is told by each system in another way, and 16
// GiB are common.
func halfOfMemory() int64 { return 8 << 30 }
