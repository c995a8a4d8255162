package driver

import "context"

// Write stores src into dst, now. For bytes that accompany a launch, Sequence.Upload saves a
// round trip.
func Write(ctx context.Context, dst Range, src []byte) error {
	return once(ctx, dst, "write", func(s *Sequence) { s.Upload(dst, src, Always) })
}

// ReadInto fetches src into dst, now.
func ReadInto(ctx context.Context, src Range, dst []byte) error {
	return once(ctx, src, "read", func(s *Sequence) { s.Read(src, dst) })
}

func once(ctx context.Context, r Range, what string, record func(*Sequence)) error {
	if r.Buffer == nil {
		return &Error{Op: what, Kind: InvalidArgument, Msg: "the buffer is nil"}
	}
	made, ok := own(r.Buffer)
	if !ok {
		return &Error{Op: what, Kind: InvalidArgument, Msg: foreign(r.Buffer, "buffer"), Fix: "pass a buffer that Alloc or a pool returned"}
	}
	s := made.Device().NewSequence(what)
	record(s)
	_, err := s.Once(ctx)
	return err
}

// AllocAll allocates one buffer a size, or none.
func AllocAll(d Device, sizes ...int64) ([]Buffer, error) {
	if d == nil {
		return nil, &Error{Op: "alloc", Kind: InvalidArgument, Msg: "the device is nil"}
	}
	var all []Buffer
	for _, n := range sizes {
		b, err := d.Alloc(n, AllocOptions{})
		if err != nil {
			for _, done := range all {
				// Nobody else has seen it, so closing it cannot be refused.
				_ = done.Close()
			}
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}
