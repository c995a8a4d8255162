package driver

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// Info describes a device that could be opened.
type Info struct {
	Name       string // for Open
	Model      string
	Memory     int64
	Capability string // of the instruction set; empty where that means nothing
	Simulated  bool   // a program stands for it
}

// NotAuto as a rank keeps a device from being chosen by "auto".
const NotAuto = -1

type backend struct {
	name string
	rank int
	open func(selector string, o OpenOptions) (Device, error)
	list func() ([]Info, error)
}

var registry struct {
	sync.Mutex
	backends []*backend // in the order of auto
}

// Register makes a kind of device known under a name; packages call it from init. open opens one: selector is what
// followed the colon in the name. list enumerates them without opening any. "auto" tries ranks in ascending order, equal
// ranks by name. Registering a name twice panics.
func Register(name string, rank int, open func(selector string, o OpenOptions) (Device, error), list func() ([]Info, error)) {
	registry.Lock()
	defer registry.Unlock()
	for _, b := range registry.backends {
		if b.name == name {
			panic(fmt.Sprintf("BUG: device %q registered twice", name))
		}
	}
	registry.backends = append(registry.backends, &backend{name, rank, open, list})
	slices.SortFunc(registry.backends, func(a, b *backend) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name))
	})
}

func backends() []*backend {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.backends)
}

// List returns the devices that can be enumerated without opening one, in the order in
// which "auto" would try them. The error joins what kept kinds from being enumerated; the
// list is good beside it.
func List() ([]Info, error) {
	var all []Info
	var errs []error
	for _, b := range backends() {
		infos, err := b.list()
		all = append(all, infos...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

// EnvDevice is the environment variable that names the device that "auto" must be.
const EnvDevice = "VYRE_DEVICE"

// Open opens a device: "auto", a registered name such as "cuda", or a name with a selector
// such as "cuda:1". "" is "auto".
//
// "auto" is the device named by VYRE_DEVICE and no other. Without that it is the first
// registered device that opens. A candidate is passed over only if it is Unavailable, which
// means that it is not there; a device that is there and broken is never replaced by another.
func Open(name string, o OpenOptions) (Device, error) {
	if name == "" || name == "auto" {
		if env := os.Getenv(EnvDevice); env != "" && env != "auto" {
			d, err := openNamed(env, o)
			if err != nil {
				return nil, fmt.Errorf("%s=%s: %w", EnvDevice, env, err)
			}
			return d, nil
		}
		return openAuto(o)
	}
	return openNamed(name, o)
}

func openNamed(name string, o OpenOptions) (Device, error) {
	kind, selector, _ := strings.Cut(name, ":")
	var known []string
	for _, b := range backends() {
		if b.name != kind {
			known = append(known, b.name)
			continue
		}
		d, err := b.open(selector, o)
		if err != nil {
			return nil, err
		}
		d.core().origin = Choice{Name: d.Name()}
		return d, nil
	}
	return nil, &Error{Op: "open", Label: name, Kind: Unavailable, Msg: fmt.Sprintf("no device of that name is linked in, there is %s", orNone(known)),
		Fix: advice(kind)}
}

// packages are where the devices of this module are.
var packages = map[string]string{"cpu": "driver/cpu", "cuda": "driver/cuda", "cuda-sim": "driver/cudasim"}

// advice says how a device of that kind gets into the program, if there is such a kind.
func advice(kind string) string {
	if at, ok := packages[kind]; ok {
		return fmt.Sprintf("import _ %q", "github.com/govyre/vyre/"+at)
	}
	return "choose one of those, or import the package that registers it"
}

func openAuto(o OpenOptions) (Device, error) {
	var passed []Passed
	for _, b := range backends() {
		if b.rank < 0 {
			continue
		}
		d, err := b.open("", o)
		if err == nil {
			d.core().origin = Choice{Name: d.Name(), Passed: passed}
			return d, nil
		}
		if !passable(err) {
			return nil, err
		}
		passed = append(passed, Passed{b.name, err})
	}
	var why []string
	for _, p := range passed {
		why = append(why, p.Name+": "+p.Err.Error())
	}
	return nil, &Error{Op: "open", Label: "auto", Kind: Unavailable, Msg: "no device could be opened: " + orNone(why)}
}

// passable reports whether an error means that a device is absent. Native codes 34 and 100
// (stub library, no device) say so too; any other code means that something is there.
func passable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == Unavailable && (e.Code == 0 || e.Code == 34 || e.Code == 100)
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
