package cuda

import (
	"fmt"
	"os"
	"sync"

	"github.com/govyre/vyre/internal/nvtx"
)

// profiler is the profilers' library, bound once a process.
var profiler = sync.OnceValues(func() (*nvtx.Library, error) { return nvtx.Load("") })

var saidMissing sync.Once

// markRanges makes the device mark its work for profilers, if the environment asks for it.
// That they are not there is said once a process.
func (d *Device) markRanges() {
	if os.Getenv(nvtx.Env) == "" {
		return
	}
	lib, err := profiler()
	if err != nil {
		saidMissing.Do(func() { fmt.Fprintln(d.Debug().Output, "vyre:", err) })
		return
	}
	d.MarkRanges(lib)
}
