package ptx

func (f *function) predicate() {}
