package machine

import "testing"

// TestKernelsThatWereLaunchedLastKeepWhatTheyNeed, within a bound, and one that takes more all the same.
func TestKernelsThatWereLaunchedLastKeepWhatTheyNeed(t *testing.T) {
	var kept idle
	mem := &Memory{}
	ended := func(k *Kernel, groups int) *Execution {
		return &Execution{k: k, threads: 1000, spare: make([]*group, groups)} // 32 warps each
	}
	kernels := make([]*Kernel, 6)
	for i := range kernels {
		kernels[i] = &Kernel{mem: mem, own: 1000}
		kept.keep(ended(kernels[i], 10)) // 79 MiB
	}
	for i, k := range kernels {
		if (k.idle != nil) != (i >= 3) {
			t.Errorf("kernel %d of 6 keeps %v", i, k.idle)
		}
	}
	if want := 3 * 10 * 32 * 260 * 1000; kept.bytes != want {
		t.Errorf("%d bytes are kept, want %d", kept.bytes, want)
	}
	e := kernels[3].idle
	kept.drop(e) // it is launched again
	kept.keep(e)
	another := ended(kernels[5], 9) // another shape
	kept.keep(another)
	kept.keep(ended(kernels[0], 10))
	if kernels[4].idle != nil || kernels[3].idle != e || kernels[5].idle != another || kernels[0].idle == nil || len(kept.list) != 3 {
		t.Errorf("%d launches are kept, not those of kernels 3, 5 and 0", len(kept.list))
	}
	kept.keep(ended(kernels[1], 100))
	if kernels[1].idle == nil || len(kept.list) != 1 || kept.bytes != kernels[1].idle.bytes() {
		t.Errorf("%d launches are kept beside one that takes more than all may", len(kept.list)-1)
	}
	if kept.drop(kernels[1].idle); kept.bytes != 0 || len(kept.list) != 0 || kernels[1].idle != nil {
		t.Errorf("%d bytes are kept of nothing", kept.bytes)
	}
}

// TestKernelsOfAModuleThatIsUnloadedKeepNothing: nothing launches them again.
func TestKernelsOfAModuleThatIsUnloadedKeepNothing(t *testing.T) {
	mem := &Memory{}
	stays, goes := &Kernel{mem: mem, own: 10}, &Kernel{mem: mem, own: 10}
	for _, k := range []*Kernel{goes, stays} {
		mem.idle.keep(&Execution{k: k, threads: 32, spare: make([]*group, 1)})
	}
	im := &Image{mem: mem, kernels: map[string]*Kernel{"goes": goes, "was never launched": {mem: mem}}}
	if err := im.Unload(); err != nil {
		t.Fatal(err)
	}
	if len(mem.idle.list) != 1 || mem.idle.list[0] != stays.idle || goes.idle != nil || mem.idle.bytes != stays.idle.bytes() {
		t.Errorf("%d launches are kept, want that of the module that is loaded", len(mem.idle.list))
	}
}
