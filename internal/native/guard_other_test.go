//go:build !linux

package native_test

// atPageEnd copies data; where pages can be taken away it puts it beside such a one.
func atPageEnd(data []byte) []byte { return aligned(data) }
