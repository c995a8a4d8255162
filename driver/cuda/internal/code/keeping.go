package code

import (
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
)

// mostWaiting bounds the texts that wait for a link. An image beyond that is not kept.
const mostWaiting = 64

// keeper decides which images are kept on disk, behind the callers that compile, so that none waits for a link.
//
// Only the linker gives an image that can be kept. But it takes text as code that may be put together with other code:
// shared arrays get their places late, and a division or a root is a real call, whose conventions cost registers. So each
// image is compared with the module of its text, and is kept if it costs no more. Else a note is kept: load the text.
type keeper struct {
	c *Compiler

	mu        sync.Mutex
	compiling int          // compilations under way, which a link would slow down
	waiting   []*candidate // at most mostWaiting
	working   *candidate   // the one that is being linked; nil without a worker
	stopped   bool
	left      []cu.Module // loaded for a comparison, and not unloaded yet
	worker    sync.WaitGroup
}

// candidate is a loaded text whose image may be worth keeping.
type candidate struct {
	key    [32]byte
	module *ptx.Module
	how    how
	cost   cost // of the loaded text
}

// cost is what a function takes.
type cost struct{ registers, local, shared int }

func (c *Compiler) costOf(f cu.Function) (took cost, err error) {
	for _, a := range []struct {
		attr cu.FuncAttribute
		to   *int
	}{{cu.FuncRegisters, &took.registers}, {cu.FuncLocal, &took.local}, {cu.FuncShared, &took.shared}} {
		if *a.to, err = c.gpu.Driver.FuncGetAttribute(a.attr, f); err != nil {
			return took, err
		}
	}
	return took, nil
}

// want queues a candidate, unless nothing is kept, the queue is full, or the same image waits already.
func (k *keeper) want(w *candidate) {
	if k.c.images.disk == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	same := func(o *candidate) bool { return o.key == w.key }
	if k.stopped || len(k.waiting) >= mostWaiting || k.working != nil && same(k.working) || slices.ContainsFunc(k.waiting, same) {
		return
	}
	k.waiting = append(k.waiting, w)
}

// begin and end enclose a compilation. The last of them that ends starts the worker.
func (k *keeper) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.compiling++
}

func (k *keeper) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.compiling--
	if k.working != nil || !k.next() {
		return
	}
	k.worker.Go(func() {
		for more := true; more; {
			k.keep(k.working)
			k.mu.Lock()
			more = k.next()
			k.mu.Unlock()
		}
	})
}

// next takes the candidate that has waited longest, and reports whether there is one whose time has come. Whoever calls
// it has the lock.
func (k *keeper) next() bool {
	if k.working = nil; k.stopped || k.compiling > 0 || len(k.waiting) == 0 {
		return false
	}
	k.working, k.waiting = k.waiting[0], k.waiting[1:]
	return true
}

// stop waits for the link under way, and begins no other.
func (k *keeper) stop() {
	k.mu.Lock()
	k.stopped, k.waiting = true, nil
	k.mu.Unlock()
	k.worker.Wait()
}

// keep decides about one image. The device counts each failure, which only costs the next process a compilation.
func (k *keeper) keep(w *candidate) {
	images := &k.c.images
	defer func() {
		if v := recover(); v != nil {
			_ = k.c.gpu.Fail(primary.Caught("keep", w.module.Kernels[0].Entry, v))
		}
	}()
	if k.c.gpu.Lost() {
		return
	}
	if known := images.load(w.key); known.Image != nil || known.Text {
		return // another device, or another process, has decided
	}
	image, failed := k.compare(w)
	if failed != nil {
		failed.Op, failed.Label = "keep", w.module.Kernels[0].Entry
		_ = k.c.gpu.Fail(failed)
		k.c.gpu.Say("image not kept: %v", failed)
		return
	}
	images.store(w.key, image)
}

// compare links a text and loads the image. It returns the image if that costs no more than the text, else nil.
func (k *keeper) compare(w *candidate) (image []byte, failed *driver.Error) {
	gpu := k.c.gpu
	if err := gpu.Enter("keep", ""); err != nil {
		return nil, err.(*driver.Error)
	}
	defer gpu.Leave()
	image, failed = k.c.link(w.module, w.how)
	if failed != nil {
		return nil, failed
	}
	jit := cu.JIT{LineInfo: w.how.lines}
	module, err := gpu.Driver.ModuleLoadDataEx(image, &jit)
	if err != nil {
		return nil, k.c.assemblerError(w.module, jit.Errors, err)
	}
	defer k.discard(module)
	f, err := gpu.Driver.ModuleGetFunction(module, w.module.Kernels[0].Entry)
	var took cost
	if err == nil {
		took, err = k.c.costOf(f)
	}
	if err != nil {
		return nil, gpu.ErrorOf("keep", "", err)
	}
	same := took == w.cost
	if gpu.Say("the image of %s takes %+v, its text %+v: kept is the image: %v", w.module.Kernels[0].Entry, took, w.cost, same); !same {
		return nil, nil
	}
	return image, nil
}

// discard unloads the module of a comparison, and those before that are left. A driver that unloads waits for all work
// of the context, which may not end, so they stay loaded where there is some.
func (k *keeper) discard(module cu.Module) {
	gpu := k.c.gpu
	k.mu.Lock()
	k.left = append(k.left, module)
	var old []cu.Module
	if gpu.Gauge(metric.RunsInFlight, 0) == 0 && !k.c.modules.deferred.Any() {
		old, k.left = k.left, nil
	}
	k.mu.Unlock()
	for _, m := range old {
		if gpu.Lost() {
			break
		}
		if err := gpu.Driver.ModuleUnload(m); err != nil {
			_ = gpu.Fail(gpu.ErrorOf("keep", "", err)) // the caller has gone on
		}
	}
}

// Link returns what the driver's linker makes of the text of a kernel: nil if that takes more than the loaded text, or if
// the kernel is for another architecture than the device's.
func (c *Compiler) Link(of driver.Kernel) (image []byte, err error) {
	own, err := driver.KernelOf(of)
	if err != nil {
		return nil, err
	}
	k, ok := own.(*kernel)
	if !ok || k.by != c {
		return nil, &driver.Error{Op: "link", Label: own.Label(), Device: c.gpu.Name(), Kind: driver.InvalidArgument, Msg: "the kernel is of another device"}
	}
	if c.linkTarget(k.code.how.target) == 0 || k.code.text == "" {
		return nil, nil
	}
	if err := c.gpu.Alive("link", k.Label()); err != nil {
		return nil, err
	}
	m := &ptx.Module{Text: k.code.text, Target: k.code.how.target, Kernels: []ptx.Kernel{{Entry: k.code.entry}}}
	image, failed := c.keeper.compare(&candidate{module: m, how: k.code.how, cost: k.code.cost})
	if failed != nil {
		failed.Op, failed.Label = "link", k.Label()
		return nil, c.gpu.Fail(failed)
	}
	return image, nil
}

// drop unloads what is left. The context is current, unless it is lost.
func (k *keeper) drop(note func(error)) {
	for _, m := range k.left {
		if !k.c.gpu.Lost() {
			note(k.c.gpu.Driver.ModuleUnload(m))
		}
	}
	k.left = nil
}
