package megakernel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
)

// Tried is a device and what runs there came to.
type Tried struct {
	Device  driver.Device
	History *History
}

// Fastest returns the device on which runs usually take least, by the best way of each, and a line that says why. It is
// asked before waves have memory, since that is one device's: so the host's cores, as device cpu, stand beside a GPU (see
// Trial). Unless there is evidence of each, of the same waves with the same options, it is the first one; nil if there is
// none, or one of them is nil.
func Fastest(tried ...Tried) (driver.Device, string) {
	if len(tried) == 0 || slices.ContainsFunc(tried, func(t Tried) bool { return t.Device == nil }) {
		return nil, "there is no device"
	}
	best, least := tried[0].Device, uint64(0)
	var each []string
	for _, d := range tried {
		way, ns := d.History.Best()
		switch {
		case way == nil:
			return tried[0].Device, fmt.Sprintf("device %s: there is no evidence of %s", tried[0].Device.Name(), d.Device.Name())
		case d.History.Programs != tried[0].History.Programs:
			return tried[0].Device, fmt.Sprintf("device %s: that of %s is of other waves, or other options", tried[0].Device.Name(), d.Device.Name())
		}
		each = append(each, fmt.Sprintf("%s %v (%s)", d.Device.Name(), time.Duration(ns), cmp.Or(way.Name, HostLoop.String())))
		if least == 0 || ns < least {
			best, least = d.Device, ns
		}
	}
	return best, fmt.Sprintf("device %s: %s", best.Name(), strings.Join(each, ", "))
}
