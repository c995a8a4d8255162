package driver

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/internal/matrix"
)

// models are the devices that need not be there: what CUDA says of one of each family. A group has up to 1024 threads on
// all of them, a unit 65536 registers.
var models = []struct {
	model                               string
	major, minor                        int
	units, threads, groups              int // threads and groups of a unit
	sharedUnit, sharedOptin             int
	clockKHz, memKHz, busBits, l2MBytes int
}{
	{"V100", 7, 0, 80, 2048, 32, 98304, 98304, 1530000, 877000, 4096, 6},
	{"T4", 7, 5, 40, 1024, 16, 65536, 65536, 1590000, 5001000, 256, 4},
	{"A100", 8, 0, 108, 2048, 32, 167936, 166912, 1410000, 1215000, 5120, 40},
	{"RTX 3090", 8, 6, 82, 1536, 16, 102400, 101376, 1695000, 9751000, 384, 6},
	{"RTX 4090", 8, 9, 128, 1536, 24, 102400, 101376, 2520000, 10501000, 384, 72},
	{"H200", 9, 0, 132, 2048, 32, 233472, 232448, 1980000, 3201000, 6144, 60},
	{"B200", 10, 0, 148, 2048, 32, 233472, 232448, 1965000, 3996000, 8192, 126},
	{"RTX 5090", 12, 0, 170, 1536, 24, 102400, 101376, 2407000, 14001000, 512, 96},
}

// Models returns what GPUs are like that need not be there, ascending, under CUDA 13. Caps.Name is sm_70, sm_75, sm_80,
// sm_86, sm_89, sm_90, sm_100 or sm_120. They are for Occupy and Diagnose. Open("cuda-sim:sm_80") runs programs on such a
// device, in a program that imports driver/cudasim.
//
// How much memory they have is left open. The result is the caller's own.
func Models() []*Caps {
	all := make([]*Caps, len(models))
	for i, m := range models {
		newer := m.major >= 8
		c := &Caps{
			Identity: Identity{Name: fmt.Sprintf("sm_%d%d", m.major, m.minor), Model: m.model, DriverVersion: 13000, Simulated: true, Major: m.major, Minor: m.minor},
			Processors: Processors{Units: m.units, WarpSize: 32, ClockKHz: m.clockKHz, RegsGroup: 65536, RegsUnit: 65536, RegsMax: 255,
				MaxThreadsPerGroup: 1024, MaxGroupDim: [3]uint32{1024, 1024, 64}, MaxGridDim: [3]uint32{math.MaxInt32, 65535, 65535},
				MaxThreadsPerUnit: m.threads, MaxGroupsPerUnit: m.groups},
			SharedMemory: SharedMemory{SharedPerGroup: 48 << 10, SharedOptin: m.sharedOptin, SharedPerUnit: m.sharedUnit},
			DeviceMemory: DeviceMemory{AllocAlign: 256, L2Bytes: m.l2MBytes << 20, ConstBytes: 64 << 10, MemClockKHz: m.memKHz, BusBits: m.busBits,
				BandwidthGBs: m.memKHz * m.busBits / 4_000_000},
			System: System{AsyncEngines: 3, ConcurrentKernels: true, StreamPriorities: true, UnifiedAddressing: true, HostRegister: true},
			Features: Features{GridBarrier: true, MemPools: true, StreamFlag: true, Graphs: true, LoopNodes: true, F16: true, BF16: newer, F64: true,
				Atomic64: true, AtomicF32: true, AtomicF64: true, Redux: newer, Subgroup: true, Trap: true,
				Matrix: MatrixUnits{matrix.GenerationOf(m.major, m.minor).String(), matrix.Offered(10*m.major + m.minor)}, Timing: "device timestamps", CommandTimes: true},
		}
		if c.Target = c.Name; m.major >= 9 {
			c.Target += "a"
		}
		if newer {
			c.SharedReserved = 1 << 10
		}
		all[i] = c
	}
	return all
}
