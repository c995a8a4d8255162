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
	gcc := needs.Compiler(t)
	dir := t.TempDir()
	source, lib, out := filepath.Join(dir, "ranges.c"), filepath.Join(dir, "ranges.so"), filepath.Join(dir, "calls")
	if err := os.WriteFile(source, []byte(standIn), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(gcc, "-shared", "-fPIC", fmt.Sprintf("-DOUT=%q", out), "-o", lib, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	l, err := nvtx.Load(lib)
	if err != nil {
		t.Fatal(err)
	}
	a := l.Start("vyre.run:first")
	b := l.Start("")
	l.End(a)
	l.End(b)
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "start vyre.run:first 100000001\nstart  100000002\nend  100000001\nend  100000002\n"; string(got) != want {
		t.Errorf("the library was called\n%swant\n%s", got, want)
	}
}

func TestAMissingLibraryIsAnError(t *testing.T) {
	_, err := nvtx.Load(filepath.Join(t.TempDir(), "none.so"))
	var missing *nvtx.MissingError
	if !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}
