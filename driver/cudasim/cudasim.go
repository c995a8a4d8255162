// Package cudasim is the device "cuda-sim": package cuda on a simulated driver, which runs the same PTX as a GPU and
// checks every access. Importing the package registers the device:
//
//	import _ "github.com/govyre/vyre/driver/cudasim"
//
// Open("cuda-sim:1") chooses another GPU: 0 is of capability 9.0, 1 of 8.6, 2 of 12.0, and 3 of 7.5 with four units, so
// that it is fast to fill. Open("cuda-sim:sm_80") chooses any of driver.Models by name. Open("auto") never chooses this
// device. A test that injects faults, or needs a model of its own, makes the driver with package cusim and gives it to
// cuda.Open.
package cudasim

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
)

// Name is what Open takes.
const Name = "cuda-sim"

// simulated are the process's simulated drivers, as the library is the process's real one: that of the GPUs that have
// ordinals, named "", and of each model.
var simulated struct {
	sync.Mutex
	drivers map[string]*cusim.Driver
}

func driverOf(name string) *cusim.Driver {
	simulated.Lock()
	defer simulated.Unlock()
	d := simulated.drivers[name]
	if d == nil {
		var c cusim.Config
		if name != "" {
			c.Models = []cusim.Model{cusim.Named(name)}
		}
		d = cusim.New(c)
		if simulated.drivers == nil {
			simulated.drivers = make(map[string]*cusim.Driver)
		}
		simulated.drivers[name] = d
	}
	return d
}

func init() { driver.Register(Name, driver.NotAuto, open, list) }

func open(selector string, o driver.OpenOptions) (driver.Device, error) {
	how := cuda.Options{OpenOptions: o, Selector: selector, Simulated: true, Kind: Name}
	switch n, err := strconv.Atoi(selector); {
	case cusim.Named(selector) != nil:
		how.Driver, how.Selector, how.Name = driverOf(selector), "", Name+":"+selector
	case selector == "", err == nil && n >= 0 && n < len(cusim.Models()), strings.HasPrefix(selector, "GPU-"):
		how.Driver = driverOf("")
	default:
		var names []string
		for _, m := range driver.Models() {
			names = append(names, m.Name)
		}
		return nil, &driver.Error{Op: "open", Label: Name + ":" + selector, Kind: driver.Unavailable, Msg: fmt.Sprintf("%q is not a simulated GPU", selector),
			Fix: fmt.Sprintf("write %s:N with a number from 0 to %d, or with one of %s", Name, len(cusim.Models())-1, strings.Join(names, ", "))}
	}
	return cuda.Open(how)
}

// list has the GPUs with ordinals, then the models by name.
func list() ([]driver.Info, error) {
	infos, err := cuda.List(Name, driverOf(""))
	for i := range infos {
		infos[i].Simulated = true
	}
	for _, m := range driver.Models() {
		infos = append(infos, driver.Info{Name: Name + ":" + m.Name, Model: m.Model, Capability: fmt.Sprintf("%d.%d", m.Major, m.Minor), Simulated: true})
	}
	return infos, err
}
