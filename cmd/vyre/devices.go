package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"    // registers the device "cuda"
	_ "github.com/govyre/vyre/driver/cudasim" // registers the device "cuda-sim"
	"github.com/govyre/vyre/internal/printable"
)

// devicesCmd lists devices.
type devicesCmd struct {
	JSON bool `help:"Print the list as JSON."`
}

type deviceJSON struct {
	Name       string `json:"name"`
	Model      string `json:"model"`
	Memory     int64  `json:"memory_bytes"`
	Capability string `json:"capability,omitempty"`
	Simulated  bool   `json:"simulated,omitempty"`
}

type devicesJSON struct {
	Devices []deviceJSON `json:"devices"`
	Auto    string       `json:"auto"`
	Missing []string     `json:"missing"`
	Cache   string       `json:"cache,omitempty"`
	Matrix  matrixJSON   `json:"matrix"` // of the device that auto chooses
}

type matrixJSON struct {
	Generation string `json:"generation"`
	Forms      string `json:"forms"`
}

func (c *devicesCmd) Run(t *terminal) error {
	infos, err := driver.List()
	list := devicesJSON{Devices: []deviceJSON{}, Missing: []string{}}
	for _, i := range infos {
		list.Devices = append(list.Devices, deviceJSON{i.Name, i.Model, i.Memory, i.Capability, i.Simulated})
	}
	for _, e := range split(err) {
		list.Missing = append(list.Missing, e.Error())
	}
	auto, openErr := driver.Open("auto", driver.OpenOptions{})
	if openErr == nil {
		list.Auto, list.Cache = auto.Name(), auto.Stats().CacheDir
		list.Matrix = matrixJSON(auto.Caps().Matrix)
		defer auto.Close()
	}
	if c.JSON {
		if err := json.NewEncoder(printable.JSONWriter(t.out)).Encode(list); err != nil {
			return err
		}
		return openErr
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	var simulated []string
	for _, d := range list.Devices {
		if d.Simulated {
			simulated = append(simulated, fmt.Sprintf("%s (%s)", d.Name, strings.TrimPrefix(d.Model, "simulated ")))
			continue
		}
		mark := ""
		if d.Name == list.Auto {
			mark = "chosen by auto"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", d.Name, d.Model, size(d.Memory), d.Capability, mark)
	}
	w.Flush()
	for _, m := range list.Missing {
		fmt.Fprintln(t.out, m)
	}
	fmt.Fprintln(t.out, cpuEngine())
	if len(simulated) > 0 {
		fmt.Fprintln(t.out, "simulated, for tests without a GPU:")
		for line := range slices.Chunk(simulated, 4) {
			fmt.Fprintln(t.out, " ", strings.Join(line, ", "))
		}
	}
	if list.Auto != "" {
		fmt.Fprintf(t.out, "products of matrices on %s: %s, as %s computes them\n", list.Auto, list.Matrix.Forms, list.Matrix.Generation)
	}
	if list.Cache != "" {
		fmt.Fprintf(t.out, "compiled kernels are kept in %s\n", list.Cache)
	}
	return openErr
}

// cpuEngine says what runs the kernels of device cpu, or why it does not open.
func cpuEngine() string {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		return err.Error()
	}
	defer d.Close()
	if why := d.Caps().Reason; why != "" {
		return "cpu runs kernels on the interpreter: " + why
	}
	return "cpu runs kernels as machine code (" + d.Caps().Target + ")"
}

// openDevice opens a device by the name that the command line has.
func openDevice(name string, o driver.OpenOptions) (driver.Device, error) {
	if err := checkDevice(name); err != nil {
		return nil, err
	}
	return driver.Open(name, o)
}

// checkDevice refuses a name that nothing goes by: that is a mistake in the command line, and no device that is missing.
func checkDevice(name string) error {
	if kind, _, _ := strings.Cut(name, ":"); name == "" || slices.Contains(deviceNames(), kind) {
		return nil
	}
	return usagef("--device %s: there is no such device; there are %s, and some take a number or a model, as in cuda:1 and cuda-sim:sm_80", name, strings.Join(deviceNames(), ", "))
}

// deviceNames are the names that --device takes.
func deviceNames() []string { return []string{"auto", cpu.Name, "cuda", "cuda-sim"} }

// split takes joined errors apart.
func split(err error) []error {
	if err == nil {
		return nil
	}
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}

// size prints bytes the way memory is sold.
func size(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
