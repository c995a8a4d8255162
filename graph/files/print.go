package files

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/printable"
)

// printer writes formats. Its writer keeps the first error.
type printer struct {
	w   *bufio.Writer
	buf []byte
}

// arcsOf calls each with the arcs in their order, until the writer fails: the context has ended, or the disk is full.
func (p *printer) arcsOf(g *graph.CSR, each func(u, v, mask, weight uint32)) {
	weights := g.Data().Weights
	at := 0
	for u := range g.Nodes() {
		if p.failed() {
			return
		}
		targets, masks := g.Row(uint32(u))
		for i, v := range targets {
			mask, weight := uint32(1), uint32(1)
			if masks != nil {
				mask = masks[i]
			}
			if weights != nil {
				weight = weights[at]
			}
			each(uint32(u), v, mask, weight)
			at++
		}
	}
}

// failed reports whether the writer has.
func (p *printer) failed() bool {
	_, err := p.w.Write(nil)
	return err != nil
}

// row writes numbers between blanks, and an end of line.
func (p *printer) row(numbers ...uint32) {
	p.buf = p.buf[:0]
	for i, n := range numbers {
		if i > 0 {
			p.buf = append(p.buf, ' ')
		}
		p.buf = strconv.AppendUint(p.buf, uint64(n), 10)
	}
	p.w.Write(append(p.buf, '\n'))
}

func (p *printer) edges(g *graph.CSR) {
	fmt.Fprintf(p.w, "# Nodes: %d Edges: %d\n", g.Nodes(), g.Arcs())
	masked := g.Masks() != nil
	p.arcsOf(g, func(u, v, mask, _ uint32) {
		if masked {
			p.row(u, v, mask)
		} else {
			p.row(u, v)
		}
	})
}

func (p *printer) weightedEdges(g *graph.CSR) {
	fmt.Fprintf(p.w, "# Nodes: %d Edges: %d\n", g.Nodes(), g.Arcs())
	p.arcsOf(g, func(u, v, _, weight uint32) { p.row(u, v, weight) })
}

