package driver

import "fmt"

// leafed is what kernels and buffers are to this package.
type leafed interface{ leaf() *Leaf }

// own returns the object that a device made and that o stands for: o itself, or what o embeds. A
// method set can be had by embedding, the identity behind it cannot: a leaf knows its object. What
// has no leaf, or another one's, is foreign.
func own[T leafed](o T) (object T, ok bool) {
	l := leafOf(o)
	if l == nil {
		return object, false
	}
	object, ok = l.object.(T)
	return object, ok
}

// leafOf returns the leaf of an object, nil if there is none. A type that embeds one of the
// contract's interfaces, and never set it, panics in every method: that is a wrong argument like
// others.
func leafOf(o leafed) (l *Leaf) {
	defer func() {
		if recover() != nil {
			l = nil
		}
	}()
	return o.leaf()
}

// KernelOf returns the kernel that a device made and that k stands for: k itself, or what a type
// around it embeds, as generated launchers do. It is an error if there is none.
func KernelOf(k Kernel) (Kernel, error) {
	if k == nil {
		return nil, &Error{Op: "launch", Kind: InvalidArgument, Msg: "the kernel is nil"}
	}
	if own, ok := own(k); ok {
		return own, nil
	}
	return nil, &Error{Op: "launch", Kind: InvalidArgument, Msg: foreign(k, "kernel"), Fix: "pass what Compile returned"}
}

// foreign says that o is not what it poses as.
func foreign(o leafed, what string) string {
	return fmt.Sprintf("%T holds no %s that a device made", o, what)
}

// owned returns the range with the buffer that a device made. A foreign one stays, to be refused
// where the range is checked.
func (r Range) owned() Range {
	if r.Buffer != nil {
		if b, ok := own(r.Buffer); ok {
			r.Buffer = b
		}
	}
	return r
}

// pendingOf returns the run that p stands for, nil if there is none.
func pendingOf(p Pending) (run *pending) {
	defer func() {
		if recover() != nil {
			run = nil // as in leafOf
		}
	}()
	return p.flying()
}
