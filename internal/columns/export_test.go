package columns

// Bound makes so many rows the most that an arena takes.
func (a *Arena) Bound(rows uint64) { a.size = rows }
