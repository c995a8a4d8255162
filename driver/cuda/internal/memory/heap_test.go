package memory

import "testing"

func TestIdleMemoryIsBoundedByTheTotal(t *testing.T) {
	const mib = 1 << 20
	for total, want := range map[int64]int64{1 << 30: 64 * mib, 32 << 30: 1 << 30, 256 << 30: 4 << 30} {
		if got := idleLimit(total); got != want {
			t.Errorf("of %d bytes %d may be idle, want %d", total, got, want)
		}
	}
}
