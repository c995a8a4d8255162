package ir

func checkStructure(c *Code) Diags { return nil }

func check(c *Code, objs []ObjectInfo) (*Uniformity, Diags) { return nil, nil }
