package imagecache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// stored is a file of the cache.
type stored struct {
	path string
	size int64
	used time.Time
}

// abandoned is the age from which a temporary file has no writer any more.
const abandoned = 24 * time.Hour

// trim removes what was used longest ago, until the rest is within the floor. Files that
// other processes remove meanwhile are nobody's loss.
func (c *Cache) trim() (removed int, err error) {
	files, total, err := c.list()
	if err != nil {
		return 0, err
	}
	if total <= c.floor() {
		return 0, nil
	}
	slices.SortFunc(files, func(a, b *stored) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
	})
	for _, f := range files {
		if total <= c.floor() {
			break
		}
		if os.Remove(f.path) == nil {
			removed++
		}
		total -= f.size
	}
	return removed, nil
}

// list returns the files of the cache and their size together. Temporary files that somebody
// left behind are removed on the way.
func (c *Cache) list() (files []*stored, total int64, err error) {
	shards, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, 0, err
	}
	for _, shard := range shards {
		dir := filepath.Join(c.dir, shard.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // it is no directory, and none of ours
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			f := &stored{filepath.Join(dir, e.Name()), info.Size(), info.ModTime()}
			if isTemporary(e.Name()) {
				if time.Since(f.used) > abandoned {
					_ = os.Remove(f.path) // the next who looks tries again
				}
				continue
			}
			if filepath.Ext(e.Name()) != ".bin" {
				continue // not written here, so not removed here
			}
			files, total = append(files, f), total+f.size
		}
	}
	return files, total, nil
}

// Usage returns how many images there are, and their bytes together.
func (c *Cache) Usage() (images int, bytes int64, err error) {
	files, total, err := c.list()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil // nothing was stored yet
	}
	return len(files), total, err
}

// Writable returns nil, or what keeps images from being stored. Like Store it makes the folders that are not there.
func (c *Cache) Writable() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, temporary)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
