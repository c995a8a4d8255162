package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
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
				return nil, usagef("--print %s: %q is no count", s, n)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// print writes elements between blanks, on one line after the name.
func (p printing) print(w io.Writer, j *job) {
	par := j.params[p.param]
	data, size := j.data[p.param], par.Type.Size()
	n := len(data) / size
	shown := n
	if p.count >= 0 {
		shown = min(n, p.count)
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	fmt.Fprintf(out, "%s:", par.Name)
	for i := range shown {
		out.WriteByte(' ')
		out.WriteString(formatElement(par.Type, element(data[i*size:], par.Type)))
	}
	if shown < n {
		fmt.Fprintf(out, " … (%d in all)", n)
	}
	out.WriteByte('\n')
}

// output is one --out.
type output struct {
	param int
	file  string
	size  *picture
}

func (j *job) outputs(specs []string) ([]output, error) {
	var list []output
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
		list = append(list, o)
	}
	return list, nil
}

func isPicture(file string) bool { return strings.ToLower(filepath.Ext(file)) == ".png" }

func (o output) write(j *job) error {
	p, data := j.params[o.param], j.data[o.param]
	switch {
	case isPicture(o.file):
		return writePicture(o.file, p.Type, data, *o.size)
	case strings.ToLower(filepath.Ext(o.file)) == ".txt":
		return writeText(o.file, func(w *bufio.Writer) {
			size := p.Type.Size()
			for i := 0; i < len(data); i += size {
				w.WriteString(formatElement(p.Type, element(data[i:], p.Type)))
				w.WriteByte('\n')
			}
		})
	}
	return os.WriteFile(o.file, data, 0o666)
}

func writeText(name string, fill func(*bufio.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fill(w)
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// summary is what run shows if nothing was asked for.
func (j *job) summary(w io.Writer) {
	for _, o := range j.written() {
		fmt.Fprintf(w, "%s: %d %s, blake3 %s\n", o.Name, o.Len, o.Type, o.BLAKE3[:16])
	}
}
