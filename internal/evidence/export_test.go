package evidence

import "time"

// SetClock makes a sample take its time from elsewhere.
func (s *Sample) SetClock(now func() time.Time) { s.now = now }
