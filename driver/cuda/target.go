package cuda

import (
	"fmt"

	"github.com/govyre/vyre/ptx"
)

// takes lists, for every target, the first driver whose compiler takes its text. Plain
// targets ascend.
var takes = []struct {
	sm              int
	plain, specific int // driver versions, as 12040 for 12.4; 0 is none
}{
	{70, 9000, 0}, {72, 9010, 0}, {75, 10000, 0}, {80, 11000, 0}, {86, 11010, 0}, {87, 11040, 0}, {89, 11080, 0}, {90, 11080, 12000},
	{100, 12070, 12070}, {103, 12090, 12090}, {120, 12080, 12080}, {121, 12090, 12090},
}

// forOthers are the architectures that a device of a later one is given text for when its own
// cannot be expressed: every one stands for a family that ran in data centres or desktops.
var forOthers = map[int]bool{70: true, 75: true, 80: true, 86: true, 89: true, 90: true, 100: true, 103: true, 120: true, 121: true}

// chooseTarget returns what programs are compiled for on a device of capability sm under a
// driver: the device's own architecture with everything it has, else the highest one below
// that the driver takes. Text for an architecture runs on later ones too.
func chooseTarget(sm, driverVersion int) (t ptx.Target, reduced bool, err error) {
	for _, row := range takes {
		if row.sm > sm || row.plain > driverVersion || row.sm != sm && !forOthers[row.sm] {
			continue
		}
		t = ptx.Target{SM: row.sm}
		if row.sm == sm && row.specific > 0 && row.specific <= driverVersion {
			t.Suffix = "a"
		}
	}
	if t.SM == 0 {
		return t, false, fmt.Errorf("compute capability %d.%d is below 7.0", sm/10, sm%10)
	}
	return t, t.SM < sm, nil
}

// mayTake reports whether a device of capability sm under a driver runs text for t: text for
// a plain target runs on later devices, the suffix ties it to one.
func mayTake(t ptx.Target, sm, driverVersion int) bool {
	for _, row := range takes {
		if row.sm != t.SM {
			continue
		}
		if t.Suffix != "" {
			return row.sm == sm && row.specific > 0 && row.specific <= driverVersion
		}
		return row.sm <= sm && row.plain <= driverVersion
	}
	return false
}
