package queries

// OnGroup calls f whenever a group has on the device all that it needs.
func (s *Session) OnGroup(f func()) { s.ready = f }
