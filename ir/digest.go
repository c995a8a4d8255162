package ir

func digest(c *Code) [32]byte { return [32]byte{} }
