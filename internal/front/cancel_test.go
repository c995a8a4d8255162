package front_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/underway"
)

// TestLoadingCanBeCancelled: the class is where loading takes long: in many files, in packages that are imported, in many kernels
// and in one long kernel. The context is looked at in each, soon after its end the call ends, and the next one is as ever.
func TestLoadingCanBeCancelled(t *testing.T) {
	head := "package k\n\nimport \"github.com/govyre/vyre/gpu\"\n"
	body := func(name string, lines int) string {
		return "\n//vyre:kernel workgroup=64\nfunc " + name + "(t gpu.Thread, x []uint32) {\n" + strings.Repeat("\tx[t.Global().X] += 3\n", lines) + "}\n"
	}
	sources := map[string]map[string]string{"files": {}, "kernels": {"k.go": head}, "long": {"k.go": head + body("K", 3000)},
		"imports": {"go.mod": "module example.com/m\n", "k.go": strings.Replace(head, "\n\n", "\n\nimport \"example.com/m/a0\"\n", 1) + strings.Replace(body("K", 1), "+= 3", "+= a0.F()", 1)}}
	for i := range 20 {
		sources["files"][fmt.Sprintf("k%d.go", i)] = head + body(fmt.Sprintf("K%d", i), 1)
		sources["kernels"]["k.go"] += body(fmt.Sprintf("K%d", i), 1)
		sources["imports"][fmt.Sprintf("a%d/a.go", i)] = fmt.Sprintf("package a%d\n\nimport \"example.com/m/a%d\"\n\nfunc F() uint32 { return a%[2]d.F() }\n", i, i+1)
	}
	sources["imports"]["a20/a.go"] = "package a20\n\nfunc F() uint32 { return 3 }\n"
	for name, files := range sources {
		dir := t.TempDir()
		for file, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(file))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		counting, cancel := underway.Counting()
		defer cancel()
		want, err := front.Load(counting, dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := counting.Times()
		if all < 10 {
			t.Errorf("%s: %d looks at the context", name, all)
		}
		for _, at := range []int{1, all / 3, all / 2, all - 2} {
			ctx, cancel := underway.At(max(at, 1), 0)
			got, err := front.Load(ctx, dir)
			cancel()
			if got != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at look %d of %d: %v", name, at, all, err)
			}
			if more := ctx.Times() - at; more > 5 {
				t.Errorf("%s, cancelled at look %d of %d: %d more looks", name, at, all, more)
			}
		}
		if again, err := front.Load(t.Context(), dir); err != nil || len(again.Kernels()) != len(want.Kernels()) || again.Kernels()[0].Program.Digest() != want.Kernels()[0].Program.Digest() {
			t.Errorf("%s, after that: %v", name, err)
		}
	}
}
