package cuda_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/interp"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ptx"
)

// fake is a driver without a GPU. Work waits in its streams until something waits for it, so
// that memory taken too early or too late shows. Kernels are run by the interpreter, which is
// told the program of every module (watch), on the memory that the arguments point to; so what
// is tested is everything but the text. Every object is counted.
type fake struct {
	cu.Driver // of the groups that it lacks
	mu        sync.Mutex
	attrs     map[cu.Attribute]int
	version   int
	calls     []string
	failAt    int // the failAt'th call fails, 1 is the first; 0 is none
	failWith  cu.Result
	sticky    cu.Result // once a sticky result was returned, all calls return it

	current map[int]cu.Context // by thread
	retains int
	next    uintptr
	device  map[cu.Ptr][]byte
	host    map[unsafe.Pointer][]byte
	pins    map[unsafe.Pointer]int64
	modules map[cu.Module]string
	funcs   map[cu.Function]*ptx.Kernel
	streams map[cu.Stream]*fakeStream
	events  map[cu.Event]*fakeEvent
	known   map[string]*ptx.Kernel // by entry
	memory  int64                  // bytes left
	endless bool                   // nothing ever ends
	slow    bool                   // launches take a while
}

type fakeStream struct {
	work    []fakeWork
	kernels bool // among the work
}

// fakeWork is a copy to dst, of src or of words a pitch apart; or it ends an event, waits for
// a stream, or runs a kernel. It holds no function for the frequent ones, so that counting
// allocations counts those of the device.
type fakeWork struct {
	dst, src []byte
	word     [4]byte
	width    int // of the word
	pitch    int64
	ends     *fakeEvent
	waits    *fakeStream
	run      func()
}

func (w *fakeWork) do() {
	switch {
	case w.run != nil:
		w.run()
	case w.ends != nil:
		w.ends.pending = false
	case w.waits != nil:
		w.waits.drain()
	case w.width > 0:
		for at := int64(0); at < int64(len(w.dst)); at += w.pitch {
			copy(w.dst[at:], w.word[:w.width])
		}
	default:
		copy(w.dst, w.src)
	}
}

type fakeEvent struct {
	s        *fakeStream
	pending  bool
	asked    int
	recorded time.Time
}

func newFake() *fake {
	return &fake{version: 13000, next: 0x1000, memory: 64 << 30, attrs: map[cu.Attribute]int{
		cu.CapabilityMajor: 9, cu.MultiprocessorCount: 4, cu.MaxThreadsPerUnit: 2048, cu.MaxBlocksPerUnit: 32, cu.SharedPerBlockOptin: 232448,
		cu.SharedPerUnit: 233472, cu.ReservedSharedPerBlock: 1024, cu.CooperativeLaunch: 1},
		current: map[int]cu.Context{}, device: map[cu.Ptr][]byte{}, host: map[unsafe.Pointer][]byte{}, pins: map[unsafe.Pointer]int64{},
		modules: map[cu.Module]string{}, funcs: map[cu.Function]*ptx.Kernel{}, streams: map[cu.Stream]*fakeStream{}, events: map[cu.Event]*fakeEvent{},
		known: map[string]*ptx.Kernel{}}
}

// open opens the device of the fake.
func (f *fake) open() (*cuda.Device, error) {
	d, err := cuda.Open(cuda.Options{Driver: f})
	if err == nil {
		d.OnEmit(f.watch)
	}
	return d, err
}

func (f *fake) watch(m *ptx.Module) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range m.Kernels {
		f.known[m.Kernels[i].Entry] = &m.Kernels[i]
	}
}

