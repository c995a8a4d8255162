// Command plots draws what was measured as SVG, from the CSV files beside its folder:
//
//	searches-h200.csv    questions about graphs    ▶ docs/graph-times.svg
//	topologies-h200.csv  a search in all topologies ▶ docs/level-times.svg
//	prim-h200.csv        primitives beside CUB     ▶ docs/prim-throughput.svg
//	egraph-h200.csv      e-graphs                  ▶ docs/egraph-times.svg
package main

//go:generate go run .

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/atomicfile"
)

func main() {
	err := plot("../searches-h200.csv", "../../graph-times.svg", bars)
	if err == nil {
		err = plot("../topologies-h200.csv", "../../level-times.svg", lines)
	}
	if err == nil {
		err = plot("../prim-h200.csv", "../../prim-throughput.svg", panels)
	}
	if err == nil {
		err = plot("../egraph-h200.csv", "../../egraph-times.svg", egraphs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func plot(from, to string, draw func([]row) *picture) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		return err
	}
	var rows []row
	for _, fields := range all[1:] {
		named := row{}
		for i, name := range all[0] {
			named[name] = fields[i]
		}
		rows = append(rows, named)
	}
	return atomicfile.WriteBytes(context.Background(), to, []byte(draw(rows).svg()))
}

// row is a line of a file, by the names of its columns.
type row map[string]string

func (r row) number(name string) float64 {
	v, err := strconv.ParseFloat(r[name], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// colours are those of the ways in which something is found, in the order of legends.
var colours = []struct{ way, colour string }{
	{"labels", "#7b3294"}, {"drained", "#1b7837"}, {"cooperative", "#2166ac"}, {"cooperative both ways", "#2166ac"}, {"device loop", "#92c5de"}, {"captured graph", "#67a9cf"},
	{"back-to-back", "#a6bddb"}, {"host loop", "#d6604d"}, {"by hand", "#e08214"}, {"graph/cpu", "#737373"},
}

// picture is SVG in the making.
type picture struct {
	width, height float64
	body          strings.Builder
	strokes       []*stroke // which are under the body
}

// stroke is all lines of one form, as the data of a path.
type stroke struct {
	form string
	data strings.Builder
	x, y float64 // its end
}

func (p *picture) text(x, y float64, anchor, words string) {
	words = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(words)
	fmt.Fprintf(&p.body, `<text x="%g" y="%g" text-anchor="%s">%s</text>`+"\n", tenths(x), tenths(y), anchor, words)
}

func (p *picture) box(x, y, w, h float64, colour string) {
	fmt.Fprintf(&p.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, h, colour)
}

func (p *picture) line(x1, y1, x2, y2 float64, colour string, width float64) {
	form := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%g"`, colour, width)
	i := slices.IndexFunc(p.strokes, func(s *stroke) bool { return s.form == form })
	if i < 0 {
		i = len(p.strokes)
		p.strokes = append(p.strokes, &stroke{form: form})
	}
	s := p.strokes[i]
	if s.data.Len() == 0 || s.x != x1 || s.y != y1 {
		fmt.Fprintf(&s.data, "M%g %g", tenths(x1), tenths(y1))
	}
	fmt.Fprintf(&s.data, "l%g %g\n", tenths(x2-x1), tenths(y2-y1))
	s.x, s.y = x2, y2
}

// tenths rounds a number.
func tenths(x float64) float64 { return math.Round(x*10) / 10 }

func (p *picture) dot(x, y float64, colour string) {
	fmt.Fprintf(&p.body, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`+"\n", x, y, colour)
}

func (p *picture) svg() string {
	paths := ""
	for _, s := range p.strokes {
		paths += fmt.Sprintf("<path %s d=\"%s\"/>\n", s.form, s.data.String())
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", p.width, p.height) +
		fmt.Sprintf(`<rect width="%.0f" height="%.0f" fill="#fff"/>`+"\n", p.width, p.height) + paths + p.body.String() + "</svg>\n"
}

// scale places numbers from low to high on a logarithmic axis.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*math.Log(v/s.low)/math.Log(s.high/s.low)
}

// tens are the powers of ten on the axis.
func (s scale) tens(each func(v float64)) {
	for v := math.Pow(10, math.Ceil(math.Log10(s.low)-1e-9)); v <= s.high*1.001; v *= 10 {
		each(v)
	}
}

// short writes a number with few digits.
func short(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
