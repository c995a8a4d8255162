package driver

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// The environment variables that say where compiled kernels are kept, and how much of them, for
// devices opened without OpenOptions.CacheDir and CacheBytes.
const (
	EnvCacheDir   = "VYRE_CACHE_DIR"
	EnvCacheBytes = "VYRE_CACHE_BYTES"
)

// CacheOff in the place of a directory keeps nothing on disk.
const CacheOff = "off"

// DiskCache says where compiled kernels are kept.
type DiskCache struct {
	Root   string // empty if they are not kept
	Chosen bool   // somebody named the root, or said off; else it is where the system keeps caches
	Bytes  int64  // bound; 0 is the default of whoever keeps them
}

// DiskCache returns what the options, or else the environment, say. Having no place for a
// cache is no error.
func (o OpenOptions) DiskCache() (DiskCache, error) {
	c := DiskCache{Root: cmp.Or(o.CacheDir, os.Getenv(EnvCacheDir)), Bytes: o.CacheBytes}
	c.Chosen = c.Root != ""
	switch {
	case c.Root == CacheOff:
		c.Root = ""
	case !c.Chosen:
		if dir, err := os.UserCacheDir(); err == nil {
			c.Root = filepath.Join(dir, "vyre")
		}
	}
	if text := os.Getenv(EnvCacheBytes); c.Bytes == 0 && text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			return c, &Error{Op: "open", Kind: InvalidArgument, Msg: fmt.Sprintf("%s=%s is not a number of bytes", EnvCacheBytes, text),
				Fix: fmt.Sprintf("set it to a number above 0, or %s to %s", EnvCacheDir, CacheOff)}
		}
		c.Bytes = n
	}
	if c.Bytes < 0 {
		return c, &Error{Op: "open", Kind: InvalidArgument, Msg: fmt.Sprintf("CacheBytes of %d", c.Bytes), Fix: "leave it 0 for the default"}
	}
	return c, nil
}
