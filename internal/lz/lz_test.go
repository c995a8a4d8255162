package lz

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// samples are inputs of each kind: without any byte, of one symbol, without repetition, with copies that overlap
// themselves, far apart, and of words.
func samples() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var column []byte
	for i := range uint32(3000) {
		column = binary.LittleEndian.AppendUint32(column, i/7)
	}
	skewed := make([]byte, 40000) // frequencies as of Fibonacci: the longest codes
	for i := range skewed {
		for n := r.Uint32(); n&1 == 1 && skewed[i] < 40; n >>= 1 {
			skewed[i]++
		}
	}
	return map[string][]byte{
		"empty": nil, "one": {7}, "three": {7, 7, 7}, "run": bytes.Repeat([]byte{0}, 100_000), "noise": noise, "skewed": skewed,
		"far": append(append(bytes.Clone(noise), make([]byte, 70_000)...), noise...), "words": column,
		"text": []byte(strings.Repeat("a kernel is a function; ", 90) + "!"),
	}
}

func TestUnpackIsTheInverseOfPack(t *testing.T) {
	for name, in := range samples() {
		packed := Pack(in)
		out, err := Unpack(packed, len(in))
		if err != nil || !bytes.Equal(out, in) {
			t.Errorf("%s: %d bytes come back as %d, %v", name, len(in), len(out), err)
		}
		if _, err := Unpack(packed, max(len(in)-1, 0)); err == nil && len(in) > 0 {
			t.Errorf("%s: more bytes than are allowed", name)
		}
		if !bytes.Equal(packed, Pack(in)) {
			t.Errorf("%s: packed twice, and otherwise", name)
		}
	}
}

func TestRepetitionIsPacked(t *testing.T) {
	all := samples()
	for name, most := range map[string]int{"run": 40, "far": 5400, "words": 2000, "text": 100, "noise": 5300} {
		if n := len(Pack(all[name])); n > most {
			t.Errorf("%s: %d bytes become %d, want at most %d", name, len(all[name]), n, most)
		}
	}
}

func TestDamageIsAnErrorOrOtherBytes(t *testing.T) {
	for name, in := range samples() {
		packed := Pack(in)
		for i := range min(len(packed), 200) {
			if out, err := Unpack(packed[:i], len(in)); err == nil && len(in) > 0 {
				t.Errorf("%s: cut after %d bytes, it is %d bytes", name, i, len(out))
			}
			for bit := range 8 {
				bad := bytes.Clone(packed)
				bad[i] ^= 1 << bit
				if out, err := Unpack(bad, len(in)); err == nil && len(out) > len(in) {
					t.Errorf("%s: %d bytes, and %d are allowed", name, len(out), len(in))
				}
			}
		}
		if _, err := Unpack(append(packed, 0), len(in)); err == nil {
			t.Errorf("%s: a byte more is taken", name)
		}
	}
}

func TestNumbersAreTheirSymbolsAndExtraBits(t *testing.T) {
	for shift := range 28 {
		for _, v := range []uint{1 << shift, 1<<shift + 1, 1<<shift - 1, 3<<shift>>1 | 1} {
			if v > maxNumber {
				continue
			}
			s, extra := symbolOf(v)
			base, again := numberOf(s)
			if s >= numbers || extra != again || base|v&(1<<extra-1) != v {
				t.Errorf("%d is symbol %d with %d bits, which is %d with %d", v, s, extra, base, again)
			}
		}
	}
}

//ci:inputs 75000
func FuzzUnpack(f *testing.F) {
	for _, in := range samples() {
		if packed := Pack(in); len(packed) < 1<<10 {
			f.Add(packed)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if out, err := Unpack(b, 1<<16); err == nil && len(out) > 1<<16 {
			t.Error("more than is allowed")
		}
	})
}
