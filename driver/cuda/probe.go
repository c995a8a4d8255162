package cuda

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
)

// unavailable says why a GPU that is there cannot be used.
func unavailable(label, fix, format string, args ...any) *driver.Error {
	return &driver.Error{Op: "open", Label: label, Kind: driver.Unavailable, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// prober asks a device for its properties. An attribute that cannot be had counts as 0: what
// hangs on it is then off, or its known bound, and the device still opens.
type prober struct {
	drv cu.Driver
	dev cu.Device
}

func (p prober) attr(a cu.Attribute) int {
	v, err := p.drv.DeviceGetAttribute(a, p.dev)
	if err != nil || v < 0 {
		return 0
	}
	return v
}

func (p prober) is(a cu.Attribute) bool { return p.attr(a) != 0 }

// bound returns an attribute that is a limit. Without it the limit that every device of
// capability 7.0 and up has is good.
func (p prober) bound(a cu.Attribute, floor int) int {
	if v := p.attr(a); v > 0 {
		return v
	}
	return floor
}

// probe fills the capabilities of a device. It needs no context.
func probe(drv cu.Driver, dev cu.Device, name string, ordinal int) (driver.Caps, ptx.Target, error) {
	p := prober{drv, dev}
	c := driver.Caps{Identity: driver.Identity{Name: name, Ordinal: ordinal}}
	version, err := drv.DriverGetVersion()
	if err != nil {
		return c, ptx.Target{}, primary.ErrorOf("open", name, err)
	}
	c.DriverVersion = version
	if version < cutarget.OldestDriver {
		return c, ptx.Target{}, unavailable(name, "update the NVIDIA driver to 470 or newer", "the driver is of CUDA %s, 11.4 is the oldest that works", cutarget.VersionText(version))
	}
	// Everything else has a floor, but what the GPU executes cannot be guessed. Without the minor
	// number it gets what the first GPUs of its generation took.
	if c.Major, err = drv.DeviceGetAttribute(cu.CapabilityMajor, dev); err != nil {
		return c, ptx.Target{}, primary.ErrorOf("open", name, err)
	}
	c.Minor = p.attr(cu.CapabilityMinor)
	sm := 10*c.Major + c.Minor
	target, reduced, err := cutarget.Choose(sm, version)
	if err != nil {
		return c, target, unavailable(name, "", "%v", err)
	}
	c.Target, c.TargetReduced = target.String(), reduced
	if c.WarpSize = p.bound(cu.WarpSize, 32); c.WarpSize != 32 {
		return c, target, unavailable(name, "", "a warp has %d threads, programs are made for 32", c.WarpSize)
	}
	// A device without a name or an identity works as well as any other.
	c.Model, _ = drv.DeviceGetName(dev)
	if id, err := drv.DeviceGetUuid(dev); err == nil {
		c.UUID = id.String()
	}
	c.PCI = fmt.Sprintf("%04x:%02x:%02x.0", p.attr(cu.PCIDomainID), p.attr(cu.PCIBusID), p.attr(cu.PCIDeviceID))

	c.Units = p.bound(cu.MultiprocessorCount, 1)
	c.ClockKHz = p.attr(cu.ClockRate)
	c.RegsGroup, c.RegsUnit, c.RegsMax = p.bound(cu.RegistersPerBlock, 1<<16), p.bound(cu.RegistersPerUnit, 1<<16), 255
	c.MaxThreadsPerGroup = p.bound(cu.MaxThreadsPerBlock, 1024)
	c.MaxGroupDim = [3]uint32{uint32(p.bound(cu.MaxBlockDimX, 1024)), uint32(p.bound(cu.MaxBlockDimY, 1024)), uint32(p.bound(cu.MaxBlockDimZ, 64))}
	c.MaxGridDim = [3]uint32{uint32(p.bound(cu.MaxGridDimX, math.MaxInt32)), uint32(p.bound(cu.MaxGridDimY, 65535)), uint32(p.bound(cu.MaxGridDimZ, 65535))}
	c.MaxThreadsPerUnit, c.MaxGroupsPerUnit = p.bound(cu.MaxThreadsPerUnit, 1024), p.bound(cu.MaxBlocksPerUnit, 16)
	c.SharedPerGroup = p.bound(cu.SharedPerBlock, 48<<10)
	c.SharedOptin = max(p.attr(cu.SharedPerBlockOptin), c.SharedPerGroup)
	c.SharedPerUnit = max(p.attr(cu.SharedPerUnit), c.SharedOptin)
	c.SharedReserved = p.attr(cu.ReservedSharedPerBlock)

	// Without a total the driver decides, allocation by allocation.
	c.TotalMemory, _ = drv.DeviceTotalMem(dev)
	if c.MaxBuffer = c.TotalMemory; c.MaxBuffer <= 0 {
		c.MaxBuffer = 1 << 47
	}
	c.AllocAlign = memory.Alignment
	c.L2Bytes, c.L2Persist, c.ConstBytes = p.attr(cu.L2CacheSize), p.attr(cu.MaxPersistingL2), p.attr(cu.ConstantMemory)
	c.MemClockKHz, c.BusBits = p.attr(cu.MemoryClockRate), p.attr(cu.GlobalMemoryBusWidth)
	c.BandwidthGBs = bandwidth(c.MemClockKHz, c.BusBits)

	c.AsyncEngines, c.ConcurrentKernels, c.StreamPriorities = p.attr(cu.AsyncEngineCount), p.is(cu.ConcurrentKernels), p.is(cu.StreamPriorities)
	c.Integrated, c.ECC, c.Watchdog, c.ComputeMode = p.is(cu.Integrated), p.is(cu.ECCEnabled), p.is(cu.KernelExecTimeout), p.attr(cu.ComputeMode)
	c.UnifiedAddressing, c.HostRegister, c.PageableAccess = p.is(cu.UnifiedAddressing), p.is(cu.HostRegisterSupported), p.is(cu.PageableMemoryAccess)

	c.GridBarrier = p.is(cu.CooperativeLaunch) && drv.Has(cu.Coop)
	c.MemPools = drv.Has(cu.Pool) && p.is(cu.MemoryPools)
	c.Graphs = drv.Has(cu.Graphing)
	c.LoopNodes = c.Graphs && drv.Has(cu.Cond) && version >= cutarget.FirstLoops
	c.F16, c.F64, c.Atomic64, c.AtomicF32, c.AtomicF64 = true, true, true, true, true
	c.BF16, c.Redux = target.SM >= 80, target.SM >= 80
	c.Matrix = driver.MatrixUnits{Generation: matrix.GenerationOf(c.Major, c.Minor).String(), Forms: matrix.Offered(target.SM)}
	c.Subgroup, c.Trap, c.Timing, c.CommandTimes = true, true, "device timestamps", true
	return c, target, nil
}

// bandwidth returns what the memory moves in a second: its clock, two transfers a cycle, the
// width of its bus.
func bandwidth(clockKHz, busBits int) int { return clockKHz * busBits / 4_000_000 }
