package code

import (
	"bytes"
	"fmt"
	"os"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/internal/imagecache"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
)

// images is the device's use of the cache on disk. Whatever goes wrong with that is counted,
// and costs a compilation.
type images struct {
	c      *Compiler
	disk   *imagecache.Cache // nil keeps nothing
	system []byte            // what tells builds of the driver apart, beside its version
}

// init finds the place of the cache. A driver that was handed in keeps images only where
// somebody said so: what it makes is of no use to other processes as a rule.
func (im *images) init(c *Compiler, o driver.OpenOptions, handed bool) error {
	im.c = c
	if !handed {
		im.system = systemDriver()
	} else {
		im.system = []byte(c.gpu.Driver.Path())
	}
	at, err := o.DiskCache()
	if err != nil {
		err.(*driver.Error).Label = c.gpu.Name()
		return err
	}
	if handed && !at.Chosen || at.Chosen && at.Root == "" {
		return nil
	}
	if im.disk, err = imagecache.Open(at.Root, at.Bytes); err != nil {
		im.count(metric.CacheWriteErrors, "no cache: %v", err)
	}
	return nil
}

// systemDriver returns the line in which the driver's kernel module says what it is; empty where there is none.
func systemDriver() []byte {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return nil
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return line
}

// keyOf returns the key of the image of a text. The text itself is in it, so there is no version
// of the emitter to keep.
func (im *images) keyOf(m *ptx.Module, h how) [32]byte {
	c := im.c
	target := c.linkTarget(h.target)
	if target == 0 {
		target = 10*c.gpu.Caps.Major + c.gpu.Caps.Minor
	}
	lines := 0
	if h.lines {
		lines = 1
	}
	return ImageKey(c.gpu.Caps.DriverVersion, target, m.Text, lines, im.system)
}

// ImageKey is the key of the image of a text.
func ImageKey(driverVersion, target int, text string, lines int, system []byte) [32]byte {
	options := fmt.Sprintf("O4;line=%d", lines)
	return identity.Key("vyre.cubin.v1", uint64(driverVersion), uint64(target), []byte(text), []byte(options), system)
}

// load returns what is known of a key.
func (im *images) load(key [32]byte) imagecache.Found {
	if im.disk == nil {
		return imagecache.Found{}
	}
	found, err := im.disk.Load(key)
	if err != nil {
		im.count(metric.CacheCorrupt, "%v", err)
	}
	return found
}

// refused removes an image that the driver did not take.
func (im *images) refused(key [32]byte) {
	im.disk.Remove(key)
	im.count(metric.CacheCorrupt, "the driver refused the cached image %x", key)
}

// store keeps an image or, if there is none, that the text is to be loaded.
func (im *images) store(key [32]byte, image []byte) {
	removed, err := 0, error(nil)
	if image != nil {
		removed, err = im.disk.Store(key, image)
	} else {
		removed, err = im.disk.StoreText(key)
	}
	im.c.gpu.Count(metric.CacheEvictions, uint64(removed))
	if err != nil {
		im.count(metric.CacheWriteErrors, "image not kept: %v", err)
	}
}

// count counts what went wrong, and says so if somebody listens.
func (im *images) count(m driver.Metric, format string, args ...any) {
	im.c.gpu.Count(m, 1)
	im.c.gpu.Say(format, args...)
}