func (p *printer) matrix(g *graph.CSR) {
	field, weighted := "pattern", g.Data().Weights != nil
	if weighted {
		field = "integer"
	}
	fmt.Fprintf(p.w, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", field, g.Nodes(), g.Nodes(), g.Arcs())
	p.arcsOf(g, func(u, v, _, weight uint32) {
		if weighted {
			p.row(u+1, v+1, weight)
		} else {
			p.row(u+1, v+1)
		}
	})
}

func (p *printer) dimacs(g *graph.CSR) {
	fmt.Fprintf(p.w, "p sp %d %d\n", g.Nodes(), g.Arcs())
	p.arcsOf(g, func(u, v, _, weight uint32) {
		p.w.WriteString("a ")
		p.row(u+1, v+1, weight)
	})
}

// gap writes GAP's rows: once for a symmetric graph, which it calls undirected, else both ways round.
func (p *printer) gap(ctx context.Context, g *graph.CSR, weighted bool) error {
	if g.Nodes() > mostGAP {
		return fmt.Errorf("%d nodes; this format has ids of 31 bits", g.Nodes())
	}
	ways := []*graph.CSR{g}
	directed := byte(0)
	if shape, err := g.Shape(ctx); err != nil {
		return err
	} else if !shape.Symmetric || weighted {
		back, err := g.Reverse(ctx)
		if err != nil {
			return err
		}
		ways, directed = append(ways, back), 1
	}
	p.w.WriteByte(directed)
	p.word64(uint64(g.Arcs()))
	p.word64(uint64(g.Nodes()))
	for _, way := range ways {
		for u := range g.Nodes() + 1 {
			if p.failed() {
				break
			}
			p.word64(uint64(way.First(uint32(u))))
		}
		var err error
		p.arcsOf(way, func(_, v, _, weight uint32) {
			p.word32(v)
			if !weighted {
				return
			}
			if weight > mostGAP {
				err = fmt.Errorf("weight %d; this format has weights of 31 bits", weight)
			}
			p.word32(weight)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) word32(v uint32) {
	p.buf = binary.LittleEndian.AppendUint32(p.buf[:0], v)
	p.w.Write(p.buf)
}

func (p *printer) word64(v uint64) {
	p.buf = binary.LittleEndian.AppendUint64(p.buf[:0], v)
	p.w.Write(p.buf)
}

// called is the name of a node, or its id; label is the same as text that is shown.
func called(g *graph.CSR, node uint32) string {
	if name := g.Name(node); name != "" {
		return name
	}
	return strconv.FormatUint(uint64(node), 10)
}

func label(g *graph.CSR, node uint32) string { return printable.Text(called(g, node)) }

func (p *printer) dot(g *graph.CSR) {
	p.w.WriteString("digraph {\n")
	for u := range g.Nodes() {
		if p.failed() {
			return
		}
		fmt.Fprintf(p.w, "\t%d [label=%s];\n", u, dotQuoted(label(g, uint32(u))))
	}
	masked := g.Masks() != nil
	p.arcsOf(g, func(u, v, mask, _ uint32) {
		if !masked {
			fmt.Fprintf(p.w, "\t%d -> %d;\n", u, v)
			return
		}
		fmt.Fprintf(p.w, "\t%d -> %d [label=%s];\n", u, v, dotQuoted(strings.Join(printable.All(g.KindNames(mask)), ", ")))
	})
	p.w.WriteString("}\n")
}

// dotQuoted is a text as DOT has it: backslashes would start an escape.
func dotQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (p *printer) json(ctx context.Context, g *graph.CSR) error {
	quoted := func(s string) []byte {
		b, err := json.Marshal(s)
		if err != nil {
			panic("BUG: a text is no JSON: " + err.Error())
		}
		return printable.JSON(b)
	}
	digest, err := g.Digest(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.w, `{"schema":"vyre.graph/1","digest":"%x","n":%d,"m":%d,"nodes":[`, digest, g.Nodes(), g.Arcs())
	for u := range g.Nodes() {
		if p.failed() {
			return nil // whoever flushes sees why
		}
		if u > 0 {
			p.w.WriteByte(',')
		}
		fmt.Fprintf(p.w, "\n"+`{"node":%d`, u)
		if name := g.Name(uint32(u)); name != "" {
			fmt.Fprintf(p.w, `,"name":%s`, quoted(name))
		}
		p.w.WriteByte('}')
	}
	p.w.WriteString(`],"arcs":[`)
	first, masked, weighted := true, g.Masks() != nil, g.Data().Weights != nil
	p.arcsOf(g, func(u, v, mask, weight uint32) {
		if !first {
			p.w.WriteByte(',')
		}
		first = false
		fmt.Fprintf(p.w, "\n"+`{"from":%d,"to":%d`, u, v)
		if masked {
			fmt.Fprintf(p.w, `,"kinds":%d`, mask)
		}
		if weighted {
			fmt.Fprintf(p.w, `,"weight":%d`, weight)
		}
		p.w.WriteByte('}')
	})
	p.w.WriteString("]}\n")
	return nil
}

func (p *printer) csv(g *graph.CSR) {
	named, masked, weighted := g.Data().Names.Len() > 0, g.Masks() != nil, g.Data().Weights != nil
	p.w.WriteString("from,to")
	for _, c := range []struct {
		there bool
		text  string
	}{{named, ",from_name,to_name"}, {masked, ",kinds"}, {weighted, ",weight"}} {
		if c.there {
			p.w.WriteString(c.text)
		}
	}
	p.w.WriteByte('\n')
	p.arcsOf(g, func(u, v, mask, weight uint32) {
		fmt.Fprintf(p.w, "%d,%d", u, v)
		if named {
			fmt.Fprintf(p.w, ",%s,%s", csvQuoted(printable.Text(g.Name(u))), csvQuoted(printable.Text(g.Name(v))))
		}
		if masked {
			fmt.Fprintf(p.w, ",%d", mask)
		}
		if weighted {
			fmt.Fprintf(p.w, ",%d", weight)
		}
		p.w.WriteByte('\n')
	})
}

// csvQuoted is a field of CSV.
func csvQuoted(s string) string {
	if strings.ContainsAny(s, ",\"\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
