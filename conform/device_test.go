package conform_test

import (
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/driver/cpu"
)

func TestCPUDevicePasses(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range conform.Suite() {
		if cases := suite()[f.Name]; !needsNoDevice(cases) {
			t.Run(f.Name, func(t *testing.T) { pass(t, conform.On(d), cases) })
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
