package cpu

// Eager has every list shared out, however short it is.
func (e *Engine) Eager() { e.sharedNodes = 1 }
