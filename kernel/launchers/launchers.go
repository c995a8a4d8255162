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
//
// Launchers that vyre gen --bundle made compile nothing, so nothing looks at their source when the program runs. For them Check compares the
// bundle's programs with those of the source, also after an update of the compiler.
package launchers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/internal/bundle"
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
	bundled, err := gen.BundleOf(name)
	if err == nil && bundled != "" {
		return checkBundle(pkg, filepath.Join(dir, bundled))
	}
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

// checkBundle compares the kernels of the bundle that launchers embed.
func checkBundle(pkg *front.Package, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w\n\tmake it with vyre bundle", err)
	}
	kernels, _, err := bundle.Read(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w; make it again with vyre bundle", file, err)
	}
	have := make(map[string][32]byte)
	for _, k := range kernels {
		have[k.Label()] = k.Digest
	}
	return gen.CheckBundle(pkg, file, have)
}
