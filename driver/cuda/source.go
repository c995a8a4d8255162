package cuda

import "github.com/govyre/vyre/driver/cuda/cu"

// source is where device memory comes from and goes back to.
type source struct{ dev *Device }

// obtain returns size bytes that nothing uses. The context is current.
func (s *source) obtain(size int64) (cu.Ptr, error) { return s.dev.drv.MemAlloc(size) }

// giveBack frees memory that nothing uses. The context is current.
func (s *source) giveBack(at cu.Ptr) error { return s.dev.drv.MemFree(at) }

// stalls reports whether giveBack waits for all work of the device.
func (s *source) stalls() bool { return true }

// settle ends what giveBack began and lets the driver keep nothing for later.
func (s *source) settle() error { return nil }
