package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/ir/text"
)

func TestMachineCodeOfTheCPUBelongsToTheSourceOfItsRow(t *testing.T) {
	page := write(t, compiled(t, "scale.go", scale), map[string]string{"scale.go": scale})
	cols := columns(t, page)
	ops := map[string][3]string{"amd64.avx2": {"vmulps", "vpgatherdd", "vpaddd"}, "amd64.avx512": {"vmulps", "vpgatherdd", "vpaddd"}, "arm64.neon": {"fmul", "ld1", "add"}}[native.Target()]
	for i, want := range []string{"return v * 3", "x[i] = thrice(x[i]) + s", "i := t.Global().X"} {
		op := ops[i]
		found := slices.ContainsFunc(cols["cpu"], func(l shown) bool {
			return strings.Contains(l.text, op) && slices.Contains(linked(cols["source"], l), want)
		})
		if !found {
			t.Errorf("no %s belongs to %q", op, want)
		}
	}
	for _, fact := range []string{"<dt>instructions</dt>", "<dt>bytes</dt>", "<dt>frame of the group</dt>", "<summary>what operands in memory mean</summary>"} {
		if section := page[strings.Index(page, `<section id="cpu"`):]; !strings.Contains(section, fact) {
			t.Errorf("the column has no %s", fact)
		}
	}
	if strings.Contains(page, "computed by Go") {
		t.Error("a row is marked that has instructions")
	}
}

func TestRowsWithoutMachineCodeAreMarked(t *testing.T) {
	ps, err := text.Parse("k.vyre", `vyre 1
kernel @k workgroup(64) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  %c = lt.u32 %v, 7_u32
  trap %c, 9_u64, #3
  trace %v, #5
  store @x[%i], 1_u32
}

kernel @large workgroup(1024) {
  param @x: buf<u32> rw
  local @l: u32[4096]
  %i = local.x
  %v = load @x[%i]
  store @l[%v], %i
  barrier.wg
  %w = load @l[%i]
  store @x[%i], %w
}
`)
	if err != nil {
		t.Fatal(err)
	}
	cols := columns(t, write(t, ps[0], nil))
	marked := line(t, cols["cpu"], "computed by Go")
	if texts := linked(cols["front"], marked); len(texts) != 1 || !strings.HasPrefix(texts[0], "trace ") {
		t.Errorf("the mark stands at %q", texts)
	}
	cols = columns(t, write(t, ps[1], nil))
	if got := cols["cpu"]; len(got) != 1 || !strings.HasPrefix(got[0].text, "none, the interpreter runs it: a group needs a frame") {
		t.Errorf("of a program without machine code the column says %v", got)
	}
}
