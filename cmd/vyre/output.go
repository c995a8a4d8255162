package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// printing is one --print.
type printing struct {
	param int
	count int // −1 for all
}

func (j *job) prints(specs []string) ([]printing, error) {
	var list []printing
	for _, s := range specs {
		name, n, counted := strings.Cut(s, ":")
		i, err := j.find("--print", name)
		if err != nil {
			return nil, err
		}
		if !j.params[i].IsBuffer() {
			return nil, usagef("--print %s: %s is a scalar; only buffers come back", s, name)
		}
		p := printing{i, -1}
		if counted {
			if p.count, err = strconv.Atoi(n); err != nil || p.count < 0 {
				return nil, usagef("--print %s: %q is not a count", s, n)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// json is the same for --json.
func (p printing) json(j *job) printedJSON {
	par := j.params[p.param]
	data, size, list := j.data[p.param], par.Bytes(), scalars(&par)
	doc := printedJSON{par.Name, par.ElemName(), len(data) / size, []any{}}
	n := doc.Len
	if p.count >= 0 {
		n = min(n, p.count)
	}
	for i := range n {
		doc.Values = append(doc.Values, jsonOf(&par, words(list, data[i*size:])))
	}
	return doc
}

// print writes elements between blanks, on one line after the name.
func (p printing) print(w io.Writer, j *job) {
	par := j.params[p.param]
	data, size, list := j.data[p.param], par.Bytes(), scalars(&par)
	n := len(data) / size
	first := n
	if p.count >= 0 {
		first = min(n, p.count)
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	fmt.Fprintf(out, "%s:", par.Name)
	for i := range first {
		out.WriteByte(' ')
		out.WriteString(shown(&par, words(list, data[i*size:])))
	}
	if first < n {
		fmt.Fprintf(out, " … (%d in all)", n)
	}
	out.WriteByte('\n')
}

// output is one --out.
type output struct {
	*sink
	param int
	file  string
	size  *picture
}

// outputs opens every --out.
func (j *job) outputs(t *terminal, specs []string) (list []output, err error) {
	defer func() {
		if err != nil {
			closeAll(list)
		}
	}()
	for _, s := range specs {
		name, file, ok := strings.Cut(s, "=")
		if !ok || file == "" {
			return nil, usagef("--out %s: want NAME=FILE", s)
		}
		i, err := j.find("--out", name)
		if err != nil {
			return nil, err
		}
		if !j.params[i].IsBuffer() {
			return nil, usagef("--out %s: %s is a scalar; only buffers come back", s, name)
		}
		o := output{param: i}
		if o.file, o.size, err = pictureSize(file); err != nil {
			return nil, usagef("--out %w", err)
		}
		if isPicture(o.file) && o.size == nil {
			if o.size = j.picture; o.size == nil {
				return nil, usagef("--out %s: a picture needs its size: %s=%s:WIDTH", s, name, o.file)
			}
		}
		if p := j.params[i]; isPicture(o.file) {
			if p.Record != nil {
				return nil, usagef("--out %s: %s holds records, which make no picture", s, name)
			}
			if _, _, err := o.size.fit(p.Type, len(j.data[i])/p.Type.Size()); err != nil {
				return nil, usagef("--out %s: %w", s, err)
			}
		}
		if o.sink, err = t.create("--out", o.file); err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func closeAll(list []output) {
	for _, o := range list {
		o.close()
	}
}

func isPicture(file string) bool { return strings.ToLower(filepath.Ext(file)) == ".png" }

// save writes what the launch left in the buffer.
func (o output) save(j *job) error {
	p, data := j.params[o.param], j.data[o.param]
	switch {
	case isPicture(o.file):
		b, err := encodePicture(p.Type, data, *o.size)
		if err != nil {
			return err
		}
		return o.write(b)
	case strings.ToLower(filepath.Ext(o.file)) == ".txt":
		var b []byte
		for size, list := p.Bytes(), scalars(&p); len(data) > 0; data = data[size:] {
			b = append(append(b, strings.Join(words(list, data), " ")...), '\n')
		}
		return o.write(b)
	}
	return o.write(data)
}

// summary is what run shows if nothing was asked for.
func (j *job) summary(w io.Writer) {
	for _, o := range j.written(j.data) {
		fmt.Fprintf(w, "%s: %d %s, blake3 %s\n", o.Name, o.Len, o.Type, o.BLAKE3[:16])
	}
}
