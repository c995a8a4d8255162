package imagecache

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"lukechampine.com/blake3"
)

const (
	version    = 1
	headerSize = 96
	checked    = 88 // bytes that the checksum covers

	// textOnly marks a file without an image: the text is as good, or better.
	textOnly = 1

	// maxImage bounds what is read before anything about it is known. The largest images that
	// libraries ship are some ten times smaller.
	maxImage = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the file of an image.
func (k Kind) encode(key [32]byte, flags uint32, image []byte) []byte {
	hash := blake3.Sum256(image)
	b := make([]byte, 0, headerSize+len(image))
	b = append(b, k.magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, flags)
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(image)))
	b = append(b, hash[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, 0)
	return append(b, image...)
}

// decode returns what a file says, whose memory an image shares. The header is checked before
// anything in it is believed, and the image last, since that costs most.
func (k Kind) decode(file []byte, key [32]byte) (Found, error) {
	if len(file) < headerSize {
		return Found{}, fmt.Errorf("%d bytes, a header has %d", len(file), headerSize)
	}
	head, image := file[:headerSize], file[headerSize:]
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	if !bytes.Equal(head[:8], []byte(k.magic)) {
		return Found{}, fmt.Errorf("begins with %q", head[:8])
	}
	if v, flags := word(8), word(12); v != version || flags&^textOnly != 0 || flags == textOnly && (len(image) > 0 || k != Images) {
		return Found{}, fmt.Errorf("version %d with flags %#x and an image of %d bytes, want version %d", v, flags, len(image), version)
	}
	if sum := crc32.Checksum(head[:checked], castagnoli); sum != word(checked) || word(92) != 0 {
		return Found{}, fmt.Errorf("header has checksum %#x and says %#x", sum, word(checked))
	}
	if !bytes.Equal(head[16:48], key[:]) {
		return Found{}, fmt.Errorf("holds the image of key %x", head[16:48])
	}
	if n := binary.LittleEndian.Uint64(head[48:]); n != uint64(len(image)) {
		return Found{}, fmt.Errorf("%d bytes of an image of %d", len(image), n)
	}
	if hash := blake3.Sum256(image); !bytes.Equal(hash[:], head[56:88]) {
		return Found{}, fmt.Errorf("image has the hash %x, want %x", hash, head[56:88])
	}
	if word(12) == textOnly {
		return Found{Text: true}, nil
	}
	return Found{Image: image}, nil
}
