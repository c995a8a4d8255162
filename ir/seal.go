package ir

// Seal makes an immutable Program of c: structure is checked, the columns are brought into
// canonical form, then types, access, uniformity and limits are verified and the
// digest is taken. The error, if any, is a Diags with every finding. c belongs to the
// program afterwards and must not be used again.
func (c *Code) Seal() (*Program, error) {
	if ds := checkStructure(c); len(ds.Errors()) > 0 {
		return nil, ds.Errors()
	}
	c.canonicalise()
	return c.freeze(digest(c))
}

// freeze verifies canonical code with the given digest and makes the program of it.
func (c *Code) freeze(digest [32]byte) (*Program, error) {
	objs := c.Objects()
	uni, ds := check(c, objs)
	if errs := ds.Errors(); len(errs) > 0 {
		return nil, errs
	}
	return &Program{code: *c, digest: digest, objs: c.Objects(), uni: uni, traits: traits(c, objs)}, nil
}
