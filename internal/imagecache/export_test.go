package imagecache

// File is the file of an image.
func File(key [32]byte, image []byte) []byte { return encode(key, image) }

// Read is the image in a file.
func Read(file []byte, key [32]byte) ([]byte, error) { return decode(file, key) }

// Path is where the file of a key is.
func (c *Cache) Path(key [32]byte) string { return c.path(key) }
