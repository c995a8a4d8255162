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
