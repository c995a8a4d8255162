package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// maxElements bounds what zeros:N and its kin may ask for: 2³⁴ bytes of the widest type.
const maxElements = 1 << 31

// parseScalar reads one number of type t, in Go's notation, as raw bits of that type. Bool
// takes true and false, floats take nan and inf, and 0x… on a float means its bits.
func parseScalar(t ir.Type, s string) (uint64, error) {
	bad := func() error { return fmt.Errorf("%q is no %s", s, t) }
	switch t {
	case ir.Bool:
		v, err := strconv.ParseBool(s)
		if err != nil {
			return 0, bad()
		}
		if v {
			return 1, nil
		}
		return 0, nil
	case ir.F32, ir.F64, ir.F16, ir.BF16:
		if hex, ok := strings.CutPrefix(s, "0x"); ok && !strings.ContainsAny(s, "pP.") {
			v, err := strconv.ParseUint(hex, 16, int(t.Bits()))
			if err != nil {
				return 0, bad()
			}
			return v, nil
		}
		if t == ir.F64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return 0, bad()
			}
			return math.Float64bits(v), nil
		}
		v, err := strconv.ParseFloat(s, 32)
		if err != nil {
			return 0, bad()
		}
		bits := uint64(math.Float32bits(float32(v)))
		if t != ir.F32 {
			bits = exact.Eval(ir.OpCvt, ir.F32, t, 0, bits, 0, 0)
		}
		return bits, nil
	}
	w := int(t.Bits())
	if t.IsSigned() {
		v, err := strconv.ParseInt(s, 0, w)
		if err != nil {
			return 0, fmt.Errorf("%w, whose range is %d to %d", bad(), -1<<(w-1), uint64(1)<<(w-1)-1)
		}
		return uint64(v) & t.Mask(), nil
	}
	v, err := strconv.ParseUint(s, 0, w)
	if err != nil {
		return 0, fmt.Errorf("%w, whose range is 0 to %d", bad(), t.Mask())
	}
	return v, nil
}

// formatElement prints one element the way parseScalar reads it.
func formatElement(t ir.Type, bits uint64) string {
	switch {
	case t == ir.Bool:
		return strconv.FormatBool(bits != 0)
	case t == ir.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case t == ir.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t.IsHalf():
		v := exact.Eval(ir.OpCvt, t, ir.F32, 0, bits, 0, 0)
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case t.IsSigned():
		shift := 64 - t.Bits()
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

// picture is the size of an image that a buffer came from.
type picture struct{ w, h int }

// parseBuffer makes the contents of a buffer of element type t from what follows --arg name=:
//
//	zeros:N            N zeros
//	iota:N             0, 1, 2, … N−1
//	rand:N[:SEED]      N random numbers: floats in [0, 1), integers over their range
//	1,2,3              these numbers
//	FILE.png           the pixels, four bytes each (u8) or one word each (u32), red first
//	FILE.txt           numbers between blanks
//	FILE               its bytes; as -, -.png or -.txt, those of standard input
func (term *terminal) parseBuffer(t ir.Type, s string) ([]byte, *picture, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "zeros", "iota", "rand":
		b, err := generated(t, kind, rest)
		return b, nil, asUsage(err)
	}
	if isList(s) {
		b, err := numberList(t, strings.Split(s, ","))
		return b, nil, asUsage(err)
	}
	file, err := term.read(s, maxData)
	if err != nil {
		return nil, nil, err
	}
	switch strings.ToLower(filepath.Ext(s)) {
	case ".png":
		return readPicture(t, s, file)
	case ".txt":
		b, err := numberList(t, strings.Fields(string(file)))
		if err != nil {
			err = fmt.Errorf("%s: %w", s, err)
		}
		return b, nil, err
	}
	if len(file)%t.Size() != 0 {
		return nil, nil, fmt.Errorf("%s has %d bytes, which is no multiple of the %d bytes of a %s", s, len(file), t.Size(), t)
	}
	return file, nil, nil
}

// isList reports whether s is a number or a comma-separated list, and no file.
func isList(s string) bool {
	if s == "" {
		return false
	}
	if _, err := os.Stat(s); err == nil {
		return false
	}
	first, _, list := strings.Cut(s, ",")
	if list {
		return true
	}
	_, err := parseScalar(ir.F64, first)
	return err == nil || first == "true" || first == "false"
}

func numberList(t ir.Type, words []string) ([]byte, error) {
	b := make([]byte, 0, len(words)*t.Size())
	for i, w := range words {
		v, err := parseScalar(t, strings.TrimSpace(w))
		if err != nil {
			return nil, fmt.Errorf("number %d: %w", i, err)
		}
		b = t.AppendElem(b, v)
	}
	return b, nil
}

// generated makes zeros, iota and rand.
func generated(t ir.Type, kind, rest string) ([]byte, error) {
	count, seedText, seeded := strings.Cut(rest, ":")
	n, err := strconv.ParseUint(count, 0, 64)
	if err != nil || n > maxElements || seeded && kind != "rand" {
		form := kind + ":N"
		if kind == "rand" {
			form += "[:SEED]"
		}
		return nil, fmt.Errorf("%s:%s: want %s with N up to %d", kind, rest, form, maxElements)
	}
	if kind == "zeros" {
		return make([]byte, int(n)*t.Size()), nil
	}
	var seed uint64
	if seeded {
		if seed, err = strconv.ParseUint(seedText, 0, 64); err != nil {
			return nil, fmt.Errorf("rand:%s: %q is no seed", rest, seedText)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, 0, int(n)*t.Size())
	for i := range n {
		var v uint64
		switch {
		case kind == "iota":
			v = iotaBits(t, i)
		case t == ir.F64:
			v = math.Float64bits(rng.Float64())
		case t == ir.F32:
			v = uint64(math.Float32bits(rng.Float32()))
		case t.IsHalf():
			// Eight random bits are exact in both formats.
			v = exact.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(rng.IntN(256))/256)), 0, 0)
		default:
			v = rng.Uint64() & t.Mask()
		}
		b = t.AppendElem(b, v)
	}
	return b, nil
}

// iotaBits is i as a value of type t; integers wrap.
func iotaBits(t ir.Type, i uint64) uint64 {
	switch {
	case t == ir.Bool:
		return i & 1
	case t == ir.F64:
		return math.Float64bits(float64(i))
	case t == ir.F32:
		return uint64(math.Float32bits(float32(i)))
	case t.IsHalf():
		return exact.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(i))), 0, 0)
	}
	return i & t.Mask()
}
