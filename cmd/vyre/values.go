package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
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
		width := 32
		if t == ir.F64 {
			width = 64
		}
		v, err := strconv.ParseFloat(s, width)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return 0, fmt.Errorf("%w, which has no number so large; infinity is inf", bad())
		case err != nil:
			return 0, bad()
		case t == ir.F64:
			return math.Float64bits(v), nil
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
			return 0, notWhole(bad(), s, "%d to %d", -1<<(w-1), uint64(1)<<(w-1)-1)
		}
		return uint64(v) & t.Mask(), nil
	}
	v, err := strconv.ParseUint(s, 0, w)
	if err != nil {
		return 0, notWhole(bad(), s, "0 to %d", t.Mask())
	}
	return v, nil
}

// notWhole says whether s is beyond the range, or is not a whole number.
func notWhole(bad error, s, span string, ends ...any) error {
	if _, whole := new(big.Int).SetString(s, 0); whole {
		return fmt.Errorf("%w, whose range is %s", bad, fmt.Sprintf(span, ends...))
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil && v != math.Trunc(v) {
		return fmt.Errorf("%q has a fraction; want a whole number", s)
	}
	return fmt.Errorf("%w; want a whole number", bad)
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

// parseBuffer makes the contents of a buffer from what follows --arg name=. Of a record, numbers are its fields in order:
//
//	zeros:N            N zeros
//	iota:N             0, 1, 2, … N−1
//	rand:N[:SEED]      N random numbers: floats in [0, 1), integers over their range
//	1,2,3              these numbers
//	FILE.png           the pixels, four bytes each (u8) or one word each (u32), red first
//	FILE.txt           numbers between blanks
//	FILE               its bytes; as -, -.png or -.txt, those of standard input
func (term *terminal) parseBuffer(p *ir.Param, s string) ([]byte, *picture, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "zeros", "iota", "rand":
		b, err := generated(p, kind, rest)
		return b, nil, asUsage(err)
	}
	if isList(s) {
		b, err := numberList(p, strings.Split(s, ","))
		return b, nil, asUsage(err)
	}
	if s == "" {
		return nil, nil, usagef("there is no value; want zeros:N, iota:N, rand:N, numbers with commas, or a file")
	}
	file, err := term.read(s, maxData)
	if err != nil {
		return nil, nil, err
	}
	switch strings.ToLower(filepath.Ext(s)) {
	case ".png":
		if p.Record != nil {
			return nil, nil, fmt.Errorf("%s: a picture becomes a buffer of u8, u32 or f32, not of records", s)
		}
		return readPicture(p.Type, s, file)
	case ".txt":
		b, err := numberList(p, strings.Fields(string(file)))
		if err != nil {
			err = fmt.Errorf("%s: %w", s, err)
		}
		return b, nil, err
	}
	if len(file)%p.Bytes() != 0 {
		return nil, nil, fmt.Errorf("%s has %d bytes, which is not a multiple of the %d bytes of a %s", s, len(file), p.Bytes(), p.ElemName())
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

func numberList(p *ir.Param, words []string) ([]byte, error) {
	list := scalars(p)
	if len(words)%len(list) != 0 {
		return nil, fmt.Errorf("%d numbers, which is not a multiple of the %d of a record", len(words), len(list))
	}
	b, size := make([]byte, len(words)/len(list)*p.Bytes()), p.Bytes()
	for i, w := range words {
		s := list[i%len(list)]
		v, err := parseScalar(s.Type, strings.TrimSpace(w))
		if err != nil {
			return nil, fmt.Errorf("number %d: %w", i, err)
		}
		s.put(b[i/len(list)*size:], v)
	}
	return b, nil
}

// generated makes zeros, iota and rand, all fields of a record like elements of their own.
func generated(p *ir.Param, kind, rest string) ([]byte, error) {
	count, seedText, seeded := strings.Cut(rest, ":")
	n, err := strconv.ParseUint(count, 0, 64)
	most := maxData / uint64(max(8, p.Bytes()))
	if err != nil || n > most || seeded && kind != "rand" {
		form := kind + ":N"
		if kind == "rand" {
			form += "[:SEED]"
		}
		return nil, fmt.Errorf("%s:%s: want %s with N up to %d", kind, rest, form, most)
	}
	if kind == "zeros" {
		return make([]byte, int(n)*p.Bytes()), nil
	}
	var seed uint64
	if seeded {
		if seed, err = strconv.ParseUint(seedText, 0, 64); err != nil {
			return nil, fmt.Errorf("rand:%s: %q is no seed", rest, seedText)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	b, list := make([]byte, int(n)*p.Bytes()), scalars(p)
	for i := range n {
		for _, s := range list {
			v := iotaBits(s.Type, i)
			if kind == "rand" {
				v = randomBits(s.Type, rng)
			}
			s.put(b[int(i)*p.Bytes():], v)
		}
	}
	return b, nil
}

// randomBits draws a value of type t: a float in [0, 1), an integer of its range.
func randomBits(t ir.Type, rng *rand.Rand) uint64 {
	switch {
	case t == ir.F64:
		return math.Float64bits(rng.Float64())
	case t == ir.F32:
		return uint64(math.Float32bits(rng.Float32()))
	case t.IsHalf():
		// Eight random bits are exact in both formats.
		return exact.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(rng.IntN(256))/256)), 0, 0)
	}
	return rng.Uint64() & t.Mask()
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
