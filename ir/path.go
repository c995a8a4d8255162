package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Name returns the object's name: of a field of records with the buffer's in front, without the lengths of arrays.
func (o ObjectInfo) Name() string {
	switch {
	case o.Field != nil:
		name := o.fieldName()
		if o.Field.Count > 1 {
			name = numbered(name, func(int) string { return "" })
		}
		return o.Param.Name + joined(name)
	case o.Param != nil:
		return o.Param.Name
	}
	return o.Array.Name
}

// Path names element i of the object as the source does: x[3], and of an array inside records ps[3].pos[1].
func (o ObjectInfo) Path(i int64) string {
	if n := int64(o.Count()); n > 1 && i >= 0 {
		return o.PathInside(i/n, i%n)
	}
	return o.PathInside(i, 0)
}

// PathInside names element inner of a field in record i. Either may be out of bounds.
func (o ObjectInfo) PathInside(i, inner int64) string {
	if o.Field == nil {
		return fmt.Sprintf("%s[%d]", o.Name(), i)
	}
	name := o.fieldName()
	if o.Field.Count > 1 {
		var lengths []int64
		numbered(name, func(n int) string { lengths = append(lengths, int64(n)); return "" })
		if len(lengths) == 0 { // nobody knows the source
			name, lengths = name+"[0]", []int64{int64(o.Field.Count)}
		}
		index := make([]int64, len(lengths))
		rest := inner
		for k := len(lengths) - 1; k > 0; k-- {
			if inner >= 0 && inner < int64(o.Field.Count) {
				index[k] = rest % lengths[k]
				rest /= lengths[k]
			}
		}
		index[0] = rest
		k := -1
		name = numbered(name, func(int) string { k++; return fmt.Sprintf("[%d]", index[k]) })
	}
	return fmt.Sprintf("%s[%d]%s", o.Param.Name, i, joined(name))
}

// fieldName returns the name of a field, or its number.
func (o ObjectInfo) fieldName() string {
	if o.Field.Name != "" {
		return o.Field.Name
	}
	for i := range o.Param.Record.Fields {
		if o.Field == &o.Param.Record.Fields[i] {
			return strconv.Itoa(i)
		}
	}
	return "?"
}

// joined is a path as it continues another.
func joined(path string) string {
	if strings.HasPrefix(path, "[") {
		return path
	}
	return "." + path
}

// numbered replaces the numbers in brackets of a path, brackets and all.
func numbered(path string, by func(n int) string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(path, '[')
		end := open + strings.IndexByte(path[max(open, 0):], ']')
		n, err := 0, error(nil)
		if open >= 0 && end > open {
			n, err = strconv.Atoi(path[open+1 : end])
		}
		if open < 0 || end <= open || err != nil {
			b.WriteString(path)
			return b.String()
		}
		b.WriteString(path[:open])
		b.WriteString(by(n))
		path = path[end+1:]
	}
}
