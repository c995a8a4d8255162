package ir

// BuilderVisits returns how many blocks variable lookups walked through.
func BuilderVisits(b *Builder) int { return b.visits }

// CanonicalVisits brings c into canonical form and returns the work that took.
func CanonicalVisits(c *Code) int {
	k := canon{c: c, n: c.Rows()}
	k.run()
	return k.visits
}
