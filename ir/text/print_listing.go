package text

import (
	"strconv"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/inner"
)

// Listing is the text of one program with what stands where in it, for tools that show
// programs beside each other.
type Listing struct {
	Text string     // as Print writes the kernel, without the head of the file
	Rows [][]ir.Row // of each line of Text, the rows that it shows a part of; nil for lines of none

	// Names holds the printed name of each row's value or label, without its sigil; "" for
	// rows that the text gives none. It is a number where the program has no name.
	Names []string
}

// List returns the program's text line by line.
func (o Printer) List(p *ir.Program) Listing {
	var marks []mark
	k := &printer{Printer: o, c: p.Code(inner.Key{}), depth: 1, names: nameCode(p.Code(inner.Key{})), marks: &marks}
	kernels := namer{taken: map[string]int{}}
	k.kernel(kernels.text(p.Code(inner.Key{}).Name))
	l := Listing{Text: string(k.b), Names: make([]string, p.Rows())}
	next := 0
	var rows []ir.Row
	for at := range k.b {
		for next < len(marks) && marks[next].at == at {
			rows = append(rows, marks[next].row)
			next++
		}
		if k.b[at] == '\n' {
			l.Rows = append(l.Rows, rows)
			rows = nil
		}
	}
	for r := range l.Names {
		if k.names.names(p.Code(inner.Key{}), ir.Row(r)) {
			if l.Names[r] = k.names.rows[r]; l.Names[r] == "" {
				l.Names[r] = strconv.Itoa(int(k.names.numbers[r]))
			}
		}
	}
	return l
}

// mark says that the text shows row at the offset at.
type mark struct {
	at  int
	row ir.Row
}

func (p *printer) mark(r ir.Row) {
	if p.marks != nil {
		*p.marks = append(*p.marks, mark{len(p.b), r})
	}
}
