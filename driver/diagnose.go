package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// Requirement is what a kernel needs of a device, and what a launch of it needs if Grid says one. Limits that are zero
// here are met by every device.
type Requirement struct {
	Resources           // Shared with the array of launch-time length, and as Target only an architecture of a GPU
	Kernel    string    // its name
	Group     [3]uint32 // invocations along x, y and z
	Flags     KernelFlags
	Params    int    // bytes of arguments
	Products  string // forms of its matrix products, between spaces
	Grid      Grid   // of a launch; the zero Grid is none
	// Occupancy is how many groups the device itself says that it runs at once. Without it, Occupy computes that.
	Occupancy Occupancy
}

// Requirement returns what the program needs that these options make a kernel of. Its registers are not known before it
// is compiled.
func (o Options) Requirement(p *ir.Program) Requirement {
	q := Requirement{Kernel: LabelOf(p, o), Group: p.Workgroup(), Flags: FlagsOf(p.Traits())}
	q.Target, q.Products = o.Target, matrix.FormsOf(p)
	q.Shared, q.RestElem = SharedOf(p)
	q.Params = paramBytes(p.Params(), q.Flags)
	if o.Workgroup != [3]uint32{} && o.Workgroup != AutoWorkgroup {
		q.Group = o.Workgroup
	}
	return q
}

// RequirementOf returns what a launch of a compiled kernel needs, with rest elements in its last shared array. With the
// zero Grid it is what every launch needs.
func RequirementOf(k Kernel, grid Grid, rest int) Requirement {
	q := Requirement{Resources: k.Resources(), Kernel: k.Label(), Group: k.Workgroup(), Flags: k.Flags(), Grid: grid}
	q.Shared += int(min(mulSat(uint64(max(rest, 0)), uint64(q.RestElem)), mostShared))
	q.Params = paramBytes(k.Signature(), q.Flags)
	return q
}

// paramBytes is how long the block of arguments is: a buffer is an address and a length, and every mechanism that
// launches provide for has an address.
func paramBytes(params []ir.Param, f KernelFlags) (n int) {
	place := func(size int) { n = (n+size-1)&^(size-1) + size }
	for i := range params {
		if params[i].IsBuffer() {
			place(8)
			place(8)
			continue
		}
		place(max(4, params[i].Type.Value().Size()))
	}
	for _, flag := range []KernelFlags{Resident, MayTrap, Traces} {
		if f&flag != 0 {
			place(8)
		}
	}
	return n
}

// maxParams is how many bytes of arguments every driver takes.
const maxParams = 4096

// Failure is a limit of a device that a kernel is beyond.
type Failure struct {
	// Limit is target, threads, group-dim, registers (of a thread, for groups of this size), shared, grid-dim, params,
	// cooperative, residency or matrix.
	Limit      string
	Need, Have string // empty where the device has none of it
}

// Diagnosis says what keeps a device from running a kernel. As the cause of an Error, errors.As finds it.
type Diagnosis struct {
	Requirement
	Device   string
	Failures []Failure // in the order of Failure.Limit; none if the kernel runs

	resident uint64 // groups that are at once on the device
}

// Diagnose compares what a kernel needs with what a device has: one that is open, or one of Models.
func Diagnose(c *Caps, q Requirement) Diagnosis {
	q.Grid = q.Grid.full()
	d := Diagnosis{Requirement: q, Device: c.Name}
	d.target(c)
	threads := q.threads()
	d.above("threads", threads, uint64(c.MaxThreadsPerGroup))
	d.dims("group-dim", q.Group, c.MaxGroupDim)
	if most := registersFor(c, threads); c.RegsUnit > 0 && q.Registers > most {
		d.above("registers", uint64(q.Registers), uint64(most))
	}
	d.above("shared", uint64(q.Shared), uint64(c.SharedOptin))
	d.dims("grid-dim", q.Grid, c.MaxGridDim)
	d.above("params", uint64(q.Params), maxParams)
	if q.Flags&Resident != 0 {
		d.together(c)
	}
	if q.Products != "" { // setters come here, and must not allocate
		d.products(c)
	}
	return d
}

func (d *Diagnosis) fails(limit, need, have string) {
	d.Failures = append(d.Failures, Failure{limit, need, have})
}

func (d *Diagnosis) above(limit string, need, have uint64) {
	if need > have {
		d.fails(limit, strconv.FormatUint(need, 10), strconv.FormatUint(have, 10))
	}
}

func (d *Diagnosis) dims(limit string, need, have [3]uint32) {
	if need[0] > have[0] || need[1] > have[1] || need[2] > have[2] {
		d.fails(limit, fmt.Sprint(need), fmt.Sprint(have))
	}
}

// target compares architectures. Code for one runs on all later ones, but with the suffix "a" on no other.
func (d *Diagnosis) target(c *Caps) {
	digits, gpu := strings.CutPrefix(d.Target, "sm_")
	if !gpu {
		return // machine code of the host
	}
	plain := strings.TrimSuffix(digits, "a")
	sm, err := strconv.Atoi(plain)
	if have := 10*c.Major + c.Minor; err != nil || sm == have || sm < have && plain == digits {
		return
	}
	have := fmt.Sprintf("%d.%d", c.Major, c.Minor)
	if c.Major == 0 {
		have = c.Target
	}
	d.fails("target", fmt.Sprintf("%d.%d%s", sm/10, sm%10, digits[len(plain):]), have)
}

