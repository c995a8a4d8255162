package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryFormIsMeasured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "columns.csv")
	if err := run(t.Context(), "cpu", 3_000, 1, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{",resident,", ",with transfers,", ",plain Go,1,", ",with columns and sealing,", ",checks resident,", ",passes and checks resident,", ",launched resident,", ",heads with transfers,", ",verify.Seal,1,", ",opt.Run,1,", "# crossover resident: ", "# crossover with transfers: ", "# crossover with sealing"} {
		if !strings.Contains(string(text), form) {
			t.Errorf("no %s in\n%s", form, text)
		}
	}
}