// left lists the objects that were never given back.
func (f *fake) left() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, c := range []struct {
		what string
		n    int
	}{{"contexts", f.retains}, {"allocations", len(f.device)}, {"host allocations", len(f.host)}, {"registrations", len(f.pins)},
		{"modules", len(f.modules)}, {"streams", len(f.streams)}, {"events", len(f.events)}} {
		if c.n != 0 {
			all = append(all, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(all, ", ")
}

// call counts a call and lets it fail if it is to. The caller has the lock.
func (f *fake) call(name string) error {
	f.calls = append(f.calls, name)
	if f.sticky != 0 {
		return &cu.CallError{Call: name, Result: f.sticky}
	}
	if len(f.calls) == f.failAt {
		if f.failWith >= 700 && f.failWith < 720 && f.retains > 0 {
			f.sticky = f.failWith
		}
		return &cu.CallError{Call: name, Result: f.failWith}
	}
	return nil
}

// bound is call for a function that needs a context on its thread.
func (f *fake) bound(name string) error {
	if err := f.call(name); err != nil {
		return err
	}
	if f.current[threadID()] == 0 {
		return &cu.CallError{Call: name, Result: 201}
	}
	return nil
}

func (f *fake) handle() uintptr {
	f.next += 0x1000
	return f.next
}

func wrong(name string, r cu.Result) error { return &cu.CallError{Call: name, Result: r} }

func (f *fake) Path() string        { return "fake" }
func (f *fake) Has(g cu.Group) bool { return g <= cu.Coop }

func (f *fake) Init() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.call("cuInit")
}

func (f *fake) DriverGetVersion() (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version, f.call("cuDriverGetVersion")
}

func (f *fake) DeviceGetCount() (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return 1, f.call("cuDeviceGetCount")
}

func (f *fake) DeviceGet(int) (cu.Device, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return 0, f.call("cuDeviceGet")
}

func (f *fake) DeviceGetName(cu.Device) (string, error) { return "fake", nil }

func (f *fake) DeviceGetUuid(cu.Device) (cu.UUID, error) { return cu.UUID{1, 2, 3}, nil }

func (f *fake) DeviceTotalMem(cu.Device) (int64, error) { return 64 << 30, nil }

func (f *fake) DeviceGetAttribute(a cu.Attribute, _ cu.Device) (int, error) { return f.attrs[a], nil }

func (f *fake) DevicePrimaryCtxRetain(cu.Device) (cu.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("cuDevicePrimaryCtxRetain"); err != nil {
		return 0, err
	}
	f.retains++
	return 7, nil
}

func (f *fake) DevicePrimaryCtxRelease(cu.Device) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "cuDevicePrimaryCtxRelease_v2")
	if f.retains--; f.retains == 0 {
		f.wipe()
	}
	return nil
}

func (f *fake) DevicePrimaryCtxReset(cu.Device) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wipe()
	return nil
}

// wipe is what ending a context does: a broken one takes everything with it, and what a
// working one still had shows as left.
func (f *fake) wipe() {
	if f.sticky == 0 {
		return
	}
	f.sticky = 0
	clear(f.device)
	clear(f.host)
	clear(f.pins)
	clear(f.modules)
	clear(f.streams)
	clear(f.events)
}

func (f *fake) CtxSetCurrent(c cu.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("cuCtxSetCurrent"); err != nil {
		return err
	}
	f.current[threadID()] = c
	return nil
}

func (f *fake) MemGetInfo() (int64, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memory, 64 << 30, f.bound("cuMemGetInfo_v2")
}

func (f *fake) MemAlloc(n int64) (cu.Ptr, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemAlloc_v2"); err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, wrong("cuMemAlloc_v2", 1)
	}
	if n > f.memory {
		return 0, wrong("cuMemAlloc_v2", cu.OutOfMemory)
	}
	f.memory -= n
	mem := aligned(n)
	for i := range mem {
		mem[i] = 0xA5 // memory is undefined, and shows it
	}
	at := cu.Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
	f.device[at] = mem
	return at, nil
}

// aligned returns n bytes at a multiple of 256.
func aligned(n int64) []byte {
	raw := make([]byte, n+255)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % 256
	return raw[skip:][:n:n]
}

func (f *fake) MemFree(p cu.Ptr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemFree_v2"); err != nil {
		return err
	}
	if f.device[p] == nil {
		return wrong("cuMemFree_v2", 1)
	}
	f.memory += int64(len(f.device[p]))
	delete(f.device, p)
	return nil
}

func (f *fake) MemHostAlloc(n int64, _ uint32) (unsafe.Pointer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemHostAlloc"); err != nil {
		return nil, err
	}
	mem := aligned(n)
	p := unsafe.Pointer(unsafe.SliceData(mem))
	f.host[p] = mem
	return p, nil
}

func (f *fake) MemFreeHost(p unsafe.Pointer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemFreeHost"); err != nil {
		return err
	}
	if f.host[p] == nil {
		return wrong("cuMemFreeHost", 1)
	}
	delete(f.host, p)
	return nil
}

