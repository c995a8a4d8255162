package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/ptx"
)

func TestMachineCodeBelongsToWhatItsPTXBelongsTo(t *testing.T) {
	code := func(text string) []explain.MachineLine {
		var all []explain.MachineLine
		for i, l := range strings.Split(text, "\n") {
			if strings.Contains(l, "st.global") {
				all = append(all, explain.MachineLine{Text: "@!P0 STG.E [R4.64], R3", PTX: i + 1})
			}
		}
		return append(all, explain.MachineLine{Text: ".L_x_0:"}, explain.MachineLine{Text: "EXIT", PTX: 9999}, explain.MachineLine{Text: ""})
	}
	in := explain.Input{Program: compiled(t, "scale.go", scale), Target: ptx.Target{SM: 90}, Disassemble: code,
		Machine: &explain.Machine{Registers: 12, Spills: -1, Occupancy: 0.5, Limit: "registers", By: "an estimate", Estimated: true}}
	in.Read = func(string) ([]byte, error) { return []byte(scale), nil }
	page := writeInput(t, in)
	cols := columns(t, page)
	if got := len(cols["machine"]); got != 4 {
		t.Fatalf("the column has %d lines, want 4", got)
	}
	store := line(t, cols["machine"], "STG.E")
	if texts := linked(cols["source"], store); !slices.Contains(texts, "x[i] = thrice(x[i]) + s") {
		t.Errorf("the store belongs to %q", texts)
	}
	if l := line(t, cols["machine"], "EXIT"); len(l.origins) > 0 {
		t.Errorf("a line of a PTX line that is none has origins %v", l.origins)
	}
	for _, fact := range []string{"<dt>registers</dt><dd>about 12</dd>", "<dt>occupancy</dt><dd>about 50 %, limited by registers</dd>", "<dt>as told by</dt><dd>an estimate</dd>"} {
		if !strings.Contains(page, fact) {
			t.Errorf("the page has no %s", fact)
		}
	}
	if strings.Contains(page, "<dt>spills</dt>") {
		t.Error("spills that nobody knows are shown")
	}
	in.Disassemble = func(string) []explain.MachineLine { return nil }
	if _, ok := columns(t, writeInput(t, in))["machine"]; ok {
		t.Error("machine code that nobody has is a column")
	}
}
