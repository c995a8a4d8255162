//go:build unix

package imagecache

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file belongs to the user of the process.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && uint64(s.Uid) == uint64(os.Geteuid())
}
