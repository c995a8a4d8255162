// Package launchers tells a test that generated launchers are stale.
//
//	func TestLaunchersAreFresh(t *testing.T) {
//		if err := launchers.Check("."); err != nil {
//			t.Error(err)
//		}
//	}
//
// A kernel's launcher has the program inside, which is the old one until vyre gen runs. A changed signature does not build.
// A changed body is an error when the program compiles the kernel beside its source. Check finds it before that, also in
// builds with -trimpath, and finds kernels that are new or gone. Another version of the compiler, comments and spacing
// change nothing.
//
// The launchers themselves do not import this package, so a program that uses them has no compiler
// inside.
package launchers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
)

// Check compares the kernels of the package in a directory with those that vyre gen has written
// launchers for. The error names every kernel that has changed since, that is new, or that is gone.
func Check(dir string) error {
	pkg, err := front.Load(context.Background(), dir)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, gen.FileName)
	_, err = os.Stat(name)
	var data []byte
	if err == nil {
		data, err = os.ReadFile(gen.DataFile(name))
	}
	if err == nil {
		err = gen.Check(pkg, name, data)
	}
	if err != nil {
		return fmt.Errorf("%w\n\trun vyre gen %s", err, dir)
	}
	return nil
}
