//go:build !vyre_nocuda && linux && (amd64 || arm64)

package nvtx_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/nvtx"
)

// injection is a profiler's library: it writes down what it is offered, if TELL is defined, and stores functions in the cells that FILL
// is 1 for.
const injection = `
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static void note(const char *what, const char *text, uint64_t id) {
	FILE *f = fopen(OUT, "a");
	if (!f) return;
	fprintf(f, "%s %s %llx\n", what, text, (unsigned long long)id);
	fclose(f);
}
static uint64_t last = 0xF00000000;
static uint64_t start(const char *text) { note("start", text, ++last); return last; }
static void end(uint64_t id) { note("end", "", id); }
static void *create(const char *name) { note("domain", name, 0); return (void *)0xD0; }
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const char *message;
};
static uint64_t start_in(void *domain, const struct attributes *a) {
	if (a->version != 3 || a->size != sizeof *a || a->category || a->color_type || a->color || a->payload_type || a->reserved || a->payload || a->message_type != 1)
		note("bad", "attributes", 0);
	note("start in", a->message, (uint64_t)domain);
#ifdef ZERO
	return 0;
#else
	return ++last;
#endif
}
static void end_in(void *domain, uint64_t id) { note("end in", domain == (void *)0xD0 ? "vyre" : "?", id); }
static void never(void) { note("never", "", 0); }

struct table_export { uint64_t size; int (*table)(int32_t, void ***, uint32_t *); };
struct version_export { uint64_t size; uint32_t version, zero; void (*set)(uint32_t); };

int InitializeInjectionNvtx2(const void *(*get)(uint32_t)) {
	const struct table_export *t = get(1);
	const struct version_export *v = get(3);
	void **list;
	uint32_t n;
	int m;
#ifdef TELL
	char line[300] = "";
	for (m = 0; m < 8; m++) {
		n = 0, list = 0;
		int known = t->table(m, &list, &n), whole = known && t->table(m, 0, 0) && !list[0] && !list[n];
		for (uint32_t i = 1; i < n; i++) whole = whole && list[i] && !*(void **)list[i];
		sprintf(line + strlen(line), " %d%s", (int)n, known == whole ? "" : "!");
	}
	note("modules", line, t->table(-1, &list, &n));
	note("sizes", t->size == 16 && v->size == 24 && v->zero == 0 ? "right" : "wrong", v->version);
	note("others", get(0) || get(2) || get(4) || get(1 << 20) ? "there" : "null", 0);
	v->set(7);
#endif
	for (m = 1; m <= 6; m++) {
		t->table(m, &list, &n);
		for (uint32_t i = 1; i < n; i++) {
			void *f = 0;
			if (m == 1 && i == 5) f = start;
			else if (m == 1 && i == 7) f = end;
			else if (m == 5 && i == 12) f = create;
			else if (m == 5 && i == 2) f = start_in;
			else if (m == 5 && i == 3) f = end_in;
			else f = never;
			if (FILL) *(void **)list[i] = f;
		}
	}
	return RETURN;
}
`

func TestTheInjectionGetsTablesAndIsCalled(t *testing.T) {
	const all = "modules  0 16 9 15 7 16 7 0 0\nsizes right 3\nothers null 0\n"
	for _, c := range []struct {
		name    string
		defines []string
		want    string
	}{
		{"core alone", []string{"TELL", "FILL=m==1&&(i==5||i==7)", "RETURN=1"}, all + "start vyre.run:L f00000001\nend  f00000001\n"},
		{"everything", []string{"FILL=1", "RETURN=1"}, "domain vyre 0\nstart in vyre.run:L d0\nend in vyre f00000001\n"},
		{"an id of 0", []string{"FILL=m==5", "RETURN=1", "ZERO"}, "domain vyre 0\nstart in vyre.run:L d0\nend in vyre 0\n"},
		{"no end in a domain", []string{"FILL=m==1||i!=3", "RETURN=1"}, "domain vyre 0\nstart vyre.run:L f00000001\nend  f00000001\n"},
		{"no domain", []string{"FILL=m==5&&i<4", "RETURN=1"}, "start in vyre.run:L 0\nend in ? f00000001\n"},
		{"no end at all", []string{"FILL=m==1&&i==5", "RETURN=1"}, "start vyre.run:L f00000001\n"},
		{"nothing", []string{"FILL=0", "RETURN=1"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lib, calls := built(t, injection, c.defines...)
			l, err := nvtx.Inject(lib)
			if err != nil {
				t.Fatal(err)
			}
			l.End(l.Start("vyre.run:L"))
			said(t, calls, c.want)
		})
	}
}

// TestAnInjectionThatDoesNotWorkIsAnError: after each, another one works.
func TestAnInjectionThatDoesNotWorkIsAnError(t *testing.T) {
	refusing, calls := built(t, injection, "FILL=1", "RETURN=0")
	other, _ := built(t, "int other;")
	for _, c := range []struct{ path, says string }{
		{refusing, "refuses to be used"}, {other, "InitializeInjectionNvtx2"}, {filepath.Join(t.TempDir(), "none.so"), "none.so"},
	} {
		_, err := nvtx.Inject(c.path)
		var missing *nvtx.MissingError
		if !errors.As(err, &missing) || !strings.Contains(missing.Error(), c.says) {
			t.Errorf("%s: got %v", c.path, err)
		}
		if nvtx.Filled() {
			t.Errorf("%s: functions are left in the cells", c.path)
		}
	}
	said(t, calls, "")
	lib, calls := built(t, injection, "FILL=1", "RETURN=1")
	l, err := nvtx.Inject(lib)
	if err != nil {
		t.Fatal(err)
	}
	l.Start("again")
	said(t, calls, "domain vyre 0\nstart in again d0\n")
}

// TestTheEnvironmentChoosesTheLibrary, once a process: an injection before the library of version 2, and in its place where it fails.
func TestTheEnvironmentChoosesTheLibrary(t *testing.T) {
	if text := os.Getenv("NVTX_TEST_RANGE"); text != "" {
		fmt.Println("wanted", nvtx.Wanted())
		r, err := nvtx.OfProcess()
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		r.End(r.Start(text))
		return
	}
	lib, calls := built(t, injection, "FILL=m==1", "RETURN=1")
	old := filepath.Join(t.TempDir(), "libnvToolsExt.so.1")
	found, oldCalls := built(t, standIn)
	if err := os.Rename(found, old); err != nil {
		t.Fatal(err)
	}
	child := func(env ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], "-test.run=^TestTheEnvironmentChoosesTheLibrary$")
		cmd.Env = append(os.Environ(), append(env, "NVTX_TEST_RANGE=r", "LD_LIBRARY_PATH="+filepath.Dir(old))...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	child(nvtx.EnvInjection+"="+lib, nvtx.Env+"=1")
	said(t, calls, "start r f00000001\nend  f00000001\n")
	said(t, oldCalls, "")
	if out := child(nvtx.EnvInjection+"="+lib+".no", nvtx.Env+"=1"); !strings.Contains(out, "error: no ranges for profilers: ") || !strings.Contains(out, "unset it") {
		t.Errorf("a wrong path gives %s", out)
	}
	said(t, oldCalls, "")
	child(nvtx.EnvInjection+"=", nvtx.Env+"=1")
	said(t, oldCalls, "start r 100000001\nend  100000001\n")
	if out := child(nvtx.EnvInjection+"=", nvtx.Env+"="); !strings.Contains(out, "wanted false") {
		t.Errorf("without variables: %s", out)
	}
}
