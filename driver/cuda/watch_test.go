package cuda_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// straying is a driver under which one group more has arrived in a barrier block that is read back.
type straying struct {
	cu.Driver
	at int // in the block; -1 for nowhere
}

func (d *straying) MemcpyDtoHAsync(dst unsafe.Pointer, src cu.Ptr, n int64, s cu.Stream) error {
	err := errors.Join(d.Driver.MemcpyDtoHAsync(dst, src, n, s), d.StreamSynchronize(s))
	if err == nil && d.at >= 0 && n == 128 {
		*(*uint32)(unsafe.Add(dst, d.at))++
	}
	return err
}

// A device that is watched counts who came to the barriers of a launch.
func TestWatchedLaunchesCountArrivals(t *testing.T) {
	p := parse(t, `vyre 1
kernel @few workgroup(32) {
  param @x: buf<u32> rw
  %g = group.x
  %s = barrier_add.first 1_u32, #9
  barrier.first #2
  barrier.first #2
  %a = atomic_add.relaxed.dev @x[0_u32], %s
  barrier.grid
}`)
	for at, want := range map[int]string{-1: "",
		0:  "4 arrivals at grid barriers are no multiple of its 3 groups",
		64: "5 arrivals at barriers of the first 2 groups are no multiple of its 2 groups",
		96: "4 arrivals at barriers of the first 9 groups are no multiple of its 3 groups",
	} {
		d, err := cuda.Open(cuda.Options{Driver: &straying{cusim.New(eager), at}, OpenOptions: driver.OpenOptions{Debug: "sync"}})
		if err != nil {
			t.Fatal(err)
		}
		k, err := d.Compile(ctx, p, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.Alloc(4, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence("watched")
		s.Launch(k, driver.Groups(3), driver.All(x))
		_, err = s.Run(ctx)
		switch {
		case want == "" && err != nil:
			t.Errorf("arrivals at %d: %v", at, err)
		case want != "" && (!errors.Is(err, driver.DeviceFault) || !strings.Contains(err.Error(), want)):
			t.Errorf("one arrival more at %d: %v, want %q", at, err, want)
		}
	}
}
