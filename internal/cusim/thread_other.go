//go:build !linux

package cusim

// threadID takes all threads for one, where the system does not say which one this is.
func threadID() int { return 1 }
