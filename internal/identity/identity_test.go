package identity_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/govyre/vyre/internal/identity"
)

func TestKeysAreTheOnesThatAreStored(t *testing.T) {
	a5, x5a := bytes.Repeat([]byte{0xA5}, 256), bytes.Repeat([]byte{0x5A}, 512)
	text, options := []byte(".version 7.8\n.target sm_90\n"), []byte("O4;regs=0;line=0")
	for _, c := range []struct {
		name string
		got  [32]byte
		want string
	}{
		{"no input", identity.Of(), "71e0a99173564931c0b8acc52d2685a8e39c64dc52e3d02390fdac2a12b155cb"},
		{"an empty input", identity.Of(nil), "74500697761748e7dc0302d36778f89c6ab324ef942773976b92a7bbefa18cd2"},
		{"two bytes and one", identity.Of([]byte{1, 2}, []byte{3}), "3023c5cc9836751be720e8517d82c674417d777e07ec09e6781951d8d4116180"},
		{"one byte and two", identity.Of([]byte{1}, []byte{2, 3}), "0265be8bc62a2095ef47a045b6a91e7a6f3f96d3efa37ed2a9d5cc9c9bf79afd"},
		{"a static set", identity.Key("vyre.static.v1", 0x1122334455667788, 0, a5, x5a), "bceaac9550be929a3b01dfe6dd571c7a50e87f40dda679f06dd5ed3674e2397f"},
		{"the same swapped", identity.Key("vyre.static.v1", 0x1122334455667788, 0, x5a, a5), "0a2a0bbe026704f4c5addcde6237518d17b8dbac11cdf5027b21284b500b51a3"},
		{"an image", identity.Key("vyre.cubin.v1", 13000, 90, text, options, nil), "094d686c5d98e36742e7bb9f3305debcaa6401b4c80ef6210845458104e1af1a"},
		{"an image for 90a", identity.Key("vyre.cubin.v1", 13000, 65626, text, options, nil), "b9d049d406dff5a9e0f6a657a255b5aac74ba25482b5f057d61f7c2eef57e083"},
	} {
		if got := hex.EncodeToString(c.got[:]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
