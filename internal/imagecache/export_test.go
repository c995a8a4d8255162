package imagecache

// File is the file of an image.
func File(key [32]byte, image []byte) []byte { return encode(key, 0, image) }

// TextFile is the file of a key whose text is to be loaded.
func TextFile(key [32]byte) []byte { return encode(key, textOnly, nil) }

// Read is what a file says.
func Read(file []byte, key [32]byte) (Found, error) { return decode(file, key) }

// Path is where the file of a key is.
func (c *Cache) Path(key [32]byte) string { return c.path(key) }