func (f *fake) MemHostRegister(p unsafe.Pointer, n int64, _ uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemHostRegister_v2"); err != nil {
		return err
	}
	const page = 4096
	from, to := uintptr(p)/page, (uintptr(p)+uintptr(n)-1)/page
	for o, m := range f.pins {
		if oFrom, oTo := uintptr(o)/page, (uintptr(o)+uintptr(m)-1)/page; from <= oTo && oFrom <= to {
			return wrong("cuMemHostRegister_v2", 712)
		}
	}
	f.pins[p] = n
	return nil
}

func (f *fake) MemHostUnregister(p unsafe.Pointer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuMemHostUnregister"); err != nil {
		return err
	}
	if _, ok := f.pins[p]; !ok {
		return wrong("cuMemHostUnregister", 713)
	}
	delete(f.pins, p)
	return nil
}

// at returns n bytes of device memory; outside of every allocation there are none.
func (f *fake) at(p cu.Ptr, n int64) []byte {
	for base, mem := range f.device {
		if p >= base && uint64(p-base)+uint64(n) <= uint64(len(mem)) {
			return mem[p-base:][:n:n]
		}
	}
	return nil
}

// enqueue adds work to a stream. The caller has the lock.
func (f *fake) enqueue(name string, s cu.Stream, w fakeWork) error {
	if err := f.bound(name); err != nil {
		return err
	}
	st := f.streams[s]
	if st == nil {
		return wrong(name, 400)
	}
	if w.run == nil && len(w.dst) == 0 {
		return wrong(name, 1) // not in device memory
	}
	st.work = append(st.work, w)
	return nil
}

func (f *fake) MemcpyHtoDAsync(dst cu.Ptr, src unsafe.Pointer, n int64, s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.enqueue("cuMemcpyHtoDAsync_v2", s, fakeWork{dst: f.at(dst, n), src: unsafe.Slice((*byte)(src), n)})
}

func (f *fake) MemcpyDtoHAsync(dst unsafe.Pointer, src cu.Ptr, n int64, s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := f.at(src, n)
	if from == nil {
		return wrong("cuMemcpyDtoHAsync_v2", 1)
	}
	return f.enqueue("cuMemcpyDtoHAsync_v2", s, fakeWork{dst: unsafe.Slice((*byte)(dst), n), src: from})
}

func (f *fake) MemcpyDtoDAsync(dst, src cu.Ptr, n int64, s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := f.at(src, n)
	if from == nil {
		return wrong("cuMemcpyDtoDAsync_v2", 1)
	}
	return f.enqueue("cuMemcpyDtoDAsync_v2", s, fakeWork{dst: f.at(dst, n), src: from})
}

func (f *fake) memset(name string, dst cu.Ptr, v uint32, width int, pitch, n int64, s cu.Stream) error {
	if uint64(dst)%uint64(width) != 0 {
		return wrong(name, 1)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w := fakeWork{dst: f.at(dst, (n-1)*pitch+int64(width)), width: width, pitch: pitch}
	binary.LittleEndian.PutUint32(w.word[:], v)
	return f.enqueue(name, s, w)
}

func (f *fake) MemsetD8Async(dst cu.Ptr, v uint8, n int64, s cu.Stream) error {
	return f.memset("cuMemsetD8Async", dst, uint32(v), 1, 1, n, s)
}

func (f *fake) MemsetD16Async(dst cu.Ptr, v uint16, n int64, s cu.Stream) error {
	return f.memset("cuMemsetD16Async", dst, uint32(v), 2, 2, n, s)
}

func (f *fake) MemsetD32Async(dst cu.Ptr, v uint32, n int64, s cu.Stream) error {
	return f.memset("cuMemsetD32Async", dst, v, 4, 4, n, s)
}

func (f *fake) MemsetD2D32Async(dst cu.Ptr, pitch int64, v uint32, width, height int64, s cu.Stream) error {
	if width != 1 {
		return wrong("cuMemsetD2D32Async", 1)
	}
	return f.memset("cuMemsetD2D32Async", dst, v, 4, pitch, height, s)
}

func (f *fake) ModuleLoadDataEx(image []byte, jit *cu.JIT) (cu.Module, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuModuleLoadDataEx"); err != nil {
		if r := err.(*cu.CallError).Result; r == 218 {
			jit.Errors = "ptxas application ptx input, line 3; error   : Unknown modifier '.what'"
		}
		return 0, err
	}
	if len(image) == 0 || image[len(image)-1] != 0 {
		return 0, wrong("cuModuleLoadDataEx", 218)
	}
	m := cu.Module(f.handle())
	f.modules[m] = string(image)
	return m, nil
}

