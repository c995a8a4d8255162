//go:build !vyre_nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package cu_test

import (
	"testing"

	"github.com/govyre/vyre/internal/cu"
)

// The driver reads and writes structures where its header says, and nobody checks that.
func TestStructuresLieAsTheHeaderHasThem(t *testing.T) {
	want := map[string]uintptr{
		"kernel node": 72, "kernel node: grid": 8, "kernel node: block": 20, "kernel node: shared": 32, "kernel node: params": 40,
		"kernel node: kernel": 56, "kernel node: context": 64,
		"memset node": 40, "memset node: pitch": 8, "memset node: value": 16, "memset node: width": 20, "memset node: n": 24, "memset node: height": 32,
		"copy": 200, "copy: source kind": 32, "copy: source host": 40, "copy: source device": 48, "copy: source pitch": 72, "copy: destination": 88,
		"copy: destination kind": 120, "copy: destination host": 128, "copy: destination device": 136, "copy: bytes": 176, "copy: height": 184, "copy: depth": 192,
		"conditional": 32, "conditional: kind": 8, "conditional: size": 12, "conditional: bodies": 16, "conditional: context": 24,
		"node": 256, "node: conditional": 16,
		"pool": 88, "pool: location": 8, "pool: device": 12, "pool: security": 16, "pool: most": 24,
		"launch attribute": 72, "launch attribute: value": 8,
	}
	for name, got := range cu.Layout {
		if got != want[name] {
			t.Errorf("%s is %d, the header says %d", name, got, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is not looked at", name)
	}
}
