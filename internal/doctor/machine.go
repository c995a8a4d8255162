package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
)

// Checks that others of a GPU need. The device is open from "context" on.
var (
	needLibrary = []string{"library"}
	needDevices = []string{"library", "devices"}
	needContext = []string{"context"}
	needLaunch  = []string{"context", "compile", "launch + wait"}
)

// gpuChecks are those of devices cuda and cuda-sim. The first ones ask the driver alone.
var gpuChecks = []check{
	{"library", nil, (*exam).library},
	{"devices", needLibrary, (*exam).devices},
	{"driver", needDevices, (*exam).driver},
	{"target", []string{"library", "devices", "driver"}, (*exam).target},
	{"compute mode", needDevices, (*exam).mode},
	{"context", []string{"library", "devices", "driver", "target"}, (*exam).context},
	{"memory", needContext, (*exam).memory},
	{"pinned", needContext, (*exam).pinned},
	{"compile", needContext, (*exam).compile},
	{"images", needContext, (*exam).cache},
	{"launch + wait", []string{"context", "compile"}, (*exam).launch},
	{"word", needLaunch, (*exam).word},
	{"graph", needLaunch, (*exam).graph},
	{"while node", needLaunch, (*exam).while},
	{"grid barrier", needLaunch, (*exam).barrier},
	{"copies", needContext, (*exam).copies},
	{"caches", needContext, (*exam).caches},
	{"profilers", nil, (*exam).profilers},
	{"environment", nil, (*exam).environment},
}

const updateDriver = "update the NVIDIA driver"

// groups are the functions that a driver may lack, by what they are for.
var groups = []struct {
	group cu.Group
	use   string
}{{cu.Coop, "grid barriers"}, {cu.MemOp, "words written by streams"}, {cu.Pool, "memory pools"}, {cu.Graphing, "graphs"}, {cu.Cond, "loops in graphs"}, {cu.Loading, "loading ahead"}, {cu.Pointer, "checks of borrowed memory"}}

func (e *exam) library() finding {
	e.drv = e.handed
	if e.drv == nil {
		path := os.Getenv(cuda.EnvLibrary)
		lib, err := cu.Load(path)
		if err != nil {
			f := failed(err)
			if path != "" {
				f.fix = "correct or unset " + cuda.EnvLibrary + "; " + f.fix
			}
			return e.missing(f)
		}
		e.drv = lib
	}
	found := e.drv.Path()
	if v, err := e.drv.DriverGetVersion(); err == nil {
		found += ", CUDA " + cutarget.VersionText(v)
		e.version = v
	} else {
		found += ", which does not tell its version: " + err.Error()
	}
	var lacking []string
	for _, g := range groups {
		if !e.drv.Has(g.group) {
			lacking = append(lacking, g.use)
		}
	}
	if lacking != nil {
		return warning(updateDriver, "%s, without functions for %s", found, strings.Join(lacking, ", "))
	}
	return good("%s", found)
}

// missing is the finding that there is no GPU, a warning where nobody asked for one.
func (e *exam) missing(f finding) finding {
	if !e.named {
		e.absent, f.state = true, Warn
	}
	return f
}

func (e *exam) devices() finding {
	infos, err := cuda.List(e.kind, e.drv)
	if err != nil {
		var of *driver.Error
		if errors.As(err, &of) && (of.Code == 34 || of.Code == 100) { // a stub, or no device
			return e.missing(failed(err))
		}
		return failed(err)
	}
	if len(infos) == 0 {
		return e.missing(failing("check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it", "the driver sees no GPU"))
	}
	var names []string
	for _, i := range infos {
		names = append(names, fmt.Sprintf("%s (%s, %s)", cmp.Or(e.model, i.Name), i.Model, size(i.Memory)))
	}
	all := strings.Join(names, ", ")
	ordinal, ok := e.ordinal(len(infos))
	if !ok {
		return failing("name one of them, or its identity as nvidia-smi -L lists it", "there is no %s; there are %s", e.name, all)
	}
	if e.gpu, err = e.drv.DeviceGet(ordinal); err != nil {
		return failed(err)
	}
	return good("%s", all)
}

// ordinal returns the number of the device that was named.
func (e *exam) ordinal(n int) (ordinal int, ok bool) {
	if e.selector == "" {
		return 0, true
	}
	for i := range n {
		dev, err := e.drv.DeviceGet(i)
		if err != nil {
			continue
		}
		id, err := e.drv.DeviceGetUuid(dev)
		if strconv.Itoa(i) == e.selector || err == nil && id.String() == e.selector {
			return i, true
		}
	}
	return 0, false
}

func (e *exam) driver() finding {
	switch {
	case e.version == 0:
		return failing("reinstall the NVIDIA driver", "its version is not known")
	case e.version < cutarget.OldestDriver:
		return failing("update the NVIDIA driver to 470 or newer", "it is of CUDA %s, %s is the oldest that works",
			cutarget.VersionText(e.version), cutarget.VersionText(cutarget.OldestDriver))
	}
	return good("CUDA %s, which takes PTX for architectures up to %s", cutarget.VersionText(e.version), cutarget.Newest(e.version))
}

func (e *exam) target() finding {
	major, err := e.drv.DeviceGetAttribute(cu.CapabilityMajor, e.gpu)
	if err != nil {
		return failed(err)
	}
	minor, _ := e.drv.DeviceGetAttribute(cu.CapabilityMinor, e.gpu) // 0 where it is not known, as for a device that is opened
	t, reduced, err := cutarget.Choose(10*major+minor, e.version)
	switch {
	case err != nil:
		return failing("use a GPU of the Volta generation or later", "%v, the least that works", err)
	case reduced:
		return warning(updateDriver, "capability %d.%d, but programs are compiled for %s, because the driver takes nothing newer for this GPU", major, minor, t)
	}
	return good("capability %d.%d, programs are compiled for %s", major, minor, t)
}

// mode is the compute mode, and the watchdog of a display.
func (e *exam) mode() finding {
	mode, err := e.drv.DeviceGetAttribute(cu.ComputeMode, e.gpu)
	if err != nil {
		return warning("", "the driver does not tell it: %v", err)
	}
	watchdog, _ := e.drv.DeviceGetAttribute(cu.KernelExecTimeout, e.gpu) // what the driver does not tell counts as none
	switch {
	case mode == 2:
		return failing("nvidia-smi -c DEFAULT", "prohibited: no process may use the GPU")
	case mode != 0:
		return warning("nvidia-smi -c DEFAULT", "exclusive: one process at a time may use the GPU")
	case watchdog != 0:
		return warning("use a GPU without a display, or launches of less than a second", "default; but the GPU has a display, whose watchdog ends long kernels")
	}
	return good("default, and no watchdog ends long kernels")
}
