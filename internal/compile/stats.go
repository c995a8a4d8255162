package compile

import "time"

// Stats is what one run did. Its JSON form is stable.
type Stats struct {
	Run      string         `json:"run"`
	Pass     string         `json:"pass"`
	Time     time.Duration  `json:"ns"`
	Visits   int            `json:"visits"` // rows, operands or instructions looked at; 0 where the pass had just had nothing to do
	Rows     int            `json:"rows"`   // rows after it, constants aside; instructions in the group text
	Rewrites map[string]int `json:"rewrites,omitempty"`
	Stopped  string         `json:"stopped,omitempty"` // the limit that an e-graph came to whose terms were taken; egraph alone has any
}
