package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The embedded declarations are what kernels are checked against, so they must say what
// the packages say. math and math/bits grow with the Go version; there, what is embedded must be contained.
func TestEmbeddedDeclarationsAreCurrent(t *testing.T) {
	want, err := targets[0].make("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("../..", targets[0].file))
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s does not say what package gpu says; run: go generate ./kernel", targets[0].file)
	}
}
