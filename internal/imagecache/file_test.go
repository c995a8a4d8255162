package imagecache_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/imagecache"
)

// sampleKey is the key of a text of two lines for sm_90 under CUDA 13.0.
var sampleKey = [32]byte(unhex("094d686c5d98e36742e7bb9f3305debcaa6401b4c80ef6210845458104e1af1a"))

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestAFileIsAHeaderAndTheImage(t *testing.T) {
	want := bytes.Join([][]byte{
		[]byte("VYRECUB\x01"), {1, 0, 0, 0}, {0, 0, 0, 0}, sampleKey[:], {5, 0, 0, 0, 0, 0, 0, 0},
		unhex("e6bebc934bd0c20445b73f695ae64d4c9037009f1b089e26004aa77ffdcd48ce"), unhex("680d6e5b"), {0, 0, 0, 0}, []byte("CUBIN")}, nil)
	got := imagecache.File(sampleKey, []byte("CUBIN"))
	if !bytes.Equal(got, want) || len(got) != 101 {
		t.Errorf("file is\n%x, want\n%x", got, want)
	}
	if found, err := imagecache.Read(got, sampleKey); err != nil || string(found.Image) != "CUBIN" || found.Text {
		t.Errorf("reads back as %q, %v", found.Image, err)
	}
}

// TestAKindIsNotTakenForAnother, though all else of the files is equal.
func TestAKindIsNotTakenForAnother(t *testing.T) {
	root := t.TempDir()
	measured, err := imagecache.OpenKind(imagecache.Measured, root, 0)
	if err != nil {
		t.Fatal(err)
	}
	store(t, measured, sampleKey, []byte("CUBIN"))
	file, err := os.ReadFile(filepath.Join(root, "tune", "09", "094d686c5d98e36742e7bb9f3305debcaa6401b4c80ef6210845458104e1af1a.bin"))
	if err != nil {
		t.Fatal(err)
	}
	image := imagecache.File(sampleKey, []byte("CUBIN"))
	if string(file[:8]) != "VYRETUN\x01" || !bytes.Equal(file[8:88], image[8:88]) || !bytes.Equal(file[92:], image[92:]) {
		t.Errorf("file is\n%x, that of an image\n%x", file, image)
	}
	if got, err := imagecache.Read(file, sampleKey); got.Image != nil || err == nil {
		t.Errorf("it is the image %q", got.Image)
	}
	if got, err := open(t, root, 0).Load(sampleKey); got.Image != nil || got.Text || err != nil {
		t.Errorf("the images have %v, %v", got, err)
	}
}

func TestAnEmptyImageIsAFile(t *testing.T) {
	if found, err := imagecache.Read(imagecache.File(sampleKey, nil), sampleKey); err != nil || found.Image == nil || len(found.Image) != 0 {
		t.Errorf("reads back as %v, %v", found, err)
	}
	if found, err := imagecache.Read(imagecache.TextFile(sampleKey), sampleKey); err != nil || !found.Text || len(found.Image) != 0 {
		t.Errorf("a note to load the text reads back as %v, %v", found, err)
	}
}

// Each file is wrong in several ways and refused for the first of them.
func TestAFileIsCheckedInOrder(t *testing.T) {
	change := func(f func(b []byte)) []byte {
		b := imagecache.File(sampleKey, []byte("CUBIN"))
		f(b)
		return b
	}
	// sign makes the checksum fit what stands before it.
	sign := func(b []byte) {
		binary.LittleEndian.PutUint32(b[88:], crc32.Checksum(b[:88], crc32.MakeTable(crc32.Castagnoli)))
	}
	for _, c := range []struct {
		name string
		file []byte
		says string
	}{
		{"nothing", nil, "0 bytes, a header has 96"},
		{"less than a header", change(func([]byte) {})[:95], "95 bytes, a header has 96"},
		{"magic", change(func(b []byte) { b[0]++; b[8]++; b[100]++ }), "begins with"},
		{"version", change(func(b []byte) { b[8]++; b[20]++ }), "version 2"},
		{"flags", change(func(b []byte) { b[12] = 4; b[20]++ }), "flags 0x4"},
		{"a note to load the text, with an image", change(func(b []byte) { b[12] = 1; b[20]++; sign(b) }), "flags 0x1 and an image of 5 bytes"},
		{"checksum", change(func(b []byte) { b[88]++; b[100]++ }), "header has checksum"},
		{"key under a wrong checksum", change(func(b []byte) { b[20]++ }), "header has checksum"},
		{"word behind the checksum", change(func(b []byte) { b[92] = 1; b[100]++ }), "header has checksum"},
		{"key", change(func(b []byte) { b[20]++; b[48]++; sign(b) }), "holds the image of key"},
		{"length", change(func(b []byte) { b[48]++; b[60]++; sign(b) }), "5 bytes of an image of 6"},
		{"largest length", change(func(b []byte) { copy(b[48:], "\xff\xff\xff\xff\xff\xff\xff\xff"); sign(b) }), "5 bytes of an image of 18446744073709551615"},
		{"hash", change(func(b []byte) { b[60]++; sign(b) }), "image has the hash"},
		{"image", change(func(b []byte) { b[100]++ }), "image has the hash"},
	} {
		if found, err := imagecache.Read(c.file, sampleKey); found.Image != nil || found.Text || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q, %v; want an error that says %q", c.name, found.Image, err, c.says)
		}
	}
}

//ci:inputs 125000
func FuzzRead(f *testing.F) {
	whole := imagecache.File(sampleKey, []byte("CUBIN"))
	f.Add(whole, sampleKey[:])
	f.Add(imagecache.TextFile(sampleKey), sampleKey[:])
	f.Add(whole[:96], sampleKey[:])
	f.Add(append(bytes.Clone(whole), 0), sampleKey[:])
	f.Add(imagecache.File([32]byte{}, nil), make([]byte, 32))
	f.Add([]byte("VYRECUB\x01"), []byte{})
	f.Fuzz(func(t *testing.T, file, name []byte) {
		var key [32]byte
		copy(key[:], name)
		found, err := imagecache.Read(file, key)
		if err != nil {
			return
		}
		again := imagecache.File(key, found.Image)
		if found.Text {
			again = imagecache.TextFile(key)
		}
		if !bytes.Equal(again, file) {
			t.Errorf("a file was taken that nobody writes:\n%x, want\n%x", file, again)
		}
	})
}
