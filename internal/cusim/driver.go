package cusim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// Results that calls fail with.
const (
	invalidValue      cu.Result = 1
	notInitialized    cu.Result = 3
	invalidDevice     cu.Result = 101
	invalidContext    cu.Result = 201
	invalidImage      cu.Result = 200
	noBinary          cu.Result = 209
	invalidPTX        cu.Result = 218
	newerPTX          cu.Result = 222
	invalidHandle     cu.Result = 400
	notFound          cu.Result = 500
	illegalAddress    cu.Result = 700
	outOfResources    cu.Result = 701
	timeout           cu.Result = 702
	alreadyRegistered cu.Result = 712
	notRegistered     cu.Result = 713
	misaligned        cu.Result = 716
	launchFailed      cu.Result = 719
	tooLarge          cu.Result = 720
)

// Driver is a simulated driver.
type Driver struct {
	config Config

	mu      sync.Mutex
	ready   bool
	devices []*device
	current map[int]cu.Context // by thread
	pushed  map[int][]cu.Context
	next    uintptr
	rng     *rand.Rand // nil without a seed

	streams map[cu.Stream]*stream
	events  map[cu.Event]*event
	modules map[cu.Module]*module
	links   map[cu.LinkState]*link
	pools   map[cu.MemPool]*pool
	graphs  map[cu.Graph]*graph
	nodes   map[cu.GraphNode]*node
	execs   map[cu.GraphExec]*executable
	funcs   map[cu.Function]*function
	hosts   map[unsafe.Pointer]*hostRange // allocated
	pins    map[unsafe.Pointer]*hostRange // registered

	names  []string       // of all calls, if they are recorded
	calls  int            // how many there were
	counts map[string]int // by name

	report Report
}

var (
	_ cu.Driver  = (*Driver)(nil)
	_ cu.Watcher = (*Driver)(nil)
	_ cu.Idle    = (*Driver)(nil)
)

// device is a GPU with its primary context.
type device struct {
	drv     *Driver
	ordinal int
	model   Model
	attrs   map[cu.Attribute]int
	memory  int64
	mem     *machine.Memory

	ctx     cu.Context // while it is retained
	retains int
	sticky  error // what the context did not survive
	lasts   error // what an earlier one did not, if no other is made
	pools   []*pool
	pooled  map[cu.Ptr]*pooled
	order   []*stream // with work, in the order in which they got it
	legacy  *stream
	awaited bool // somebody waits for work and does nothing else
}

// Report is what a driver has seen.
type Report struct {
	Launches uint64
	Steps    uint64 // instructions of warps
	Lanes    uint64 // instructions of lanes
	Findings []Finding
	Faults   []*machine.Fault
}

// Finding is what was found in a kernel.
type Finding struct {
	Kernel string
	machine.Finding
}

// maxFindings bounds how many findings a report keeps.
const maxFindings = 1000

// New returns a driver.
func New(c Config) *Driver {
	if c.Models == nil {
		c.Models = Models()
	}
	if c.Memory == 0 {
		c.Memory = defaultMemory
	}
	if c.Version == 0 {
		c.Version = defaultVersion
	}
	if c.Budget == 0 {
		c.Budget = defaultBudget
	}
	c.Faults = slices.Clone(c.Faults)
	d := &Driver{config: c, current: make(map[int]cu.Context), pushed: make(map[int][]cu.Context), next: 0x1000,
		streams: make(map[cu.Stream]*stream), events: make(map[cu.Event]*event), modules: make(map[cu.Module]*module), links: make(map[cu.LinkState]*link), pools: make(map[cu.MemPool]*pool),
		graphs: make(map[cu.Graph]*graph), nodes: make(map[cu.GraphNode]*node), execs: make(map[cu.GraphExec]*executable), funcs: make(map[cu.Function]*function),
		hosts: make(map[unsafe.Pointer]*hostRange), pins: make(map[unsafe.Pointer]*hostRange), counts: make(map[string]int)}
	if c.Seed != 0 {
		d.rng = rand.New(rand.NewPCG(c.Seed, 2))
	}
	for i, m := range c.Models {
		attrs := attributes(m, i)
		if !d.Has(cu.Pool) {
			delete(attrs, cu.MemoryPools)
		}
		d.devices = append(d.devices, &device{drv: d, ordinal: i, model: m, attrs: attrs, memory: c.Memory, mem: memoryOf(m, i), pooled: make(map[cu.Ptr]*pooled)})
	}
	return d
}

// Report returns what the driver has seen so far.
func (d *Driver) Report() Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.report
	r.Findings, r.Faults = slices.Clone(r.Findings), slices.Clone(r.Faults)
	return r
}

// Calls returns the names of all calls, if the configuration says to record them.
func (d *Driver) Calls() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.names)
}