func (f *fake) ModuleUnload(m cu.Module) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuModuleUnload"); err != nil {
		return err
	}
	delete(f.modules, m)
	return nil
}

func (f *fake) ModuleGetFunction(m cu.Module, name string) (cu.Function, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuModuleGetFunction"); err != nil {
		return 0, err
	}
	if f.known[name] == nil || !strings.Contains(f.modules[m], name) {
		return 0, wrong("cuModuleGetFunction", 500)
	}
	fn := cu.Function(f.handle())
	f.funcs[fn] = f.known[name]
	return fn, nil
}

func (f *fake) FuncGetAttribute(a cu.FuncAttribute, fn cu.Function) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := map[cu.FuncAttribute]int{cu.FuncRegisters: 32, cu.FuncMaxThreads: 1024, cu.FuncShared: f.funcs[fn].Static}[a]
	return v, f.bound("cuFuncGetAttribute")
}

func (f *fake) FuncSetAttribute(cu.Function, cu.FuncAttribute, int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bound("cuFuncSetAttribute")
}

func (f *fake) OccupancyMaxActiveBlocksPerMultiprocessor(cu.Function, int, int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return 2, f.bound("cuOccupancyMaxActiveBlocksPerMultiprocessor")
}

func (f *fake) LaunchKernel(l *cu.Launch) error { return f.launch("cuLaunchKernel", l) }

func (f *fake) LaunchCooperativeKernel(l *cu.Launch) error {
	return f.launch("cuLaunchCooperativeKernel", l)
}

// launch takes the arguments over at once, as the driver does, and runs the kernel later.
func (f *fake) launch(name string, l *cu.Launch) error {
	f.mu.Lock()
	k := f.funcs[l.Function]
	f.mu.Unlock()
	if k == nil {
		return wrong(name, 400)
	}
	p := k.Program
	if (name == "cuLaunchCooperativeKernel") != p.Traits().GridBarrier || l.Block != p.Workgroup() {
		return wrong(name, 1)
	}
	values, in := 0, interp.Launch{Grid: l.Grid}
	take := func() uint64 {
		ptr := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(l.Params), values*8))
		values++
		return *(*uint64)(ptr)
	}
	if k.RestElem > 0 {
		in.Rest = (int(l.Shared) - k.Dynamic) / k.RestElem
	}
	for _, q := range p.Params() {
		if !q.IsBuffer() {
			in.Args = append(in.Args, interp.Arg{Bits: take() & q.Type.Value().Mask()})
			continue
		}
		at, n := cu.Ptr(take()), int64(take())*int64(q.Type.Size())
		f.mu.Lock()
		mem := f.at(at, n)
		f.mu.Unlock()
		if mem == nil {
			return wrong(name, 700)
		}
		in.Args = append(in.Args, interp.Arg{Mem: mem})
	}
	hidden := make([][]byte, 3)
	for i, h := range []struct {
		offset int
		bytes  int64
	}{{k.Params.Grid, 128}, {k.Params.Trap, 64}, {k.Params.Trace, 32 + 1024*40}} {
		if h.offset >= 0 {
			f.mu.Lock()
			hidden[i] = f.at(cu.Ptr(take()), h.bytes)
			f.mu.Unlock()
			if hidden[i] == nil {
				return wrong(name, 700)
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.enqueue(name, l.Stream, fakeWork{run: func() { f.run(p, in, hidden) }}); err != nil {
		return err
	}
	f.streams[l.Stream].kernels = true
	return nil
}

// run executes a kernel and leaves what the text would leave in its hidden memory.
func (f *fake) run(p *ir.Program, in interp.Launch, hidden [][]byte) {
	if b := hidden[0]; b != nil {
		for i, v := range b {
			if v != 0 {
				panic(fmt.Sprintf("byte %d of the barrier block is %d at the start", i, v))
			}
			b[i] = 0x77
		}
	}
	k, err := interp.Prepare(p)
	if err != nil {
		panic(err)
	}
	res, err := k.Run(context.Background(), in, interp.Options{})
	if err != nil {
		panic(err)
	}
	le := binary.LittleEndian
	if t, rec := res.Trap, hidden[1]; t != nil && le.Uint32(rec) == 0 {
		le.PutUint32(rec, 1)
		le.PutUint32(rec[4:], t.Code)
		le.PutUint32(rec[8:], uint32(t.Row))
		le.PutUint64(rec[16:], t.Value)
		for axis := range 3 {
			le.PutUint32(rec[24+4*axis:], t.By.Group[axis])
			le.PutUint32(rec[36+4*axis:], t.By.Local[axis])
		}
	}
	if ring := hidden[2]; ring != nil {
		next := le.Uint32(ring)
		for _, t := range res.Traces {
			if next++; next > le.Uint32(ring[4:]) {
				continue
			}
			rec := ring[32+40*(next-1):]
			le.PutUint32(rec, t.Tag)
			le.PutUint32(rec[4:], uint32(t.Count))
			le.PutUint64(rec[8:], t.Linear)
			for i, v := range t.Values {
				le.PutUint64(rec[16+8*i:], v)
			}
		}
		le.PutUint32(ring, next+uint32(res.TracesDropped))
	}
}

func (f *fake) StreamCreate(uint32) (cu.Stream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuStreamCreate"); err != nil {
		return 0, err
	}
	s := cu.Stream(f.handle())
	f.streams[s] = &fakeStream{}
	return s, nil
}

func (f *fake) StreamDestroy(s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuStreamDestroy_v2"); err != nil {
		return err
	}
	delete(f.streams, s)
	return nil
}

