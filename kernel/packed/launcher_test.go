package packed_test

import (
	"path/filepath"
	"testing"

	"github.com/govyre/vyre/kernel/packed"
)

// Nothing runs before a program is asked for, so it is then that the file that asks is known, by whichever function it asks.
func TestWhatAsksFirstIsTheLauncher(t *testing.T) {
	for name, ask := range map[string]func(p *packed.Programs) error{
		"Program":  func(p *packed.Programs) error { _, err := p.Program("A"); return err },
		"Instance": func(p *packed.Programs) error { _, err := p.Instance("F", "uint8"); return err },
	} {
		data := dataOf("A", "F[uint8]")
		p := packed.Open("k.vyp", "vyre gen", &data)
		if err := ask(p); err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(p.Launcher()); got != "launcher_test.go" {
			t.Errorf("%s: the launcher is %s", name, got)
		}
	}
}
