package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/nvtx"
)

// profilers says whether work is marked for NVIDIA's profilers.
func (e *exam) profilers() finding {
	if path := os.Getenv(nvtx.EnvInjection); path != "" {
		if _, err := nvtx.OfProcess(); err != nil {
			return warning("unset "+nvtx.EnvInjection+", or run the program in the profiler that set it", "no ranges are marked: %s", reason(err))
		}
		return good("ranges are marked by %s, as %s says", path, nvtx.EnvInjection)
	}
	_, err := nvtx.Load("")
	switch {
	case os.Getenv(nvtx.Env) == "" && err != nil:
		return good("no ranges are marked: no profiler has set %s, %s is not set, and libnvToolsExt.so.1 is not there", nvtx.EnvInjection, nvtx.Env)
	case os.Getenv(nvtx.Env) == "":
		return good("no ranges are marked, because no profiler has set %s, and %s is not set; libnvToolsExt.so.1 is there", nvtx.EnvInjection, nvtx.Env)
	case err != nil:
		return warning("run the program in a profiler, or unset "+nvtx.Env, "no ranges are marked: %s", reason(err))
	}
	return good("ranges are marked by libnvToolsExt.so.1, because %s is set", nvtx.Env)
}

// reason is why there are no ranges, without the remedy of the error, which is for others than a doctor.
func reason(err error) string {
	var missing *nvtx.MissingError
	if errors.As(err, &missing) {
		return missing.Reason
	}
	return err.Error()
}

// variables are those that a device reads; those of tests are known too.
var (
	variables = []string{driver.EnvDevice, driver.EnvCacheDir, driver.EnvCacheBytes, cuda.EnvLibrary, "VYRE_CPU", driver.EnvDebug, nvtx.Env}
	ofTests   = []string{"VYRE_GPU", "VYRE_LONG", "VYRE_SEED", "VYRE_PTXAS", "VYRE_BROWSER", "VYRE_TOOLS", "VYRE_NATIVE"}
	ofDriver  = []string{"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT", nvtx.EnvInjection} // that change what is seen here
)

func (e *exam) environment() finding {
	var set, unknown []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case slices.Contains(variables, name), slices.Contains(ofTests, name), slices.Contains(ofDriver, name):
			set = append(set, v)
		case strings.HasPrefix(strings.ToUpper(name), "VYRE_"):
			unknown = append(unknown, name)
		}
	}
	slices.Sort(set)
	slices.Sort(unknown)
	found := "no variable of vyre is set"
	if set != nil {
		found = strings.Join(set, ", ")
	}
	if unknown != nil {
		return warning("unset what is unknown, or correct its name; the variables are "+strings.Join(variables, ", "),
			"%s; unknown: %s", found, strings.Join(unknown, ", "))
	}
	return good("%s", found)
}

// busSpeed returns how many GB/s the bus to a device moves one way, 0 where the system does not tell.
func busSpeed(pci string) float64 {
	read := func(name string) float64 {
		text, err := os.ReadFile(filepath.Join("/sys/bus/pci/devices", strings.ToLower(pci), name))
		if err != nil {
			return 0
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ") // as in 32.0 GT/s PCIe
		v, _ := strconv.ParseFloat(first, 64)
		return v
	}
	transfers, lanes := read("max_link_speed"), read("max_link_width")
	bits := 8.0 / 10 // of a transfer that are data
	if transfers >= 8 {
		bits = 128.0 / 130
	}
	return transfers * lanes * bits / 8
}

// size prints bytes as people do.
func size(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.bytes {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.bytes)), ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// short is a time of three digits.
func short(d time.Duration) time.Duration {
	for unit := time.Second; unit > 1; unit /= 10 {
		if d >= unit {
			return d.Round(unit / 100)
		}
	}
	return d
}
