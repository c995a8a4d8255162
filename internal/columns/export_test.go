package columns

// Bound makes so many rows the most that an arena takes.
func (a *Arena) Bound(rows uint64) { a.size = rows }

// Bytes is what of codes is uploaded.
func (a *Codes) Bytes() uint64 {
	var l layout
	l.lay(Batch{Codes: a})
	return 4 * uint64(l.words[uploaded])
}
