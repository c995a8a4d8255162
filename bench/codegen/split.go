package codegen

// Split is the work of a problem over arrays that a programmer would split its structs into by hand.
type Split struct {
	Parts []*Part
	Steps []Step
}

// Part is an array with some of the words of every struct that a buffer holds.
type Part struct {
	*Buffer
	of                   *Buffer
	stride, first, words int // words of 32 bits: of a struct; before the part's; of the part
}

// part splits words off structs of so many.
func part(name string, of *Buffer, stride, first, words int) *Part {
	p := &Part{of: of, stride: stride, first: first, words: words}
	p.Buffer = &Buffer{Name: name, Role: of.Role, Bytes: of.Bytes / int64(stride) * int64(words)}
	if of.Data != nil {
		array := make([]uint32, p.Bytes/4)
		p.each(valuesOf[uint32](of.Data), array, func(structs, array []uint32) { copy(array, structs) })
		p.Data = bytesOf(array)
	}
	return p
}

// each calls f with the part's words of every struct, and with the place where the array has them.
func (p *Part) each(structs, array []uint32, f func(structs, array []uint32)) {
	for i := range len(array) / p.words {
		f(structs[i*p.stride+p.first:][:p.words], array[i*p.words:][:p.words])
	}
}

// Buffers are what the split work reads and writes.
func (s *Split) Buffers() []*Buffer {
	var all []*Buffer
	for _, p := range s.Parts {
		all = append(all, p.Buffer)
	}
	return all
}

// Join puts what a run left in the parts back into structs.
func (s *Split) Join(parts map[*Buffer][]byte) map[*Buffer][]byte {
	out := make(map[*Buffer][]byte)
	for _, p := range s.Parts {
		array, ok := parts[p.Buffer]
		if !ok {
			continue
		}
		if out[p.of] == nil {
			out[p.of] = bytesOf(make([]uint32, p.of.Bytes/4))
		}
		p.each(valuesOf[uint32](out[p.of]), valuesOf[uint32](array), func(structs, array []uint32) { copy(structs, array) })
	}
	return out
}
