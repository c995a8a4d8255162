//go:build !unix

package atomicfile

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// past ends the writing of a pipe at once.
var past = time.Unix(1, 0)

// openSpecial opens what is no regular file.
func openSpecial(_ context.Context, at place) (*os.File, error) {
	f, err := os.OpenFile(at.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, at.because(err)
	}
	return f, nil
}

// descriptor is -1: no name stands for an open file.
func descriptor(string) int { return -1 }

// keepOwner does nothing: a file belongs to its folder's owner.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
