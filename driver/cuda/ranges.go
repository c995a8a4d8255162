package cuda

import (
	"fmt"
	"io"
	"sync"

	"github.com/govyre/vyre/internal/nvtx"
)

// markRanges makes the device mark its work for profilers, if the environment asks for it.
func (d *Device) markRanges() {
	if nvtx.Wanted() {
		d.MarkRanges(ranges{d.Debug().Output})
	}
}

// ranges are those of the process, whose library is loaded at the first of them.
type ranges struct{ say io.Writer }

var saidMissing sync.Once

// library returns nil where ranges cannot be marked. That is said once a process.
func (r ranges) library() nvtx.Ranges {
	lib, err := nvtx.OfProcess()
	if err != nil {
		saidMissing.Do(func() { fmt.Fprintln(r.say, "vyre:", err) })
		return nil
	}
	return lib
}

// Start starts a range that any thread may end.
func (r ranges) Start(text string) (id uint64) {
	if lib := r.library(); lib != nil {
		return lib.Start(text)
	}
	return 0
}

// End ends a range.
func (r ranges) End(id uint64) {
	if lib := r.library(); lib != nil {
		lib.End(id)
	}
}
