package imagecache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// DefaultBytes bounds a cache for which no bound was chosen.
const DefaultBytes = 1 << 30

// Kind is what the files of a directory hold.
type Kind struct {
	dir   string
	magic string
}

// The kinds. Each has a directory of its own below the root, and a bound of its own.
var (
	Images   = Kind{"cubin", "VYRECUB\x01"}
	Measured = Kind{"tune", "VYRETUN\x01"} // what was measured on a device
)

// Cache is a directory of files of one kind. What a file holds is called an image, whatever it is.
type Cache struct {
	Kind
	root  string
	dir   string // root and that of the kind
	bound int64

	mu    sync.Mutex
	added int64 // bytes written since somebody here last looked at all files
}

// CorruptError says that a file was no image, and was removed.
type CorruptError struct {
	Path string
	Why  string
}

func (e *CorruptError) Error() string { return fmt.Sprintf("cached image %s: %s", e.Path, e.Why) }

// Open returns the cache of images below root, of at most about bound bytes; a bound of 0 is DefaultBytes.
func Open(root string, bound int64) (*Cache, error) { return OpenKind(Images, root, bound) }

// OpenKind returns the cache of files of a kind below root, of at most about bound bytes; a bound of 0 is DefaultBytes.
// Nothing is made yet. A root that belongs to another user is refused: that user could
// put code there.
func OpenKind(k Kind, root string, bound int64) (*Cache, error) {
	if bound == 0 {
		bound = DefaultBytes
	}
	if bound < 0 || root == "" {
		return nil, fmt.Errorf("a cache of %d bytes in the directory %q", bound, root)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	switch info, err := os.Stat(root); {
	case errors.Is(err, fs.ErrNotExist): // Store makes it
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", root)
	case !ours(info):
		return nil, fmt.Errorf("%s belongs to another user", root)
	}
	return &Cache{Kind: k, root: root, dir: filepath.Join(root, k.dir), bound: bound}, nil
}

// Root returns the directory below which the files are.
func (c *Cache) Root() string { return c.root }

// Bound returns about how many bytes are kept at most.
func (c *Cache) Bound() int64 { return c.bound }

// Path is where the file of a key is, if there is one.
func (c *Cache) Path(key [32]byte) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(c.dir, name[:2], name+".bin")
}

// Found is what the cache knows of a key: an image, or that the text is to be loaded; the zero value where it knows nothing.
type Found struct {
	Image []byte
	Text  bool
}

// Load returns what is known of a key. A file that is there and is wrong is removed, and gives a *CorruptError.
func (c *Cache) Load(key [32]byte) (Found, error) {
	path := c.Path(key)
	info, err := os.Lstat(path)
	if err != nil {
		return Found{}, nil
	}
	found, err := c.read(path, info, key)
	if err != nil {
		c.Remove(key)
		return Found{}, &CorruptError{path, err.Error()}
	}
	if now := time.Now(); (found.Image != nil || found.Text) && now.Sub(info.ModTime()) > 24*time.Hour {
		_ = os.Chtimes(path, now, now) // at worst the file is taken for unused
	}
	return found, nil
}

// read returns what the file at path holds; nothing if the file was removed meanwhile, or may not be read.
func (c *Cache) read(path string, info fs.FileInfo, key [32]byte) (Found, error) {
	if !info.Mode().IsRegular() {
		return Found{}, fmt.Errorf("it is no file, but %v", info.Mode().Type())
	}
	if info.Size() > headerSize+maxImage {
		return Found{}, fmt.Errorf("%d bytes", info.Size())
	}
	f, err := os.Open(path)
	if err != nil {
		return Found{}, nil
	}
	defer f.Close()
	// One byte more than the file had: if it has grown, it is not what was stored.
	b, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		return Found{}, nil
	}
	return c.decode(b, key)
}

// Remove removes the image stored under a key, such as one that the driver refused.
func (c *Cache) Remove(key [32]byte) {
	path := c.Path(key)
	if os.Remove(path) != nil {
		// A directory in the place of a file is nobody's to keep. What cannot be removed is found
		// wrong, and counted, by everyone who comes by.
		_ = os.RemoveAll(path)
	}
}

// temporary begins the names of files that are being written.
const temporary = "new-"

// Store keeps an image, and says how many others were removed for it. An image that would take
// most of the cache is not kept.
func (c *Cache) Store(key [32]byte, image []byte) (removed int, err error) {
	return c.store(key, 0, image)
}

// StoreText notes that the text of a key is to be loaded, so that nobody makes its image again.
func (c *Cache) StoreText(key [32]byte) (removed int, err error) { return c.store(key, textOnly, nil) }

func (c *Cache) store(key [32]byte, flags uint32, image []byte) (removed int, err error) {
	size := int64(headerSize + len(image))
	if size > c.floor() || len(image) > maxImage {
		return 0, nil
	}
	if err := c.write(c.Path(key), c.encode(key, flags, image)); err != nil {
		return 0, err
	}
	if !c.due(key, size) {
		return 0, nil
	}
	return c.trim()
}

// write makes a file appear at path, complete. It is no use of internal/atomicfile, whose rules are those for a user's files:
// an image is private whatever the umask, a link in its place is replaced and not followed, and trim knows temporary names.
func (c *Cache) write(path string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporary) // never an existing file, mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync() // else a crash of the machine could leave the name and not the bytes
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // trim finds it, if this fails
	}
	return err
}

// floor is what a cache is reduced to.
func (c *Cache) floor() int64 { return c.bound / 8 * 7 }

// due reports whether the writer of size bytes has to look after the bound: when a sixteenth
// of it was added. Processes that end long before that would never look; so the writers of one
// key in 64, which is as good as chance, look too.
func (c *Cache) due(key [32]byte, size int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added += size
	if c.added < c.bound/16 && key[31]%64 != 0 {
		return false
	}
	c.added = 0
	return true
}

func isTemporary(name string) bool { return strings.HasPrefix(name, temporary) }
