// Package cutarget knows which text for an architecture a version of the CUDA driver takes.
//
//	in:  compute capability of a device, and version of the driver
//	out: the architecture that programs are compiled for
//
// Versions are those of cuDriverGetVersion, such as 12040 for 12.4, and a capability is a number such as 90 for 9.0.
package cutarget

import (
	"fmt"

	"github.com/govyre/vyre/internal/ptx"
)

// OldestDriver is the first driver that has every function of the core group.
const OldestDriver = 11040

// FirstLoops is the first driver whose graphs have loops.
const FirstLoops = 12040

// takes lists, for every target, the first driver whose compiler takes its text. Plain
// targets ascend.
var takes = []struct {
	sm              int
	plain, specific int // driver versions, as 12040 for 12.4; 0 is none
	gone            int // the first driver that takes neither any more; 0 is none
}{
	{sm: 70, plain: 9000},
	{sm: 72, plain: 9010},
	{sm: 75, plain: 10000},
	{sm: 80, plain: 11000},
	{sm: 86, plain: 11010},
	{sm: 87, plain: 11040},
	{sm: 88, plain: 13000},
	{sm: 89, plain: 11080},
	{sm: 90, plain: 11080, specific: 12000},
	{sm: 100, plain: 12070, specific: 12070},
	// The same GPU has capability 11.0 under drivers for CUDA 13, whose PTX has no sm_101.
	{sm: 101, plain: 12070, specific: 12070, gone: 13000},
	{sm: 103, plain: 12090, specific: 12090},
	{sm: 110, plain: 13000, specific: 13000},
	{sm: 120, plain: 12080, specific: 12080},
	{sm: 121, plain: 12090, specific: 12090},
}

// forOthers are the architectures that a device of a later one is given text for when its own
// cannot be expressed: every one stands for a family that ran in data centres or desktops.
var forOthers = map[int]bool{70: true, 75: true, 80: true, 86: true, 89: true, 90: true, 100: true, 103: true, 120: true, 121: true}

// Choose returns what programs are compiled for on a device of capability sm under a
// driver: the device's own architecture with everything it has, else the highest one below
// that the driver takes. Text for an architecture runs on later ones too.
func Choose(sm, driverVersion int) (t ptx.Target, reduced bool, err error) {
	for _, row := range takes {
		if row.sm > sm || row.plain > driverVersion || row.gone > 0 && row.gone <= driverVersion || row.sm != sm && !forOthers[row.sm] {
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

// MayTake reports whether a device of capability sm under a driver runs text for t: text for
// a plain target runs on later devices, the suffix ties it to one.
func MayTake(t ptx.Target, sm, driverVersion int) bool {
	for _, row := range takes {
		if row.sm != t.SM || row.gone > 0 && row.gone <= driverVersion {
			continue
		}
		if t.Suffix != "" {
			return row.sm == sm && row.specific > 0 && row.specific <= driverVersion
		}
		return row.sm <= sm && row.plain <= driverVersion
	}
	return false
}

// VersionText is a version of the driver as people write it.
func VersionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// Newest returns the highest architecture that a driver takes text for, "" if it takes none.
func Newest(driverVersion int) string {
	newest := ""
	for _, row := range takes {
		if row.plain <= driverVersion && (row.gone == 0 || row.gone > driverVersion) {
			newest = ptx.Target{SM: row.sm}.String()
		}
	}
	return newest
}
