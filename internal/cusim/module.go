package cusim

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/asm"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// module is a loaded text.
type module struct {
	dev   *device
	spent int // registers that each function takes beyond what its code needs
	image *machine.Image
	funcs []cu.Function
	// source says what a line was made from; nil if nobody has told.
	source func(line int) string
}

// Locate says what the lines of a module were made from.
func (d *Driver) Locate(h cu.Module, source func(line int) string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.modules[h]; m != nil {
		m.source = source
	}
}

// Carries lets kernels read what nothing wrote, as copies may unless somebody looks at what they fetch.
func (d *Driver) Carries(h cu.Module) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.modules[h]; m != nil && !d.config.Fetches {
		m.image.Carries()
	}
}

// source is what a line of the function's module was made from.
func (f *function) source(line int) string {
	if m := f.dev.drv.modules[f.module]; m != nil && m.source != nil {
		return m.source(line)
	}
	return ""
}

// function is an entry of a module.
type function struct {
	dev     *device
	module  cu.Module
	name    string
	code    *machine.Kernel
	dynamic int // shared bytes that a launch may bring
	gone    bool
}

// registers is how many of them a thread takes.
func (f *function) registers() int {
	n := f.code.EstimatedRegisters()
	if m := f.dev.drv.modules[f.module]; m != nil {
		n += m.spent
	}
	return n
}

// ModuleLoadDataEx reads a text that ends with a zero byte, or an image, and places its variables.
func (d *Driver) ModuleLoadDataEx(image []byte, jit *cu.JIT) (cu.Module, error) {
	const call = "cuModuleLoadDataEx"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return 0, err
	}
	text, r := v.textOf(image)
	if r != cu.Success {
		return 0, failed(call, r)
	}
	parsed, err := asm.Parse(string(text))
	if err != nil {
		jit.Errors = logOf(err.(asm.Errors))
		return 0, failed(call, invalidPTX)
	}
	if r, why := v.takes(parsed, 10*v.model.Major+v.model.Minor); r != cu.Success {
		jit.Errors = why
		return 0, failed(call, r)
	}
	m := &module{dev: v}
	if isImage(image) {
		m.spent = d.config.LinkSpends
	}
	if m.image, err = machine.Load(parsed, v.mem); err != nil {
		jit.Errors = err.Error()
		return 0, failed(call, invalidPTX)
	}
	if err := d.leave(call); err != nil {
		_ = m.image.Unload() // just loaded
		return 0, err
	}
	h := cu.Module(d.handle())
	d.modules[h] = m
	return h, nil
}

// textOf is the text that a module is made of.
func (v *device) textOf(image []byte) ([]byte, cu.Result) {
	if bytes.HasPrefix(image, []byte("\x7fELF")) { // machine code of a real GPU
		return nil, noBinary
	}
	if !isImage(image) {
		text, _, ended := bytes.Cut(image, []byte{0})
		if !ended {
			return nil, invalidPTX
		}
		return text, cu.Success
	}
	target, text, ok := opened(image)
	switch {
	case !ok:
		return nil, invalidImage
	case !v.runs(target):
		return nil, noBinary
	}
	return text, cu.Success
}

// logOf is what an assembler would say.
func logOf(errs asm.Errors) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "ptx input, line %d; error   : %s\n", e.Line, e.Msg)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// newest is the newest version of the text that a driver takes: the second column from the first on.
var newest = []struct {
	driver int
	text   asm.Version
}{{11040, asm.Version{Major: 7, Minor: 4}}, {11050, asm.Version{Major: 7, Minor: 5}}, {11060, asm.Version{Major: 7, Minor: 6}},
	{11070, asm.Version{Major: 7, Minor: 7}}, {11080, asm.Version{Major: 7, Minor: 8}}, {12000, asm.Version{Major: 8, Minor: 0}},
	{12010, asm.Version{Major: 8, Minor: 1}}, {12020, asm.Version{Major: 8, Minor: 2}}, {12030, asm.Version{Major: 8, Minor: 3}},
	{12040, asm.Version{Major: 8, Minor: 4}}, {12050, asm.Version{Major: 8, Minor: 5}}, {12070, asm.Version{Major: 8, Minor: 6}},
	{12080, asm.Version{Major: 8, Minor: 7}}, {12090, asm.Version{Major: 8, Minor: 8}}, {13000, asm.Version{Major: 9, Minor: 0}}}

