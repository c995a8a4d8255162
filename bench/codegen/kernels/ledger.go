package kernels

import "github.com/govyre/vyre/gpu"

// What may be wrong with a line.
const (
	ledgerGood uint8 = iota
	ledgerBadDate
	ledgerBadAmount
	ledgerBadCurrency
)

var (
	daysBefore = [12]uint16{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
	currencies = [4][3]uint8{{'E', 'U', 'R'}, {'U', 'S', 'D'}, {'J', 'P', 'Y'}, {'C', 'H', 'F'}}
)

// field reads a line.
type field struct {
	text []uint8
	at   int
}

// number reads digits, as many as there are up to most.
func (f *field) number(most int) (v int64, digits int) {
	for digits < most && f.at < len(f.text) {
		c := f.text[f.at] - '0'
		if c > 9 {
			break
		}
		v = v*10 + int64(c)
		digits++
		f.at++
	}
	return v, digits
}

// skip passes a letter, if that comes next.
func (f *field) skip(c uint8) bool {
	if f.at < len(f.text) && f.text[f.at] == c {
		f.at++
		return true
	}
	return false
}

// date reads YYYY-MM-DD as a number of days since 1970.
func (f *field) date() (days int32, ok bool) {
	year, n := f.number(4)
	if n != 4 || !f.skip('-') {
		return 0, false
	}
	month, n := f.number(2)
	if n != 2 || month < 1 || month > 12 || !f.skip('-') {
		return 0, false
	}
	day, n := f.number(2)
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	if n != 2 || day < 1 || day > 31 {
		return 0, false
	}
	past := year - 1
	all := past*365 + past/4 - past/100 + past/400 + int64(daysBefore[month-1]) + day - 1 - 719162
	if leap && month > 2 {
		all++
	}
	return int32(all), true
}

// cents reads an amount with two digits behind the point, or without.
func (f *field) cents() (v int64, ok bool) {
	negative := f.skip('-')
	v, n := f.number(15)
	if n == 0 {
		return 0, false
	}
	v *= 100
	if f.skip('.') {
		part, n := f.number(2)
		if n != 2 {
			return 0, false
		}
		v += part
	}
	if negative {
		v = -v
	}
	return v, true
}

// Ledger reads lines such as 2024-02-29,-12.50,EUR,coffee into columns; days count from 1970. Line i is
// text[starts[i]:starts[i+1]]. Columns of a line with a flaw are zero.
//
//vyre:kernel workgroup=128
func Ledger(t gpu.Thread, starts []uint32, text []uint8, days []int32, cents []int64, currency, flaws []uint8) {
	i := t.Global().X
	if i >= uint32(len(flaws)) {
		return
	}
	days[i], cents[i], currency[i], flaws[i] = ledgerLine(text[starts[i]:starts[i+1]])
}

func ledgerLine(text []uint8) (days int32, cents int64, currency, flaw uint8) {
	f := field{text: text}
	days, ok := f.date()
	if !ok || !f.skip(',') {
		return 0, 0, 0, ledgerBadDate
	}
	if cents, ok = f.cents(); !ok || !f.skip(',') {
		return 0, 0, 0, ledgerBadAmount
	}
next:
	for k, name := range currencies {
		for j, c := range name {
			if f.at+j >= len(text) || text[f.at+j] != c {
				continue next
			}
		}
		return days, cents, uint8(k), ledgerGood
	}
	return 0, 0, 0, ledgerBadCurrency
}
