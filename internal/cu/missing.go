package cu

import "strings"

// MissingError says why there is no driver to load.
type MissingError struct {
	Reason string   // in a few words, or what the system said
	Tried  []string // where it was looked for
	Fix    string
}

func (e *MissingError) Error() string {
	if len(e.Tried) < 2 {
		return e.Reason
	}
	return e.Reason + "; also tried " + strings.Join(e.Tried[1:], ", ")
}
