package imagecache

// File is the file of an image.
func File(key [32]byte, image []byte) []byte { return Images.encode(key, image) }

// Read is the image in a file.
func Read(file []byte, key [32]byte) ([]byte, error) { return Images.decode(file, key) }
