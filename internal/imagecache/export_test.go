package imagecache

// File is the file of an image.
func File(key [32]byte, image []byte) []byte { return Images.encode(key, 0, image) }

// TextFile is the file of a key whose text is to be loaded.
func TextFile(key [32]byte) []byte { return Images.encode(key, textOnly, nil) }

// Read is what a file says.
func Read(file []byte, key [32]byte) (Found, error) { return Images.decode(file, key) }
