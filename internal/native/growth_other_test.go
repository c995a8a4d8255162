//go:build !linux

package native_test

import "time"

var begun = time.Now()

// threadTime is the time on the clock.
func threadTime() time.Duration { return time.Since(begun) }
