package build

// Visits returns how many blocks variable lookups walked through.
func Visits(b *Builder) int { return b.visits }
