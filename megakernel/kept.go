package megakernel

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/atomicfile"
)

// What was measured of a device is kept beside the compiled kernels, in files of their own:
//
//	root/costs/<64 hex digits>.json       of a kind of device
//	root/histories/<64 hex digits>.json   of an analysis on one
//
// The name is the digest of what the content depends on, which stands in the file too. A file appears complete or not at
// all. One that does not hold what it should is as good as none: it is written anew.

// deviceKind is what measured times depend on.
type deviceKind struct {
	Kind    string `json:"kind"` // gpu, simulated
	Model   string `json:"model"`
	Target  string `json:"target"`
	Units   int    `json:"units"`
	Clock   int    `json:"clock_khz"`
	Driver  int    `json:"driver"`
	Barrier bool   `json:"grid_barrier"`
	Graphs  bool   `json:"graphs"`
	Loops   bool   `json:"loop_nodes"`
}

func kindOf(dev driver.Device) deviceKind {
	if dev == nil {
		return deviceKind{}
	}
	c := dev.Caps()
	kind := "gpu"
	if c.Simulated {
		kind = "simulated"
	}
	return deviceKind{kind, c.Model, c.Target, c.Units, c.ClockKHz, c.DriverVersion, c.GridBarrier, c.Graphs, c.LoopNodes}
}

// keptPath is where something of a device is kept; empty if its kernels are not kept either, or there is no device.
func keptPath(dev driver.Device, dir, identity string) string {
	if dev == nil {
		return ""
	}
	root := dev.Stats().CacheDir
	if root == "" {
		return ""
	}
	key := blake3.Sum256([]byte(identity))
	return filepath.Join(root, dir, hex.EncodeToString(key[:])+".json")
}

// keep writes a file, if files are kept.
func keep(path string, content any) error {
	if path == "" {
		return nil
	}
	b, err := json.MarshalIndent(content, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(context.Background(), path, append(b, '\n'))
}

// maxKept bounds what is read.
const maxKept = 1 << 16

// kept reads a file, and reports whether it could be.
func kept(path string, content any) bool {
	if path == "" {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxKept {
		return false
	}
	b, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(b, content) == nil
}

// keptError says that something was measured and is not kept.
func keptError(dev driver.Device, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("megakernel: %s of %s were measured, and could not be kept: %w", what, dev.Name(), err)
}
