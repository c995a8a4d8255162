package packed

import "time"

// Compare is what a process that was linked at a time finds of a launcher.
func Compare(linked time.Time, launcher, made string) error {
	b := beside{built: func() time.Time { return linked }}
	return b.compare(launcher, made)
}