// takes says whether the driver compiles a module for sm.
func (v *device) takes(m *asm.Module, sm int) (r cu.Result, why string) {
	most := asm.Version{}
	for _, n := range newest {
		if n.driver <= v.drv.config.Version {
			most = n.text
		}
	}
	if m.Version.Major > most.Major || m.Version.Major == most.Major && m.Version.Minor > most.Minor {
		return newerPTX, fmt.Sprintf("ptx input, line 1; error   : version %s is newer than %s, the newest that this driver knows", m.Version, most)
	}
	if specific := strings.HasSuffix(m.Target, "a"); m.SM > sm || specific && m.SM != sm {
		return noBinary, fmt.Sprintf("ptx input, line 2; error   : target %s does not run on a device of %d.%d", m.Target, sm/10, sm%10)
	}
	return cu.Success, ""
}

// ModuleUnload waits for the device and ends a module.
func (d *Driver) ModuleUnload(h cu.Module) error {
	const call = "cuModuleUnload"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return err
	}
	m := d.modules[h]
	if m == nil || m.dev != v {
		return failed(call, invalidHandle)
	}
	v.drain()
	if err := v.broken(call); err != nil {
		return err
	}
	if err := m.image.Unload(); err != nil {
		return failed(call, cu.UnknownError)
	}
	d.forget(h, m)
	return d.leave(call)
}

func (d *Driver) forget(h cu.Module, m *module) {
	for _, f := range m.funcs {
		d.funcs[f].gone = true
		delete(d.funcs, f)
	}
	delete(d.modules, h)
}

// ModuleGetFunction finds an entry.
func (d *Driver) ModuleGetFunction(h cu.Module, name string) (cu.Function, error) {
	const call = "cuModuleGetFunction"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return 0, err
	}
	m := d.modules[h]
	if m == nil || m.dev != v {
		return 0, failed(call, invalidHandle)
	}
	k := m.image.Kernel(name)
	if k == nil {
		return 0, failed(call, notFound)
	}
	if err := d.leave(call); err != nil {
		return 0, err
	}
	f := &function{dev: v, module: h, name: name, code: k, dynamic: max(0, v.model.SharedPerGroup-k.StaticShared())}
	fh := cu.Function(d.handle())
	d.funcs[fh] = f
	m.funcs = append(m.funcs, fh)
	return fh, nil
}

// function is bound for a call about a function.
func (d *Driver) function(call string, h cu.Function) (*function, error) {
	v, err := d.bound(call)
	if err != nil {
		return nil, err
	}
	f := d.funcs[h]
	if f == nil || f.dev != v {
		return nil, failed(call, invalidHandle)
	}
	return f, nil
}

// FuncGetAttribute returns a property of a function.
func (d *Driver) FuncGetAttribute(a cu.FuncAttribute, h cu.Function) (int, error) {
	const call = "cuFuncGetAttribute"
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.function(call, h)
	if err != nil {
		return 0, err
	}
	n := 0
	switch a {
	case cu.FuncMaxThreads:
		n = 1024
	case cu.FuncShared:
		n = f.code.StaticShared()
	case cu.FuncConst:
	case cu.FuncLocal:
		n = f.code.LocalBytes()
	case cu.FuncRegisters:
		n = f.registers()
	case cu.FuncMaxDynamicShared:
		n = f.dynamic
	default:
		return 0, failed(call, invalidValue)
	}
	return n, d.leave(call)
}

// FuncSetAttribute raises the dynamic shared memory that launches may bring.
func (d *Driver) FuncSetAttribute(h cu.Function, a cu.FuncAttribute, value int) error {
	const call = "cuFuncSetAttribute"
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.function(call, h)
	if err != nil {
		return err
	}
	if a != cu.FuncMaxDynamicShared || value < 0 || value+f.code.StaticShared() > f.dev.model.SharedOptin {
		return failed(call, invalidValue)
	}
	f.dynamic = value
	return d.leave(call)
}

