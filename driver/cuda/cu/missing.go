package cu

import "strings"

// MissingError says why there is no driver to load.
type MissingError struct {
	Reason string   // in a few words
	Tried  []string // what was looked for, with what the system said
	Fix    string
}

func (e *MissingError) Error() string {
	if len(e.Tried) == 0 {
		return e.Reason
	}
	return e.Reason + ": " + strings.Join(e.Tried, "; ")
}
