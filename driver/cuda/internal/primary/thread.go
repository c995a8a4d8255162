package primary

// Thread is a goroutine's bond with the context: while bound, it is locked to its thread and the
// context is current on that.
type Thread struct {
	Context *Context
	bound   bool
}

// Bind makes the bond, if there is none.
func (t *Thread) Bind(op, label string) error {
	if t.bound {
		return nil
	}
	err := t.Context.Enter(op, label)
	t.bound = err == nil
	return err
}

// Bound reports whether there is a bond.
func (t *Thread) Bound() bool { return t.bound }

// Release ends the bond, if there is one.
func (t *Thread) Release() {
	if t.bound {
		t.bound = false
		t.Context.Leave()
	}
}
