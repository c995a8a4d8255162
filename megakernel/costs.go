package megakernel

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel/plan"
)

// Costs are kept in a file of their own for each kind of device, beside the compiled kernels:
//
//	root/costs/<64 hex digits>.json
//
// The name is the digest of what the costs depend on, which stands in the file too. A file appears complete or not at
// all. One that does not hold what it should is as good as none: the next calibration writes it anew.

// costsVersion is that of the file, and of what is measured.
const costsVersion = 1

// costsFile is what a file holds.
type costsFile struct {
	Version int        `json:"version"`
	Device  costsOf    `json:"device"`
	Costs   plan.Costs `json:"costs"`
}

// costsOf is what costs depend on.
type costsOf struct {
	Kind    string `json:"kind"` // cuda, cuda-sim, cpu
	Model   string `json:"model"`
	Target  string `json:"target"`
	Units   int    `json:"units"`
	Clock   int    `json:"clock_khz"`
	Driver  int    `json:"driver"`
	Barrier bool   `json:"grid_barrier"`
	Graphs  bool   `json:"graphs"`
	Loops   bool   `json:"loop_nodes"`
}

func costsIdentity(dev driver.Device) costsOf {
	c := dev.Caps()
	kind := "gpu"
	if c.Simulated {
		kind = "simulated"
	}
	return costsOf{kind, c.Model, c.Target, c.Units, c.ClockKHz, c.DriverVersion, c.GridBarrier, c.Graphs, c.LoopNodes}
}

// costsPath is where the costs of a device are kept; empty if its kernels are not kept either.
func costsPath(dev driver.Device) string {
	root := dev.Stats().CacheDir
	if root == "" {
		return ""
	}
	key := blake3.Sum256(fmt.Appendf(nil, "vyre costs %d %+v", costsVersion, costsIdentity(dev)))
	return filepath.Join(root, "costs", hex.EncodeToString(key[:])+".json")
}

// keepCosts writes the costs of a device.
func keepCosts(dev driver.Device, costs *plan.Costs) (err error) {
	path := costsPath(dev)
	if path == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("megakernel: the costs of %s were measured, and could not be kept: %w", dev.Name(), err)
		}
	}()
	b, err := json.MarshalIndent(costsFile{costsVersion, costsIdentity(dev), *costs}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// maxCostsFile bounds what is read; a file has less than 1 KiB.
const maxCostsFile = 1 << 16

// KeptCosts returns what Calibrate kept of a device, or of another one of the same kind, in this process or in another;
// nil if there is nothing.
func KeptCosts(dev driver.Device) *plan.Costs {
	path := costsPath(dev)
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxCostsFile {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var f costsFile
	if json.Unmarshal(b, &f) != nil || f.Version != costsVersion || f.Device != costsIdentity(dev) || !plausible(&f.Costs) {
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
	return c.LaunchRead > 0
}
