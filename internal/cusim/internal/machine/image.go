package machine

import (
	"fmt"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// Image is a module that is ready to run: its variables have addresses in a memory, its kernels are decoded.
type Image struct {
	mem     *Memory
	address map[*asm.Var]uint64 // of variables outside of kernels
	kernels map[string]*Kernel
	owned   []uint64
}

// Load places the module's variables in memory and decodes its kernels.
func Load(m *asm.Module, mem *Memory) (*Image, error) {
	im := &Image{mem: mem, address: make(map[*asm.Var]uint64), kernels: make(map[string]*Kernel)}
	for _, v := range m.Vars {
		if v.Space == asm.Shared || v.Bytes == 0 {
			continue
		}
		addr, err := mem.Alloc(int64(v.Bytes), v.Name)
		if err != nil {
			return nil, err
		}
		im.address[v] = addr
		im.owned = append(im.owned, addr)
		contents := make([]byte, v.Bytes) // variables start as zero
		copy(contents, v.Init)
		if err := mem.Write(addr, contents); err != nil {
			return nil, err
		}
	}
	for _, k := range m.Kernels {
		d, err := im.decode(m, k)
		if err != nil {
			return nil, err
		}
		im.kernels[k.Name] = d
	}
	return im, nil
}

// Kernel returns an entry, nil if there is none of that name.
func (im *Image) Kernel(name string) *Kernel { return im.kernels[name] }

// Unload frees the module's variables, and what its kernels keep for a next launch.
func (im *Image) Unload() error {
	for _, k := range im.kernels {
		if k.idle != nil {
			im.mem.idle.drop(k.idle)
		}
	}
	for _, addr := range im.owned {
		if err := im.mem.Free(addr); err != nil {
			return err
		}
	}
	im.owned = nil
	return nil
}

// Kernel is an entry, decoded.
type Kernel struct {
	source *asm.Kernel
	mem    *Memory
	code   []inst

	estimate int      // of registers, see estimateRegisters
	own      int      // slots of a warp's registers
	consts   []values // the slots after them, which all warps share
	preds    int

	static int // bytes of shared variables
	local  int // bytes of local variables of an invocation
	extern int // where the shared memory starts that comes with the launch

	carries bool // bytes that nothing wrote may be loaded

	idle *Execution // that has ended and may start again
}

// Carries says of all kernels that loading bytes that nothing wrote is no finding: they only carry bytes.
func (im *Image) Carries() {
	for _, k := range im.kernels {
		k.carries = true
	}
}

// Params are the kernel's parameters.
func (k *Kernel) Params() []*asm.Var { return k.source.Params }

// ParamBytes is how long the block of parameters is.
func (k *Kernel) ParamBytes() int { return k.source.ParamBytes }

// StaticShared is how many bytes of shared memory the code declares.
func (k *Kernel) StaticShared() int { return k.static }

// EstimatedRegisters is about how many registers of 32 bits an invocation would take.
func (k *Kernel) EstimatedRegisters() int { return k.estimate }

// LocalBytes is how many bytes of local memory an invocation has.
func (k *Kernel) LocalBytes() int { return k.local }

// Required is the block size that the code demands; zero without.
func (k *Kernel) Required() [3]uint32 { return k.source.Required }

func align(n, to int) int { return (n + to - 1) / to * to }

// placed gives shared and local variables their addresses.
func (im *Image) placed(m *asm.Module, k *asm.Kernel, d *Kernel) (map[*asm.Var]uint64, error) {
	at := make(map[*asm.Var]uint64)
	for v, a := range im.address {
		at[v] = a
	}
	place := func(v *asm.Var) {
		switch v.Space {
		case asm.Shared:
			d.static = align(d.static, v.Align)
			at[v] = sharedBase + uint64(d.static)
			d.static += v.Bytes
		case asm.Local:
			d.local = align(d.local, v.Align)
			at[v] = localBase + uint64(d.local)
			d.local += v.Bytes
		}
	}
	for _, v := range m.Vars {
		if !v.Extern {
			place(v)
		}
	}
	for _, v := range k.Vars {
		place(v)
	}
	d.local = align(d.local, 16)
	d.extern = d.static
	most := 1
	for _, v := range m.Vars {
		if v.Space == asm.Shared && v.Extern {
			most = max(most, v.Align)
		}
	}
	d.extern = align(d.static, most)
	for _, v := range m.Vars {
		if v.Space == asm.Shared && v.Extern {
			at[v] = sharedBase + uint64(d.extern)
		}
	}
	if d.static > 1<<20 || d.local > 1<<20 {
		return nil, fmt.Errorf("kernel %s has %d bytes of shared and %d of local variables", k.Name, d.static, d.local)
	}
	return at, nil
}
