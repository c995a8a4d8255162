//go:build !linux

package cuda

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