// Left lists what was never given back, "" if nothing.
func (d *Driver) Left() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []string
	count := func(n int, what string) {
		if n != 0 {
			left = append(left, fmt.Sprintf("%d %s", n, what))
		}
	}
	for _, v := range d.devices {
		count(v.retains, "contexts")
		count(v.mem.Allocations(), "allocations")
	}
	count(len(d.hosts), "host allocations")
	count(len(d.pins), "registrations")
	count(len(d.modules), "modules")
	count(len(d.links), "links")
	count(len(d.pools), "pools")
	count(len(d.graphs)-d.bodies(), "graphs")
	count(len(d.execs), "executable graphs")
	count(len(d.streams), "streams")
	count(len(d.events), "events")
	return strings.Join(left, ", ")
}

func failed(call string, r cu.Result) error { return &cu.CallError{Call: call, Result: r} }

// handle is a new one.
func (d *Driver) handle() uintptr {
	d.next += 0x10
	return d.next
}

// enter counts a call and lets it fail if a fault says so. The caller has the lock. done has to be called
// with the call's own outcome.
func (d *Driver) enter(call string) error {
	d.calls++
	d.counts[call]++
	if d.config.Record {
		d.names = append(d.names, call)
	}
	return d.inject(call, false)
}

// initialized is enter for a call that needs cuInit to have been.
func (d *Driver) initialized(call string) error {
	if err := d.enter(call); err != nil {
		return err
	}
	if !d.ready {
		return failed(call, notInitialized)
	}
	return nil
}

// bound is enter for a call that needs a context on its thread. It returns the context's device.
func (d *Driver) bound(call string) (*device, error) {
	if err := d.initialized(call); err != nil {
		return nil, err
	}
	v := d.bearer(d.current[threadID()])
	if v == nil {
		return nil, failed(call, invalidContext)
	}
	return v, v.broken(call)
}

// bearer is the device of a context, nil if there is none.
func (d *Driver) bearer(c cu.Context) *device {
	if c == 0 {
		return nil
	}
	for _, v := range d.devices {
		if v.ctx == c {
			return v
		}
	}
	return nil
}

// broken is the error of a context that did not survive another one.
func (v *device) broken(call string) error {
	if v.sticky == nil {
		return nil
	}
	return &cu.FaultError{CallError: cu.CallError{Call: call, Result: resultOf(v.sticky)}, Cause: v.sticky}
}

// Path says that this is no library.
func (d *Driver) Path() string { return "simulated" }

// Has reports whether the configuration has the group.
func (d *Driver) Has(g cu.Group) bool { return !slices.Contains(d.config.Lacks, g) }

// Init has to come before all other calls.
func (d *Driver) Init() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuInit"); err != nil {
		return err
	}
	d.ready = true
	return d.leave("cuInit")
}

// DriverGetVersion returns the configured version.
func (d *Driver) DriverGetVersion() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("cuDriverGetVersion"); err != nil {
		return 0, err
	}
	return d.config.Version, d.leave("cuDriverGetVersion")
}

// DeviceGetCount returns how many models there are.
func (d *Driver) DeviceGetCount() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized("cuDeviceGetCount"); err != nil {
		return 0, err
	}
	return len(d.devices), d.leave("cuDeviceGetCount")
}

// DeviceGet returns a device.
func (d *Driver) DeviceGet(ordinal int) (cu.Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.device("cuDeviceGet", cu.Device(ordinal))
	return cu.Device(ordinal), err
}

// device is initialized for a call about a device.
func (d *Driver) device(call string, dev cu.Device) (*device, error) {
	if err := d.initialized(call); err != nil {
		return nil, err
	}
	if dev < 0 || int(dev) >= len(d.devices) {
		return nil, failed(call, invalidDevice)
	}
	return d.devices[dev], d.leave(call)
}

// DeviceGetName returns the model's name.
func (d *Driver) DeviceGetName(dev cu.Device) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.device("cuDeviceGetName", dev)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("simulated %d.%d", v.model.Major, v.model.Minor), nil
}

// DeviceGetUuid returns an identity made of the capability and the ordinal.
func (d *Driver) DeviceGetUuid(dev cu.Device) (cu.UUID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.device("cuDeviceGetUuid_v2", dev)
	if err != nil {
		return cu.UUID{}, err
	}
	return cu.UUID{'v', 'y', 'r', 'e', byte(v.model.Major), byte(v.model.Minor), 15: byte(v.ordinal)}, nil
}

// DeviceTotalMem returns the configured memory.
func (d *Driver) DeviceTotalMem(dev cu.Device) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.device("cuDeviceTotalMem_v2", dev)
	if err != nil {
		return 0, err
	}
	return v.memory, nil
}

// DeviceGetAttribute returns a property of the model. What it does not have is 0.
func (d *Driver) DeviceGetAttribute(a cu.Attribute, dev cu.Device) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.device("cuDeviceGetAttribute", dev)
	if err != nil {
		return 0, err
	}
	return v.attrs[a], nil
}
