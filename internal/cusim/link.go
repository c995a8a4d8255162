package cusim

import (
	"bytes"
	"encoding/binary"
	"strings"

	"lukechampine.com/blake3"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// link is a link under way.
type link struct {
	dev    *device
	jit    *cu.JIT
	target int
	text   []byte // what was added
	image  []byte
}

// An image is a head and the text without its comments, lines kept. The head is
//
//	0 magic · 8 u32 target · 12 zero · 16 BLAKE3-256 of target and text · 48 u64 length of the text
//
// A head that does not fit its text is no image. One that does is read as any text is.
const (
	imageMagic = "VYRESIM\x01"
	imageHead  = 56
)

// LinkCreate begins a link for the device, or for the target that the options name.
func (d *Driver) LinkCreate(jit *cu.JIT) (cu.LinkState, error) {
	const call = "cuLinkCreate_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err == nil {
		err = d.leave(call)
	}
	if err != nil {
		return 0, err
	}
	l := &link{dev: v, jit: jit, target: jit.Target}
	if l.target == 0 {
		l.target = 10*v.model.Major + v.model.Minor
	}
	h := cu.LinkState(d.handle())
	d.links[h] = l
	return h, nil
}

// link is bound for a call about a link.
func (d *Driver) link(call string, h cu.LinkState) (*link, error) {
	v, err := d.bound(call)
	if err != nil {
		return nil, err
	}
	l := d.links[h]
	if l == nil || l.dev != v {
		return nil, failed(call, invalidHandle)
	}
	return l, nil
}

// LinkAddData reads a text that ends with a zero byte. A link has one.
func (d *Driver) LinkAddData(h cu.LinkState, image []byte, _ string) error {
	const call = "cuLinkAddData_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.link(call, h)
	if err != nil {
		return err
	}
	text, _, ended := bytes.Cut(image, []byte{0})
	if !ended || l.text != nil {
		return failed(call, invalidValue)
	}
	parsed, err := asm.Parse(string(text))
	if err != nil {
		l.jit.Errors = logOf(err.(asm.Errors))
		return failed(call, invalidPTX)
	}
	if r, why := l.dev.takes(parsed, l.target&^cu.TargetSpecific); r != cu.Success {
		l.jit.Errors = why
		return failed(call, r)
	}
	l.text = normalised(text)
	return d.leave(call)
}

// LinkComplete makes the image.
func (d *Driver) LinkComplete(h cu.LinkState) ([]byte, error) {
	const call = "cuLinkComplete"
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.link(call, h)
	if err != nil {
		return nil, err
	}
	if l.text == nil {
		return nil, failed(call, invalidValue)
	}
	if l.image == nil {
		l.image = imageOf(l.target, l.text)
	}
	return l.image, d.leave(call)
}

// LinkDestroy ends a link. What it made is overwritten, as a driver may.
func (d *Driver) LinkDestroy(h cu.LinkState) error {
	const call = "cuLinkDestroy"
	d.mu.Lock()
	defer d.mu.Unlock()
	l, err := d.link(call, h)
	if err != nil {
		return err
	}
	for i := range l.image {
		l.image[i] = 0xA5
	}
	delete(d.links, h)
	return d.leave(call)
}

func imageOf(target int, text []byte) []byte {
	b := make([]byte, imageHead, imageHead+len(text))
	copy(b, imageMagic)
	binary.LittleEndian.PutUint32(b[8:], uint32(target))
	binary.LittleEndian.PutUint64(b[48:], uint64(len(text)))
	b = append(b, text...)
	key := imageKey(b)
	copy(b[16:], key[:])
	return b
}

func imageKey(b []byte) [32]byte {
	h := blake3.New(32, nil)
	_, _ = h.Write(b[8:16]) // it never fails
	_, _ = h.Write(b[imageHead:])
	return [32]byte(h.Sum(nil))
}

// isImage reports whether b is meant to be an image and no text.
func isImage(b []byte) bool { return bytes.HasPrefix(b, []byte(imageMagic)) }

// opened returns what an image holds.
func opened(b []byte) (target int, text []byte, ok bool) {
	if len(b) < imageHead || binary.LittleEndian.Uint64(b[48:]) > uint64(len(b)-imageHead) {
		return 0, nil, false
	}
	b = b[:imageHead+binary.LittleEndian.Uint64(b[48:])]
	if key := imageKey(b); !bytes.Equal(key[:], b[16:48]) {
		return 0, nil, false
	}
	return int(binary.LittleEndian.Uint32(b[8:])), b[imageHead:], true
}

// runs reports whether an image for target runs on the device: one of the same major number and no higher
// minor one, and of none but its own if it is specific.
func (v *device) runs(target int) bool {
	specific := target&cu.TargetSpecific != 0
	target &^= cu.TargetSpecific
	return target/10 == v.model.Major && target%10 <= v.model.Minor && (!specific || target%10 == v.model.Minor)
}

// normalised is a text without comments and blanks at the ends of lines.
func normalised(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if !strings.Contains(l, `"`) { // a string may hold what looks like a comment
			l, _, _ = strings.Cut(l, "//")
		}
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return []byte(strings.Join(lines, "\n"))
}
