package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) Run(t *terminal) error {
	_, err := fmt.Fprintln(t.out, version())
	return err
}

// version is what --version prints.
func version() string {
	v := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return fmt.Sprintf("vyre %s, %s, %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
