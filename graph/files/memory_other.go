//go:build !linux

package files

// HalfOfMemory is what arcs and a graph may take if nobody says more: what a machine has is told by each system in another way, and 16
// GiB are common.
func HalfOfMemory() int64 { return 8 << 30 }
