package imagecache_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/imagecache"
)

func open(t *testing.T, root string, bound int64) *imagecache.Cache {
	t.Helper()
	c, err := imagecache.Open(root, bound)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func store(t *testing.T, c *imagecache.Cache, key [32]byte, image []byte) (removed int) {
	t.Helper()
	removed, err := c.Store(key, image)
	if err != nil {
		t.Fatal(err)
	}
	return removed
}

// load returns the image that is stored under a key.
func load(c *imagecache.Cache, key [32]byte) ([]byte, error) {
	found, err := c.Load(key)
	return found.Image, err
}

// numbered is a key whose writer looks after the bound only when it has to.
func numbered(i int) [32]byte { return [32]byte{0: byte(i), 1: byte(i >> 8), 31: 1} }

func TestAnImageIsThereForTheNextProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "not", "made", "yet")
	c := open(t, root, 0)
	if image, err := load(c, sampleKey); image != nil || err != nil {
		t.Errorf("an empty cache has %q, %v", image, err)
	}
	store(t, c, sampleKey, []byte("CUBIN"))
	if image, err := load(open(t, root, 0), sampleKey); err != nil || string(image) != "CUBIN" {
		t.Errorf("it is %q, %v", image, err)
	}
	want := filepath.Join(root, "cubin", "09", "094d686c5d98e36742e7bb9f3305debcaa6401b4c80ef6210845458104e1af1a.bin")
	info, err := os.Stat(want)
	if err != nil || info.Size() != 101 {
		t.Fatalf("%v, %v", info, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may %v", info.Mode())
	}
}

// A text whose image is worse is noted, for whoever comes next, and a later image takes the place of the note.
func TestATextToLoadIsNoted(t *testing.T) {
	root := t.TempDir()
	c := open(t, root, 0)
	if _, err := c.StoreText(sampleKey); err != nil {
		t.Fatal(err)
	}
	if found, err := open(t, root, 0).Load(sampleKey); err != nil || !found.Text || len(found.Image) != 0 {
		t.Errorf("a note to load the text is read as %+v, %v", found, err)
	}
	store(t, c, sampleKey, []byte("CUBIN"))
	if found, err := c.Load(sampleKey); err != nil || found.Text || string(found.Image) != "CUBIN" {
		t.Errorf("after an image it is %+v, %v", found, err)
	}
}

func TestADamagedFileIsRemoved(t *testing.T) {
	whole := imagecache.File(sampleKey, []byte("CUBIN"))
	type damage struct {
		name string
		file []byte
	}
	var all []damage
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		all = append(all, damage{fmt.Sprintf("byte %d flipped", i), flipped}, damage{fmt.Sprintf("cut off at %d", i), whole[:i]})
	}
	all = append(all, damage{"a byte appended", append(bytes.Clone(whole), 0)})
	c := open(t, t.TempDir(), 0)
	store(t, c, sampleKey, []byte("CUBIN"))
	for _, d := range all {
		if err := os.WriteFile(c.Path(sampleKey), d.file, 0o600); err != nil {
			t.Fatal(err)
		}
		var corrupt *imagecache.CorruptError
		if image, err := load(c, sampleKey); image != nil || !errors.As(err, &corrupt) || corrupt.Path != c.Path(sampleKey) {
			t.Errorf("%s: %q, %v", d.name, image, err)
		}
		if _, err := os.Lstat(c.Path(sampleKey)); !os.IsNotExist(err) {
			t.Errorf("%s: the file is still there: %v", d.name, err)
		}
		if image, err := load(c, sampleKey); image != nil || err != nil {
			t.Errorf("%s: then %q, %v", d.name, image, err)
		}
	}
}

func TestWhatIsNoFileIsRemoved(t *testing.T) {
	c := open(t, t.TempDir(), 0)
	if err := os.MkdirAll(filepath.Join(c.Path(sampleKey), "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if image, err := load(c, sampleKey); image != nil || err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("%q, %v", image, err)
	}
	store(t, c, sampleKey, []byte("CUBIN"))
	if image, err := load(c, sampleKey); err != nil || string(image) != "CUBIN" {
		t.Errorf("then %q, %v", image, err)
	}
}

func TestARefusedImageCanBeRemoved(t *testing.T) {
	c := open(t, t.TempDir(), 0)
	store(t, c, sampleKey, []byte("CUBIN"))
	c.Remove(sampleKey)
	if image, err := load(c, sampleKey); image != nil || err != nil {
		t.Errorf("%q, %v", image, err)
	}
	c.Remove(sampleKey) // nothing is no error
}

func TestACacheIsADirectoryOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, root string
		bound      int64
		says       string
	}{
		{"a file", file, 0, "not a directory"},
		{"below a file", filepath.Join(file, "x"), 0, ""},
		{"no name", "", 0, "directory"},
		{"a negative bound", dir, -1, "-1 bytes"},
	} {
		if _, err := imagecache.Open(c.root, c.bound); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if os.Getuid() != 0 {
		return // giving a directory away takes the right to
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Skip("no directory of another user can be made: ", err)
	}
	if _, err := imagecache.Open(dir, 0); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("another user's: %v", err)
	}
}