func (f *fake) StreamSynchronize(s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuStreamSynchronize"); err != nil {
		return err
	}
	f.streams[s].drain()
	return nil
}

func (s *fakeStream) drain() {
	// Draining another stream may come back here, for what is left.
	for len(s.work) > 0 {
		w := s.work[0]
		s.work = append(s.work[:0], s.work[1:]...)
		w.do()
	}
	s.kernels = false
}

func (f *fake) StreamQuery(s cu.Stream) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return true, f.call("cuStreamQuery")
}

func (f *fake) StreamWaitEvent(s cu.Stream, e cu.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuStreamWaitEvent"); err != nil {
		return err
	}
	if ev := f.events[e]; ev == nil {
		return wrong("cuStreamWaitEvent", 400)
	} else if ev.pending {
		f.streams[s].work = append(f.streams[s].work, fakeWork{waits: ev.s})
	}
	return nil
}

func (f *fake) EventCreate(uint32) (cu.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuEventCreate"); err != nil {
		return 0, err
	}
	e := cu.Event(f.handle())
	f.events[e] = &fakeEvent{}
	return e, nil
}

func (f *fake) EventDestroy(e cu.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuEventDestroy_v2"); err != nil {
		return err
	}
	delete(f.events, e)
	return nil
}

func (f *fake) EventRecord(e cu.Event, s cu.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuEventRecord"); err != nil {
		return err
	}
	*f.events[e] = fakeEvent{s: f.streams[s], pending: true, recorded: time.Now()}
	ev := f.events[e]
	f.streams[s].work = append(f.streams[s].work, fakeWork{ends: ev})
	return nil
}

// kernelTime is how long slow launches take at least, as seen by who asks for their event.
const kernelTime = 5 * time.Millisecond

// EventQuery lets work before an event end once it was asked for twice.
func (f *fake) EventQuery(e cu.Event) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.bound("cuEventQuery"); err != nil {
		return false, err
	}
	ev := f.events[e]
	if ev.asked++; ev.pending && (f.endless || ev.asked <= 2 || f.slow && ev.s.kernels && time.Since(ev.recorded) < kernelTime) {
		return false, nil
	}
	if ev.pending {
		ev.s.drain()
	}
	return true, nil
}

func (f *fake) EventElapsedTime(from, to cu.Event) (float32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.events[from].pending || f.events[to].pending {
		return 0, wrong("cuEventElapsedTime", cu.NotReady)
	}
	return 0.001, f.bound("cuEventElapsedTime")
}
