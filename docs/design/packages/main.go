// Command packages draws the packages of a module as SVG: each above what it imports.
//
//	go run ./docs/design/packages [-o FILE] [DIR]
//
// DIR is a checkout, by default the one it runs in, and FILE is standard output. An edge that follows from others is left out; so
// are tests, what only serves the development, and examples. A box holds the path, and about how many lines its Go files have
// for linux/amd64 without tests; those of packages that other modules cannot import are drawn dashed.
//
// Lines are said with one digit that counts, so that the picture changes with what the module is made of, and not with
// most of its commits: generating has to leave a committed tree as it is.
package main

//go:generate go run . -o ../packages.svg ../../..

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
)

func main() {
	out := flag.String("o", "", "write to `FILE`, not to standard output")
	flag.Parse()
	if err := run(*out, cmp.Or(flag.Arg(0), ".")); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// run draws the packages of a checkout.
func run(out, dir string) error {
	list, err := packages(dir)
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	draw(&picture, layers(list))
	if out == "" {
		_, err = picture.WriteTo(os.Stdout)
		return err
	}
	return atomicfile.WriteBytes(context.Background(), out, picture.Bytes())
}

// pkg is a package of the module, or a bend of an edge that passes a layer.
type pkg struct {
	path    string // below the module's; the root is "vyre", a bend has none
	lines   int
	imports []*pkg // no edge follows from others
	users   []*pkg
	layer   int     // 0 is the lowest
	x       float64 // of the middle
}

func (p *pkg) width() float64 {
	if p.path == "" {
		return bendWidth
	}
	return boxWidth
}

func (p *pkg) internal() bool { return strings.Contains("/"+p.path+"/", "/internal/") }

var leftOut = regexp.MustCompile(`^(examples|bench|docs)(/|$)|^\.ci|^internal/front/internal/(cases|declare)|gen/internal|^internal/(long|shape)|irtest$`)

// packages lists what `go list` finds, with the reduced imports.
func packages(dir string) ([]*pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Module", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=") // whoever draws it draws the same
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	byPath, imports := map[string]*pkg{}, map[*pkg][]string{}
	var all []*pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l struct {
			ImportPath, Dir  string
			GoFiles, Imports []string
			Module           struct{ Path string }
		}
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		p := &pkg{path: strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, l.Module.Path), "/")}
		if p.path == "" {
			p.path = filepath.Base(l.Module.Path)
		}
		if leftOut.MatchString(p.path) {
			continue
		}
		for _, f := range l.GoFiles {
			text, err := os.ReadFile(filepath.Join(l.Dir, f))
			if err != nil {
				return nil, err
			}
			p.lines += bytes.Count(text, []byte("\n"))
		}
		byPath[l.ImportPath], imports[p] = p, l.Imports
		all = append(all, p)
	}
	for _, p := range all {
		for _, name := range imports[p] {
			if q := byPath[name]; q != nil {
				p.imports = append(p.imports, q)
			}
		}
	}
	reduce(all)
	return all, nil
}

