package cuda

import (
	"github.com/govyre/vyre/driver/cuda/internal/code"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/ptx"
)

// OnEmit calls f with every module that the device makes, before the driver gets it.
func (d *Device) OnEmit(f func(*ptx.Module)) { d.code.Emitted = f }

// ChooseTarget is what a device of capability sm gets under a driver.
func ChooseTarget(sm, driverVersion int) (target string, reduced bool, err error) {
	t, reduced, err := cutarget.Choose(sm, driverVersion)
	return t.String(), reduced, err
}

// Bandwidth is the speed of memory from its clock and its width.
func Bandwidth(clockKHz, busBits int) int { return bandwidth(clockKHz, busBits) }

// KeepModules sets how many modules the device keeps loaded.
func (d *Device) KeepModules(n int) { d.code.Most = n }

// KeepStreams sets how many streams there are before runs share one.
func (d *Device) KeepStreams(n int) { d.streams.Most = n }

// SetTransfers sets up to which size a transfer is staged, in what chunks larger ones go through a ring of four,
// two at once, and how many goroutines help to copy them.
func (d *Device) SetTransfers(staged, chunk int64, copiers int) {
	r := d.rings
	r.Staged, r.Chunk, r.Slots, r.Batch, r.Copiers = staged, chunk, 4, 2, copiers
}

// KeepImageBytes sets how large the images of modules kept loaded may be together.
func (d *Device) KeepImageBytes(n int) { d.code.MostBytes = n }

// ImageKey is the key of an image on disk.
var ImageKey = code.ImageKey

// Settle waits until it is decided which images are kept.
func (d *Device) Settle() { d.code.Settle() }

// AwaitCompilations waits until those under way have ended, and unloaded what made room.
func (d *Device) AwaitCompilations() { d.code.Wait() }
