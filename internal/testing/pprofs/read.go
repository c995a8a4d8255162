// Package pprofs reads profiles that package pprof writes, for tests.
package pprofs

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/govyre/vyre/internal/pprof"
)

var errBroken = errors.New("pprofs: not a profile")

// Read reads a profile. Of lines of a location it takes the first.
func Read(r io.Reader) (*pprof.Profile, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	d := decoder{texts: nil, frames: map[uint64]pprof.Frame{}, functions: map[uint64][2]uint64{}}
	return d.profile(b)
}

// decoder has the tables of a profile. Texts come last, so everything is read twice.
type decoder struct {
	texts     []string
	frames    map[uint64]pprof.Frame
	functions map[uint64][2]uint64 // name and file
}

func (d *decoder) text(n uint64) (string, error) {
	if n >= uint64(len(d.texts)) {
		return "", errBroken
	}
	return d.texts[n], nil
}

// fields calls f with each field of a message: a number, or bytes.
func fields(b []byte, f func(field, number uint64, bytes []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errBroken
		}
		b = b[n:]
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return errBroken
		}
		b = b[n:]
		var body []byte
		switch key & 7 {
		case 0:
		case 2:
			if v > uint64(len(b)) {
				return errBroken
			}
			body, b, v = b[:v], b[v:], 0
		default:
			return errBroken
		}
		if err := f(key>>3, v, body); err != nil {
			return err
		}
	}
	return nil
}

func numbers(b []byte) (all []uint64, err error) {
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errBroken
		}
		all, b = append(all, v), b[n:]
	}
	return all, nil
}

func (d *decoder) profile(b []byte) (*pprof.Profile, error) {
	p := &pprof.Profile{}
	for _, pass := range []func(field, number uint64, body []byte) error{d.strings, d.table, d.locations, func(field, number uint64, body []byte) error { return d.rest(p, field, number, body) }} {
		if err := fields(b, pass); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (d *decoder) strings(field, _ uint64, body []byte) error {
	if field == 6 {
		d.texts = append(d.texts, string(body))
	}
	return nil
}

func (d *decoder) table(field, _ uint64, body []byte) error {
	if field != 5 {
		return nil
	}
	m, err := message(body)
	d.functions[m[1]] = [2]uint64{m[2], m[4]}
	return err
}

// message returns the numbers of a message by field.
func message(b []byte) (m [16]uint64, err error) {
	err = fields(b, func(field, number uint64, _ []byte) error {
		if field < uint64(len(m)) {
			m[field] = number
		}
		return nil
	})
	return m, err
}

func (d *decoder) locations(field, _ uint64, body []byte) error {
	if field != 4 {
		return nil
	}
	var id uint64
	var line [16]uint64
	err := fields(body, func(field, number uint64, body []byte) (err error) {
		switch field {
		case 1:
			id = number
		case 4:
			line, err = message(body)
		}
		return err
	})
	if err != nil {
		return err
	}
	f, ok := d.functions[line[1]]
	if !ok {
		return errBroken
	}
	frame := pprof.Frame{Line: int64(line[2])}
	if frame.Name, err = d.text(f[0]); err == nil {
		frame.File, err = d.text(f[1])
	}
	d.frames[id] = frame
	return err
}

func (d *decoder) rest(p *pprof.Profile, field, number uint64, body []byte) (err error) {
	switch field {
	case 1:
		var m [16]uint64
		var t pprof.Type
		if m, err = message(body); err == nil {
			if t.Name, err = d.text(m[1]); err == nil {
				t.Unit, err = d.text(m[2])
			}
		}
		p.Types = append(p.Types, t)
	case 3:
		var m [16]uint64
		if m, err = message(body); err == nil {
			p.Subject, err = d.text(m[5])
		}
	case 2:
		var s pprof.Sample
		s, err = d.sample(body)
		p.Samples = append(p.Samples, s)
	case 9:
		p.Begin = time.Unix(0, int64(number))
	case 10:
		p.Duration = time.Duration(number)
	case 13:
		var c string
		c, err = d.text(number)
		p.Comments = append(p.Comments, c)
	case 14:
		p.Default, err = d.text(number)
	}
	return err
}

func (d *decoder) sample(b []byte) (s pprof.Sample, err error) {
	err = fields(b, func(field, _ uint64, body []byte) error {
		switch field {
		case 1, 2:
			all, err := numbers(body)
			if err != nil {
				return err
			}
			for _, n := range all {
				if field == 2 {
					s.Values = append(s.Values, int64(n))
				} else if f, ok := d.frames[n]; ok {
					s.Stack = append(s.Stack, f)
				} else {
					return errBroken
				}
			}
		case 3:
			m, err := message(body)
			if err != nil {
				return err
			}
			l := pprof.Label{Number: int64(m[3])}
			if l.Key, err = d.text(m[1]); err == nil {
				l.Text, err = d.text(m[2])
			}
			s.Labels = append(s.Labels, l)
			return err
		}
		return nil
	})
	return s, err
}