func TestAnImageThatCannotBeWrittenIsAnError(t *testing.T) {
	root := t.TempDir()
	c := open(t, root, 0)
	if err := os.WriteFile(filepath.Join(root, "cubin"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Store(sampleKey, []byte("CUBIN")); err == nil {
		t.Error("it was written")
	}
	if image, err := load(c, sampleKey); image != nil || err != nil {
		t.Errorf("%q, %v", image, err)
	}
}

// age sets when a file was used last.
func age(t *testing.T, path string, ago time.Duration) {
	t.Helper()
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasUsedLongestAgoIsRemovedFirst(t *testing.T) {
	// Files of 1000 bytes: the bound is 16 of them, the floor 14, and a sixteenth one.
	image := make([]byte, 1000-96)
	c := open(t, t.TempDir(), 16_000)
	for i := range 14 {
		if n := store(t, c, numbered(i), image); n != 0 {
			t.Fatalf("%d files were removed for the one numbered %d", n, i)
		}
		age(t, c.Path(numbered(i)), time.Duration(100-i)*time.Minute)
	}
	age(t, c.Path(numbered(0)), time.Minute) // as if it had been used
	if n := store(t, c, numbered(14), image); n != 1 {
		t.Errorf("%d files were removed", n)
	}
	for i := range 15 {
		got, err := load(c, numbered(i))
		if there := got != nil; err != nil || there != (i != 1) {
			t.Errorf("file %d: there is %v, %v", i, there, err)
		}
	}
}

func TestOnlyAWriterOfASixteenthLooks(t *testing.T) {
	root := t.TempDir()
	small := open(t, root, 1<<20)
	for i := range 20 {
		store(t, small, numbered(i), make([]byte, 1000-96))
	}
	c := open(t, root, 17_600) // a sixteenth is 1100 bytes, the floor 15 files
	if n := store(t, c, numbered(20), make([]byte, 1000-96)); n != 0 {
		t.Errorf("%d files were removed for the first thousand bytes", n)
	}
	if n := store(t, c, numbered(21), make([]byte, 1000-96)); n != 7 {
		t.Errorf("%d of 22 files were removed, want 7", n)
	}
	for i := range 3 {
		store(t, small, numbered(30+i), make([]byte, 1000-96))
	}
	if n := store(t, open(t, root, 17_600), [32]byte{31: 64}, nil); n != 3 {
		t.Errorf("%d files were removed for the one in 64 whose writer looks, want 3", n)
	}
}

func TestAnImageLargerThanTheCacheIsNotKept(t *testing.T) {
	c := open(t, t.TempDir(), 1000)
	store(t, c, sampleKey, []byte("CUBIN"))
	if n := store(t, c, numbered(1), make([]byte, 900)); n != 0 {
		t.Errorf("%d files were removed for it", n)
	}
	if image, err := load(c, numbered(1)); image != nil || err != nil {
		t.Errorf("it was kept: %d bytes, %v", len(image), err)
	}
}

func TestUseIsNotedOnceADay(t *testing.T) {
	c := open(t, t.TempDir(), 0)
	store(t, c, sampleKey, []byte("CUBIN"))
	for _, row := range []struct {
		ago   time.Duration
		noted bool
	}{{48 * time.Hour, true}, {time.Hour, false}} {
		age(t, c.Path(sampleKey), row.ago)
		if _, err := c.Load(sampleKey); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(c.Path(sampleKey))
		if err != nil {
			t.Fatal(err)
		}
		if noted := time.Since(info.ModTime()) < row.ago/2; noted != row.noted {
			t.Errorf("used %v ago: noted is %v", row.ago, noted)
		}
	}
}

func TestFilesOfAWriterThatDiedGo(t *testing.T) {
	c := open(t, t.TempDir(), 16_000)
	dir := filepath.Dir(c.Path(numbered(0)))
	old, fresh, foreign := filepath.Join(dir, "new-1"), filepath.Join(dir, "new-2"), filepath.Join(dir, "notes.txt")
	store(t, c, numbered(0), nil)
	for _, path := range []string{old, fresh, foreign} {
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age(t, old, 48*time.Hour)
	age(t, foreign, 48*time.Hour)
	for i := range 16 {
		store(t, c, numbered(i+1), make([]byte, 1000-96))
	}
	for path, want := range map[string]bool{old: false, fresh: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestHammerOneDirectoryFromManySides(t *testing.T) {
	root := t.TempDir()
	imageOf := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 500+i) }
	var wg sync.WaitGroup
	for side := range 4 {
		c := open(t, root, 16_000)
		wg.Go(func() {
			for round := range 40 {
				i := (round*7 + side*3) % 40
				if _, err := c.Store(numbered(i), imageOf(i)); err != nil {
					t.Error(err)
				}
				j := (round*11 + side) % 40
				if image, err := load(c, numbered(j)); err != nil || image != nil && !bytes.Equal(image, imageOf(j)) {
					t.Errorf("image %d is %d bytes, %v", j, len(image), err)
				}
			}
		})
	}
	wg.Wait()
}
