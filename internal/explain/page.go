package explain

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"

	"github.com/govyre/vyre/ir"
)

//go:embed page
var files embed.FS

var (
	page   = template.Must(template.New("page.html").Funcs(template.FuncMap{"visible": visible, "join": join}).ParseFS(files, "page/page.html"))
	style  = asset("page.css", "/*<![CDATA[*/\n", "/*]]>*/")
	script = asset("page.js", "//<![CDATA[\n", "//]]>")
)

// asset reads a file that goes into an element of the page, between marks that make its
// text character data for XML and a comment for the browser.
func asset(file, begin, end string) string {
	text, err := files.ReadFile("page/" + file)
	if err != nil {
		panic("BUG: explain: " + err.Error())
	}
	return begin + string(text) + end
}

// Write writes the page as one HTML file, which is well-formed XML too.
func (p *Page) Write(w io.Writer) error {
	digest := p.program.Digest()
	hash := sha256.Sum256([]byte(script))
	v := view{
		Name:    p.program.Name(),
		Summary: summary(p.program),
		Digest:  hex.EncodeToString(digest[:8]),
		Target:  p.target.String(),
		Style:   template.CSS(style),
		Script:  template.JS(script),
		Hash:    base64.StdEncoding.EncodeToString(hash[:]),
	}
	for _, s := range p.stages {
		if s.column != nil {
			v.Stages = append(v.Stages, stageView{Name: s.name, ID: s.column.id})
			continue
		}
		if k := len(v.Stages) - 1; k < 0 || v.Stages[k].Quiet == nil {
			v.Stages = append(v.Stages, stageView{})
		}
		last := &v.Stages[len(v.Stages)-1]
		last.Quiet = append(last.Quiet, s.name)
	}
	for _, c := range p.columns {
		v.Columns = append(v.Columns, c.view())
	}
	for id := range p.origins.pos {
		v.Origins = append(v.Origins, visible(p.origins.where(origin(id))))
	}
	return page.Execute(w, v)
}

// summary says what the kernel is in a few words.
func summary(p *ir.Program) string {
	g := p.Workgroup()
	text := fmt.Sprintf("workgroup %d", g[0])
	if g[1] > 1 || g[2] > 1 {
		text += fmt.Sprintf("×%d", g[1])
	}
	if g[2] > 1 {
		text += fmt.Sprintf("×%d", g[2])
	}
	text += ", " + p.Traits().Class.String()
	if p.Traits().Resident {
		text += ", cooperative"
	}
	if p.Traits().Deterministic {
		text += ", deterministic"
	}
	return text
}

// The views are what the template sees.
type (
	view struct {
		Name, Summary, Digest, Target string
		Style                         template.CSS
		Script                        template.JS
		Hash                          string // of the script, for the content security policy
		Stages                        []stageView
		Columns                       []columnView
		Origins                       []string // where each is in the source
	}
	stageView struct {
		Name, ID string
		Quiet    []string // passes without a change, instead
	}
	columnView struct {
		ID, Title, About string
		Width            int
		Facts            []factView
		Rules            []ruleView
		Parts            []partView
	}
	factView struct{ Label, Value, Meaning string }
	ruleView struct {
		Name  string
		Count int
	}
	partView struct {
		Title  string
		Folded bool
		Lines  []lineView
	}
	lineView struct {
		Class   string
		Number  int
		Weight  int
		Heat    int // 1 to 4: how close the weight is to the highest
		Note    string
		Origins []origin
		Tokens  []tokenView
	}
	tokenView struct {
		Class   class
		Text    string
		Origins []origin
	}
)

func (c *column) view() columnView {
	v := columnView{ID: c.id, Title: c.title, About: c.about, Width: min(max(c.width(), 34), 60)}
	for _, f := range c.facts {
		v.Facts = append(v.Facts, factView{f.label, f.value, f.meaning})
	}
	for _, r := range c.rules {
		v.Rules = append(v.Rules, ruleView{r.name, r.count})
	}
	heaviest := 1
	c.lines(func(l *line) { heaviest = max(heaviest, l.weight) })
	for _, p := range c.parts {
		pv := partView{Title: p.title, Folded: p.folded}
		for i := range p.lines {
			l := p.lines[i].view()
			l.Heat = 1 + 3*l.Weight/heaviest
			pv.Lines = append(pv.Lines, l)
		}
		v.Parts = append(v.Parts, pv)
	}
	return v
}

func (l *line) view() lineView {
	v := lineView{Class: "l", Number: l.number, Weight: l.weight, Note: l.note, Origins: l.origins}
	if l.came {
		v.Class += " came"
	}
	if l.goes {
		v.Class += " goes"
	}
	for _, t := range l.tokens {
		k := len(v.Tokens) - 1
		if k >= 0 && t.class == plain && t.origins == nil && v.Tokens[k].Class == plain && v.Tokens[k].Origins == nil {
			v.Tokens[k].Text += t.text
			continue
		}
		v.Tokens = append(v.Tokens, tokenView{t.class, t.text, t.origins})
	}
	return v
}

// visible replaces what would not show, or would change how the rest does: control characters, by
// their pictures, and marks of writing direction, by their numbers. No byte of it is then
// outside of what XML allows.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		default:
			fmt.Fprintf(&b, "⟨%04X⟩", r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return r != '\t' && (unicode.Is(unicode.C, r) || r == unicode.ReplacementChar || r == '\u2028' || r == '\u2029' || r == 0xFFFE || r == 0xFFFF)
}
