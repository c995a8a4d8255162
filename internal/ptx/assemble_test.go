package ptx_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
)

// assembler returns the path of ptxas, as VYRE_PTXAS says: a path; "require", which fails where there is none;
// "off". Without it the test is skipped where there is none. .ci/ptxas gets one.
func assembler(t testing.TB) string {
	want := os.Getenv("VYRE_PTXAS")
	if want == "off" {
		t.Skip("VYRE_PTXAS=off")
	}
	if want != "" && want != "require" {
		return want
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		path := filepath.Join(cache, "vyre", "cuda-11.8", "usr", "bin", "ptxas")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	if path, err := exec.LookPath("ptxas"); err == nil {
		return path
	}
	if want == "require" {
		t.Fatal("no ptxas: run .ci/ptxas, or name one in VYRE_PTXAS")
	}
	t.Skip("no ptxas: run .ci/ptxas, or name one in VYRE_PTXAS")
	return ""
}

// assemble runs ptxas over the text of a module and returns its log. The end of ctx ends it.
func assemble(ctx context.Context, t testing.TB, ptxas string, m *ptx.Module) (string, error) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(in, []byte(m.Text), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, ptxas, "-v", "-arch", m.Target.String(), "-o", filepath.Join(dir, "out.cubin"), in)
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	if log.Len() == 0 && err != nil { // it did not even start
		return err.Error(), err
	}
	return strings.ReplaceAll(log.String(), in, "in.ptx"), err
}
