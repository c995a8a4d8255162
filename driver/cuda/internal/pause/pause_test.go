package pause

import (
	"testing"
	"time"
)

func TestSpinsAreAsLongAsWaitsWere(t *testing.T) {
	for average, want := range map[time.Duration]time.Duration{10 * time.Microsecond: 20 * time.Microsecond, 50 * time.Microsecond: 100 * time.Microsecond,
		150 * time.Microsecond: 300 * time.Microsecond, 2 * time.Millisecond: 4 * time.Millisecond, 3 * time.Millisecond: 5 * time.Microsecond} {
		if got := SpinFor(average); got != want {
			t.Errorf("with waits of %v it is %v, want %v", average, got, want)
		}
	}
	for passed, want := range map[time.Duration]time.Duration{200 * time.Microsecond: 20 * time.Microsecond, 3200 * time.Microsecond: 100 * time.Microsecond, time.Second: 500 * time.Microsecond} {
		if got := sleepFor(passed); got != want {
			t.Errorf("after %v the sleep is %v, want %v", passed, got, want)
		}
	}
}
