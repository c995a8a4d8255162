package cpu_test

import (
	"errors"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
)

// The device computes products as any generation, by an option of a kernel or of the device, and tells which.
func TestProductsAreThoseOfTheGenerationThatIsAskedFor(t *testing.T) {
	for _, open := range []cpu.RunOptions{{}, {Matrix: "sm_86"}} {
		d, err := cpu.Open(cpu.Options{Run: open})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "sm_70", "sm_80", "sm_90"} {
			skipped, tried := 0, 0
			for c := range conform.Cases("mat-form/") {
				tried++
				switch err := conform.Try(t.Context(), conform.OnWith(d, driver.Options{Matrix: name}), c); {
				case errors.Is(err, conform.ErrSkipped):
					skipped++
				case err != nil:
					t.Errorf("as %q, device as %q: %s: %v", name, open.Matrix, c, err)
				}
			}
			if want := map[string]int{"sm_70": 14}[name]; skipped != want || tried == 0 { // bf16 and tf32
				t.Errorf("as %q: %d of %d cases skipped, want %d", name, skipped, tried, want)
			}
		}
		if got, want := d.Caps().Matrix.Generation, map[string]string{"": "sm_90", "sm_86": "sm_75"}[open.Matrix]; got != want {
			t.Errorf("opened with %q it computes as %s", open.Matrix, got)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := cpu.Open(cpu.Options{Run: cpu.RunOptions{Matrix: "sm_60"}}); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("an unknown generation: %v", err)
	}
}
