package megakernel

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// costsVersion is that of the file, and of what is measured.
const costsVersion = 2

// costsFile is what a file of costs holds.
type costsFile struct {
	Version int        `json:"version"`
	Device  deviceKind `json:"device"`
	Costs   plan.Costs `json:"costs"`
}

// costsPath is where the costs of a device are kept.
func costsPath(dev driver.Device) string {
	return keptPath(dev, "costs", fmt.Sprintf("vyre costs %d %+v", costsVersion, kindOf(dev)))
}

// keepCosts writes the costs of a device.
func keepCosts(dev driver.Device, costs *plan.Costs) error {
	return keptError(dev, "the costs", keep(costsPath(dev), costsFile{costsVersion, kindOf(dev), *costs}))
}

// KeptCosts returns what Calibrate kept of a device, or of another one of the same kind, in this process or in another;
// nil if there is nothing.
func KeptCosts(dev driver.Device) *plan.Costs {
	var f costsFile
	if !kept(costsPath(dev), &f) || f.Version != costsVersion || f.Device != kindOf(dev) || !plausible(&f.Costs) {
		return nil
	}
	return &f.Costs
}

// plausible refuses what no measurement can have come to.
func plausible(c *plan.Costs) bool {
	times := []float64{c.Launch, c.LaunchRead, c.GraphNode, c.GraphRead, c.LoopStart, c.LoopRound, c.CoopRead, c.EmptyTail}
	blocks := 0
	for _, b := range c.GridBarrier {
		if b.Blocks < 0 || b.Blocks > 0 && b.Blocks <= blocks {
			return false
		}
		blocks = max(blocks, b.Blocks)
		times = append(times, b.NS)
	}
	for _, t := range times {
		if !(t >= 0) || t > float64(math.MaxInt32) {
			return false
		}
	}
	return c.LaunchRead > 0 && c.Forward <= mostTurnCost && c.Scan <= mostTurnCost
}