// FuncLoad does what a first launch would: nothing is left to be done.
func (d *Driver) FuncLoad(h cu.Function) error {
	const call = "cuFuncLoad"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Loading) {
		return failed(call, cu.NotSupported)
	}
	if _, err := d.function(call, h); err != nil {
		return err
	}
	return d.leave(call)
}

// OccupancyMaxActiveBlocksPerMultiprocessor says how many groups run at once on a unit.
func (d *Driver) OccupancyMaxActiveBlocksPerMultiprocessor(h cu.Function, threads, dynamicShared int) (int, error) {
	const call = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.function(call, h)
	if err != nil {
		return 0, err
	}
	if threads <= 0 || dynamicShared < 0 {
		return 0, failed(call, invalidValue)
	}
	return driver.Occupy(f.dev.model, f.registers(), f.code.StaticShared()+dynamicShared, threads).Groups, d.leave(call)
}

// LaunchKernel enqueues a launch.
func (d *Driver) LaunchKernel(l *cu.Launch) error { return d.launch("cuLaunchKernel", l, false) }

// LaunchKernels enqueues launches, each by a call.
func (d *Driver) LaunchKernels(list []*cu.Launch) (started int, err error) {
	for _, l := range list {
		if err := d.LaunchKernel(l); err != nil {
			return started, err
		}
		started++
	}
	return started, nil
}

// LaunchCooperativeKernel enqueues a launch whose groups run at once.
func (d *Driver) LaunchCooperativeKernel(l *cu.Launch) error {
	if !d.Has(cu.Coop) {
		return failed("cuLaunchCooperativeKernel", cu.NotSupported)
	}
	return d.launch("cuLaunchCooperativeKernel", l, true)
}

// launch enqueues a launch.
func (d *Driver) launch(call string, l *cu.Launch, together bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.function(call, l.Function)
	if err != nil {
		return err
	}
	s, err := d.at(f.dev, call, l.Stream)
	if err != nil {
		return err
	}
	var block []byte
	if n := len(s.spare); n > 0 {
		block, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	run, err := d.prepared(call, f, l, block, together)
	if err != nil {
		return err
	}
	if d.rng != nil {
		run.Seed = d.rng.Uint64() | 1
	}
	s.push(work{kind: kernel, fn: f, launch: run})
	return d.leave(call)
}

// prepared checks a launch and takes its arguments over, into a block if that is large enough.
func (d *Driver) prepared(call string, f *function, l *cu.Launch, block []byte, together bool) (machine.Launch, error) {
	for axis, n := range l.Grid {
		if n == 0 || n > f.dev.model.MaxGridDim[axis] {
			return machine.Launch{}, failed(call, invalidValue)
		}
	}
	run := machine.Launch{Grid: l.Grid, Block: l.Block, Shared: int(l.Shared), Together: together, Budget: d.config.Budget, Races: d.config.Races}
	if int(l.Shared) > f.dynamic || l.Params == nil && len(f.code.Params()) > 0 {
		return run, failed(call, invalidValue)
	}
	n := f.code.ParamBytes()
	if cap(block) < n {
		block = make([]byte, n)
	}
	run.Params = block[:n]
	if f.code.Check(&run) != nil {
		return run, failed(call, invalidValue)
	}
	if err := d.fits(call, f, &run); err != nil {
		return run, err
	}
	f.take(run.Params, l.Params)
	return run, nil
}

// fits checks whether a launch has the room it needs on the device.
func (d *Driver) fits(call string, f *function, l *machine.Launch) error {
	m := f.dev.model
	threads := int(l.Block[0] * l.Block[1] * l.Block[2])
	groups := driver.Occupy(m, f.registers(), f.code.StaticShared()+l.Shared, threads).Groups
	switch total := uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2]); {
	case groups == 0:
		return failed(call, outOfResources)
	case l.Together && total > uint64(groups*m.Units):
		return failed(call, tooLarge)
	}
	return nil
}

// take lays the arguments out as the kernel's parameters lie.
func (f *function) take(block []byte, params *unsafe.Pointer) {
	clear(block)
	for i, p := range f.code.Params() {
		// The caller promises an address of a value for each parameter.
		at := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(params), uintptr(i)*unsafe.Sizeof(uintptr(0))))
		copy(block[p.Offset:p.Offset+p.Bytes], unsafe.Slice((*byte)(at), p.Bytes))
	}
}
