//go:build !vyre_nocuda && linux && (amd64 || arm64)

package nvtx_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/internal/nvtx"
	"github.com/govyre/vyre/internal/testing/needs"
)

// built compiles a library from C, which writes down its calls, and returns where it and they are.
func built(t *testing.T, text string, defines ...string) (lib, calls string) {
	t.Helper()
	gcc := needs.Compiler(t)
	dir := t.TempDir()
	source, lib, calls := filepath.Join(dir, "ranges.c"), filepath.Join(dir, "ranges.so"), filepath.Join(dir, "calls")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-shared", "-fPIC", fmt.Sprintf("-DOUT=%q", calls), "-o", lib, source}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	if said, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return lib, calls
}

// said checks what calls a library has written down.
func said(t *testing.T, calls, want string) {
	t.Helper()
	got, err := os.ReadFile(calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("the library was called\n%swant\n%s", got, want)
	}
}

// standIn is a library with the same functions, which writes down its calls.
const standIn = `
#include <stdint.h>
#include <stdio.h>
static uint64_t last = 0x100000000;
static void note(const char *what, const char *text, uint64_t id) {
	FILE *f = fopen(OUT, "a");
	if (!f) return;
	fprintf(f, "%s %s %llx\n", what, text, (unsigned long long)id);
	fclose(f);
}
uint64_t nvtxRangeStartA(const char *text) { note("start", text, ++last); return last; }
void nvtxRangeEnd(uint64_t id) { note("end", "", id); }
`

func TestRangesReachTheLibrary(t *testing.T) {
	lib, calls := built(t, standIn)
	l, err := nvtx.Load(lib)
	if err != nil {
		t.Fatal(err)
	}
	a := l.Start("vyre.run:first")
	b := l.Start("")
	l.End(a)
	l.End(b)
	said(t, calls, "start vyre.run:first 100000001\nstart  100000002\nend  100000001\nend  100000002\n")
}

func TestAMissingLibraryIsAnError(t *testing.T) {
	_, err := nvtx.Load(filepath.Join(t.TempDir(), "none.so"))
	var missing *nvtx.MissingError
	if !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}
