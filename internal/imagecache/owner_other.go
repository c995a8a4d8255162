//go:build !unix

package imagecache

import "io/fs"

// ours reports whether a file belongs to the user of the process. Where files have no plain
// owner, the rights of the user's own cache directory say who may write there.
func ours(fs.FileInfo) bool { return true }
