package session_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/long"
)

// TestMain looks at what the tests of this package take of memory, which other packages' tests need at the same time: a device or a
// session that stays reachable shows there first. Garbage is no part of it, so it is collected before it takes as much as is allowed,
// unless the environment says when. The driver of a GPU keeps hundreds of MiB of this process for what it compiles, and figures are of
// large graphs, so neither is judged.
func TestMain(m *testing.M) {
	const most = 1 << 30
	own := os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == ""
	if own {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(most / 4 * 3)
	}
	status := m.Run()
	// The race detector takes several times as much.
	judged := !raceDetector() && !long.Enabled() && *figuresFlag == "" && !slices.Contains(devices(), "cuda")
	if status == 0 && own && judged {
		if kib := peak(); kib<<10 > most {
			fmt.Printf("the tests took %d MiB of memory, want at most %d\n", kib>>10, most>>20)
			status = 1
		}
	}
	os.Exit(status)
}

// peak is how many KiB of memory the process had at most; 0 if the system does not say. What getrusage counts is that of the process
// that started this one, too.
func peak() (kib int) {
	status, _ := os.ReadFile("/proc/self/status")
	if _, rest, found := strings.Cut(string(status), "VmHWM:"); found {
		fmt.Sscan(rest, &kib)
	}
	return kib
}

// raceDetector reports whether the tests were built with it.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
