//go:build !vyre_nocuda && linux && (amd64 || arm64)

package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/nvtx"
	"github.com/govyre/vyre/internal/testing/needs"
)

// profiler is a profiler's library of version 3, which writes down the ranges of domains.
const profiler = `
#include <stdint.h>
#include <stdio.h>
static uint64_t last;
static void note(const char *what, const char *text, uint64_t id) {
	FILE *f = fopen(OUT, "a");
	if (!f) return;
	fprintf(f, "%s %s %llu\n", what, text, (unsigned long long)id);
	fclose(f);
}
static uint64_t start(void *domain, const char *a) { note("start", *(const char **)(a + 40), ++last); return last; }
static void end(void *domain, uint64_t id) { note("end", "", id); }
int InitializeInjectionNvtx2(const void *(*get)(uint32_t)) {
	const struct { uint64_t size; int (*table)(int32_t, void ***, uint32_t *); } *t = get(1);
	void **list;
	uint32_t n;
	if (!t->table(5, &list, &n)) return 0;
	*(void **)list[2] = start;
	*(void **)list[3] = end;
	return 1;
}
`

// TestRangesOfARunReachAProfiler: by an injection, in a process that a profiler has started.
func TestRangesOfARunReachAProfiler(t *testing.T) {
	if os.Getenv(nvtx.EnvInjection) != "" {
		d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
		k, s := compiled(t, d, parse(t, addOne)), d.NewSequence("L")
		s.Launch(k, driver.Groups(1), driver.All(s.Scratch(128)))
		for range 2 {
			if _, err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
		closeAll(t, s, k)
		return
	}
	gcc, dir := needs.Compiler(t), t.TempDir()
	source, lib, out := filepath.Join(dir, "profiler.c"), filepath.Join(dir, "profiler.so"), filepath.Join(dir, "ranges")
	if err := os.WriteFile(source, []byte(profiler), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(gcc, "-shared", "-fPIC", fmt.Sprintf("-DOUT=%q", out), "-o", lib, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	run := func(lib string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRangesOfARunReachAProfiler$", "-test.v")
		cmd.Env = append(os.Environ(), nvtx.EnvInjection+"="+lib)
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return string(said)
	}
	run(lib)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	open, runs := map[string]bool{}, 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		id := line[strings.LastIndexByte(line, ' ')+1:]
		switch {
		case strings.HasPrefix(line, "start vyre."):
			open[id] = true
			if strings.HasPrefix(line, "start vyre.run:L ") {
				runs++
			}
		case strings.HasPrefix(line, "end ") && open[id]:
			delete(open, id)
		default:
			t.Errorf("unexpected: %s", line)
		}
	}
	if runs != 2 || len(open) > 0 || !strings.Contains(string(text), "start vyre.compile:") || !strings.Contains(string(text), "start vyre.prepare:L ") {
		t.Errorf("the profiler saw\n%s", text)
	}
	if said := run(lib + ".no"); strings.Count(said, "vyre: no ranges for profilers: ") != 1 {
		t.Errorf("without a library: %s", said)
	}
}
