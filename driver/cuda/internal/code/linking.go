package code

import (
	_ "embed"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir/wire"
)

// Only the linker gives an image that can be kept on disk. But it takes text as code that may be
// put together with other code: shared arrays get their places late, and a division or a root is a
// real call, whose conventions cost registers. What is loaded as text has neither.

// sample is a kernel in which the two differ, if they do: sample.vyre, encoded, so that programs that only run kernels
// link no parser of text. The test of that name remakes it with -update.
//
//go:embed sample.bin
var sample []byte

// Linking is whether the linker's code is as good as loaded text, once that is known.
type Linking uint8

const (
	LinkUnknown Linking = iota
	LinkEqual
	LinkWorse
)

// links reports whether texts go through the linker, and from there to the disk. The first
// compilation of a device that finds nothing on disk compares both ways to compile the sample.
// The context is current.
func (c *Compiler) links() (bool, *driver.Error) {
	if c.images.disk == nil {
		return false, nil // nothing would keep the image
	}
	c.linking.Lock()
	defer c.linking.Unlock()
	if c.Linking == LinkUnknown {
		same, failed := c.compareLink()
		if failed != nil {
			if failed.Sticky {
				return false, failed
			}
			c.gpu.Say("whether to link is not known: %v", failed)
			return false, nil
		}
		c.Linking = LinkWorse
		if same {
			c.Linking = LinkEqual
		}
		c.gpu.Say("linked code is as good as loaded code: %v", same)
	}
	return c.Linking == LinkEqual, nil
}

func (c *Compiler) compareLink() (same bool, failed *driver.Error) {
	p, _, err := wire.Decode(sample)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	m, err := ptx.Compile(p, c.target, ptx.Options{Passes: compile.Choice{Level: compile.O0}})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	h := how{target: c.target}
	loaded, failed := c.take(m, h, append([]byte(m.Text), 0))
	if failed != nil {
		return false, failed
	}
	image, failed := c.link(m, h)
	if failed != nil {
		return false, failed
	}
	linked, failed := c.take(m, h, image)
	return loaded == linked, failed
}

// take loads a module, to see what it takes, and unloads it.
func (c *Compiler) take(m *ptx.Module, h how, image []byte) (took [3]int, failed *driver.Error) {
	jit := cu.JIT{LineInfo: h.lines}
	module, err := c.gpu.Driver.ModuleLoadDataEx(image, &jit)
	if err != nil {
		return took, c.assemblerError(m, jit.Errors, err)
	}
	f, err := c.gpu.Driver.ModuleGetFunction(module, m.Kernels[0].Entry)
	for i, a := range []cu.FuncAttribute{cu.FuncRegisters, cu.FuncLocal, cu.FuncShared} {
		if err == nil {
			took[i], err = c.gpu.Driver.FuncGetAttribute(a, f)
		}
	}
	if !c.gpu.Lost() {
		err = errors.Join(err, c.gpu.Driver.ModuleUnload(module))
	}
	if err != nil {
		return took, c.gpu.ErrorOf("compile", "", err)
	}
	return took, nil
}
