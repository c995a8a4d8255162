package ir

func (c *Code) canonicalise() {}