// rounded is a number with its first digit, and 0 behind it.
func rounded(n int) int {
	unit := 1
	for n/unit >= 10 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// reduce leaves out the imports that follow from others.
func reduce(all []*pkg) {
	below := map[*pkg]map[*pkg]bool{} // what a package reaches
	var reach func(p *pkg) map[*pkg]bool
	reach = func(p *pkg) map[*pkg]bool {
		if below[p] == nil {
			below[p] = map[*pkg]bool{}
			for _, q := range p.imports {
				below[p][q] = true
				for r := range reach(q) {
					below[p][r] = true
				}
			}
		}
		return below[p]
	}
	kept := map[*pkg][]*pkg{}
	for _, p := range all {
		reach(p)
		for _, q := range p.imports {
			if !slices.ContainsFunc(p.imports, func(r *pkg) bool { return reach(r)[q] }) {
				kept[p] = append(kept[p], q)
			}
		}
	}
	for _, p := range all {
		p.imports = kept[p]
		for _, q := range p.imports {
			q.users = append(q.users, p)
		}
	}
}

const (
	boxWidth, boxHeight = 112.0, 44.0
	bendWidth           = 4.0
	gapX, gapY          = 18.0, 40.0
	margin              = 20.0
)

// layers puts each package just below the lowest that imports it, bends the edges that pass layers, and orders
// each layer by its neighbours in the others.
func layers(all []*pkg) [][]*pkg {
	depth := map[*pkg]int{}
	var below func(p *pkg) int
	below = func(p *pkg) int { // how many layers are below the highest
		if _, ok := depth[p]; !ok {
			d := 0
			for _, q := range p.users {
				d = max(d, below(q)+1)
			}
			depth[p] = d
		}
		return depth[p]
	}
	last := 0
	for _, p := range all {
		last = max(last, below(p))
	}
	rows := make([][]*pkg, last+1)
	slices.SortFunc(all, func(a, b *pkg) int { return cmp.Compare(a.path, b.path) })
	for _, p := range all {
		p.layer = last - depth[p]
		rows[p.layer] = append(rows[p.layer], p)
	}
	for _, p := range all {
		for i, q := range p.imports {
			for from := p; from.layer > q.layer+1; {
				bend := &pkg{layer: from.layer - 1, imports: []*pkg{q}, users: []*pkg{from}}
				rows[bend.layer] = append(rows[bend.layer], bend)
				if from == p {
					p.imports[i] = bend
				} else {
					from.imports[0] = bend
				}
				q.users[slices.Index(q.users, from)] = bend
				from = bend
			}
		}
	}
	for _, row := range rows {
		place(row)
	}
	for i := range 60 {
		for k := range rows {
			if i%2 == 0 {
				k = last - k // downward, by those that import, then upward, by those that are imported
			}
			sortByNeighbours(rows[k], i%2 == 0)
			place(rows[k])
		}
	}
	return rows
}

// place gives the packages of a layer their places, in their order, around 0.
func place(row []*pkg) {
	x := 0.0
	for _, p := range row {
		p.x = x + p.width()/2
		x += p.width() + gapX
	}
	for _, p := range row {
		p.x -= (x - gapX) / 2
	}
}

// sortByNeighbours orders a layer by the mean place of what each package is joined to, above or below.
func sortByNeighbours(row []*pkg, above bool) {
	want := map[*pkg]float64{}
	for _, p := range row {
		joined := p.imports
		if above {
			joined = p.users
		}
		if want[p] = p.x; len(joined) > 0 {
			sum := 0.0
			for _, q := range joined {
				sum += q.x
			}
			want[p] = sum / float64(len(joined))
		}
	}
	slices.SortStableFunc(row, func(a, b *pkg) int { return cmp.Compare(want[a], want[b]) })
}

// draw writes the picture, the highest layer first.
func draw(w io.Writer, rows [][]*pkg) {
	half := 0.0
	for _, row := range rows {
		last := row[len(row)-1]
		half = max(half, last.x+last.width()/2)
	}
	height := float64(len(rows))*(boxHeight+gapY) - gapY + 2*margin
	top := func(p *pkg) float64 { return margin + float64(len(rows)-1-p.layer)*(boxHeight+gapY) }
	middle := margin + half
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">
<defs>
<rect id="i" x="%.0f" width="%.0f" height="%.0f" rx="4" fill="#f6f6f3" stroke="#8c8c80" stroke-dasharray="4 3"/>
<rect id="p" x="%.0f" width="%.0f" height="%.0f" rx="4" fill="#e3edfb" stroke="#2f62a8"/>
</defs>
<rect width="100%%" height="100%%" fill="#fff"/>
<path fill="none" stroke="#7d8799" stroke-width="1.1" d="M0 0
`, 2*middle, height, -boxWidth/2., boxWidth, boxHeight, -boxWidth/2., boxWidth, boxHeight)
	var penX, penY float64
	line := func(x0, y0, x1, y1 float64, curve string) { // relative to the end of the one before, which makes the file small
		fmt.Fprintf(w, "m%.0f %.0f%s%.0f %.0f\n", x0-penX, y0-penY, curve, x1-x0, y1-y0)
		penX, penY = x1, y1
	}
	for _, row := range rows {
		for _, p := range row {
			x, y := math.Round(middle+p.x), top(p)
			if p.path == "" {
				line(x, y, x, y+boxHeight, "l")
			}
			for _, q := range p.imports {
				to := math.Round(middle + q.x)
				line(x, y+boxHeight, to, top(q), fmt.Sprintf("c0 %.0f %.0f %.0f ", gapY*0.6, to-x, gapY*0.4))
			}
		}
	}
	fmt.Fprintln(w, `"/>`)
	for _, p := range slices.Concat(rows...) {
		if p.path == "" {
			continue
		}
		style := "p"
		if p.internal() {
			style = "i"
		}
		fmt.Fprintf(w, `<g transform="translate(%.0f %.0f)"><use href="#%s"/>`+"\n", middle+p.x, top(p), style)
		text := func(y, size int, colour, text string) {
			fmt.Fprintf(w, `<text y="%d" font-size="%d" fill="%s">%s</text>`+"\n", y, size, colour, text)
		}
		if dir := path.Dir(p.path); dir != "." {
			text(12, min(9, 200/len(dir)), "#5a6170", dir+"/")
		}
		text(26, 14, "#1b1f27", path.Base(p.path))
		text(39, 9, "#5a6170", fmt.Sprint("about ", rounded(p.lines), " lines"))
		fmt.Fprintln(w, "</g>")
	}
	fmt.Fprintln(w, "</svg>")
}
