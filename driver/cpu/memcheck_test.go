package cpu_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

// The variable asks for the same, also where machine code is required, and leaves the engine as it is.
func TestMemcheckOfTheEnvironment(t *testing.T) {
	without := open(t, cpu.Options{})
	t.Setenv(driver.EnvDebug, "memcheck")
	d := open(t, cpu.Options{})
	if !d.Debug().Memcheck || d.Caps().Target != without.Caps().Target {
		t.Errorf("memcheck is %v on %s, and without it the target is %s", d.Debug().Memcheck, d.Caps().Target, without.Caps().Target)
	}
}
