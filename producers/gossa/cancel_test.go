package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/producers/calls/names"
)

// TestWhatFollowsLoadingCanBeCancelled: each step after packages are loaded looks at the context once a function, ends soon after
// it, and does its work when it is called again.
func TestWhatFollowsLoadingCanBeCancelled(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\ntype node struct{ s string; f func(string) string }\n\nfunc main() { f0(node{\"x\", func(s string) string { return s }}) }\n")
	for i := range 30 {
		fmt.Fprintf(&text, "\nfunc f%d(n node) string { n.s = n.f(n.s); return f%d(n) }\n", i, i+1)
	}
	text.WriteString("\nfunc f30(n node) string { return n.s }\n")
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module main\n\ngo 1.25\n", "main.go": text.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := must(load(t.Context(), dir, false, "", []string{"."}))
	may := must(p.resolve(t.Context(), "vta"))
	made := must(copies(t.Context(), p, may, limits{levels: 3, more: 0.5}))
	steps := map[string]func(ctx context.Context) error{
		"cha": func(ctx context.Context) error { _, err := p.resolve(ctx, "cha"); return err },
		"vta": func(ctx context.Context) error { _, err := p.resolve(ctx, "vta"); return err },
		"copies": func(ctx context.Context) error {
			_, err := copies(ctx, p, may, limits{levels: 3, more: 0.5})
			return err
		},
		"control": func(ctx context.Context) error {
			_, err := made.control(ctx, p, "")
			return err
		},
		"values": func(ctx context.Context) error {
			e, err := valuesOf(ctx, p, made, nil, false)
			if err == nil {
				_, err = e.graph(ctx, names.AppendPosition, "")
			}
			return err
		},
		"types": func(ctx context.Context) error { _, err := valuesOf(ctx, p, made, nil, true); return err },
	}
	for name, step := range steps {
		counting, cancel := underway.Counting()
		defer cancel()
		if err := step(counting); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all := counting.Times()
		if all < 30 {
			t.Errorf("%s: %d looks at the context for 30 functions", name, all)
		}
		for _, at := range []int{1, all / 3, all / 2, all * 3 / 4} {
			ctx, cancel := underway.At(max(at, 1), 0)
			err := step(ctx)
			cancel()
			if !errors.Is(err, context.Canceled) || ctx.Times() > at+8 {
				t.Errorf("%s, cancelled at look %d of %d: %v after %d looks", name, at, all, err, ctx.Times())
			}
		}
		if err := step(t.Context()); err != nil {
			t.Errorf("%s, after that: %v", name, err)
		}
	}
}