// products compares forms of matrix products.
func (d *Diagnosis) products(c *Caps) {
	have := strings.Fields(c.Matrix.Forms)
	for _, form := range strings.Fields(d.Products) {
		if !slices.Contains(have, form) {
			d.fails("matrix", form, cmp.Or(strings.Join(have, ","), "none"))
		}
	}
}

// together is about groups that wait for each other.
func (d *Diagnosis) together(c *Caps) {
	if !c.GridBarrier {
		d.fails("cooperative", "", "")
	}
	if d.Grid == (Grid{}) {
		return
	}
	o := d.Occupancy
	if o.Limit == "" {
		o = Occupy(c, d.Registers, d.Shared, int(min(d.threads(), 1<<31-1)))
	}
	d.resident = uint64(o.Cooperative)
	d.above("residency", d.Grid.Total(), d.resident)
}

// threads is the size of a group.
func (q *Requirement) threads() uint64 {
	return mulSat(mulSat(uint64(q.Group[0]), uint64(q.Group[1])), uint64(q.Group[2]))
}

// String returns one line:
//
//	kernel=K device=D status=blocked threads(need=1024,have=512) cooperative
//
// With a launch it ends with grid=[x y z] group=[x y z] groups=N threads=N shared=N; threads and shared are a group's.
func (d Diagnosis) String() string {
	var b strings.Builder
	name := d.Kernel
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' }) {
		name = strconv.Quote(name)
	}
	fmt.Fprintf(&b, "kernel=%s device=%s status=", name, d.Device)
	if len(d.Failures) == 0 {
		b.WriteString("ok")
	} else {
		b.WriteString("blocked")
	}
	for _, f := range d.Failures {
		b.WriteString(" " + f.Limit)
		if f.Need != "" {
			fmt.Fprintf(&b, "(need=%s,have=%s)", f.Need, f.Have)
		}
	}
	if d.Grid != (Grid{}) {
		fmt.Fprintf(&b, " grid=%d group=%d groups=%d threads=%d shared=%d", [3]uint32(d.Grid), d.Group, d.Grid.Total(), d.threads(), d.Shared)
	}
	return b.String()
}

// Error makes a Diagnosis usable as a cause.
func (d Diagnosis) Error() string { return d.String() }

// refusal is the error of a kernel or of a launch that the device has too little for; nil if it has enough.
func (d Diagnosis) refusal(op, path string, kind Kind) *Error {
	if len(d.Failures) == 0 {
		return nil
	}
	return &Error{Op: op, Label: d.Kernel, Device: d.Device, Path: path, Kind: kind, Msg: d.sentence() + ": " + d.String(), Fix: d.fix(), Err: d}
}

// sentence says the first failure in words.
func (d *Diagnosis) sentence() string {
	f := d.Failures[0]
	switch f.Limit {
	case "target":
		return fmt.Sprintf("the program is for capability %s, the device has %s", f.Need, f.Have)
	case "threads":
		return fmt.Sprintf("%s threads a group, the device has at most %s", f.Need, f.Have)
	case "group-dim":
		return fmt.Sprintf("a group of %s threads, the device has at most %s", f.Need, f.Have)
	case "registers":
		return fmt.Sprintf("%s registers a thread, for groups of %d threads the device has %s", f.Need, d.threads(), f.Have)
	case "shared":
		return fmt.Sprintf("%s bytes of shared memory a group, the device has %s", f.Need, f.Have)
	case "grid-dim":
		return fmt.Sprintf("a grid of %s groups, the device has at most %s", f.Need, f.Have)
	case "params":
		return fmt.Sprintf("%s bytes of arguments, a launch has at most %s", f.Need, f.Have)
	case "cooperative":
		return "groups wait for each other, and the device has no cooperative launches"
	case "residency":
		return fmt.Sprintf("%s groups have to be resident at once, %s fit", f.Need, f.Have)
	}
	return fmt.Sprintf("a product of matrices of form %s, the device has %s", f.Need, f.Have)
}

// fix says what helps against the first failure.
func (d *Diagnosis) fix() string {
	switch d.Failures[0].Limit {
	case "target":
		return "leave Target empty, or choose a device that is as new"
	case "threads", "group-dim":
		return "choose a smaller workgroup"
	case "registers":
		return "choose a smaller workgroup, or set MaxRegisters"
	case "shared":
		if d.RestElem > 0 && d.Grid != (Grid{}) {
			return "pass a smaller Rest"
		}
		return "declare smaller arrays in shared memory"
	case "grid-dim":
		// The x axis of every device is the longest.
		if d.Grid.Total() < 1<<31 {
			return "put the long axis on x"
		}
		return "launch fewer groups and loop over the domain"
	case "params":
		return "pass fewer arguments, or put them into a buffer"
	case "cooperative":
		return "choose a device with cooperative launches, such as cpu"
	case "residency":
		if d.resident > 0 {
			return fmt.Sprintf("launch at most %d groups and loop over the domain", d.resident)
		}
		return "choose a smaller workgroup, or less shared memory"
	}
	return "use another form, or device cpu and its interpreter"
}
