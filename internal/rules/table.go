package rules

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/govyre/vyre/internal/lz"
)

// packed is the files simplify.rules, idioms.rules and equalities.rules: a quarter of their bytes, which each program has.
//
//go:generate go run ./internal/pack table.lz simplify.rules idioms.rules equalities.rules
//go:embed table.lz
var packed []byte

// maxTable bounds the text of the table.
const maxTable = 1 << 20

// table is parsed once. A mistake in it is one of ours.
var table = sync.OnceValue(func() []*Rule {
	text, err := lz.Unpack(packed, maxTable)
	if err != nil {
		panic("BUG: rules: " + err.Error())
	}
	var list []*Rule
	for part, lines := range strings.Split(string(text), "\x00") {
		rs, _, err := parse(lines)
		if err != nil {
			panic("BUG: rules: " + err.Error())
		}
		for _, r := range rs {
			r.Idiom = part == 1
		}
		list = append(list, rs...)
	}
	return list
})

// Table returns the rules of the optimiser and of e-graphs, in the order in which they are tried. The rules are shared: do not change them.
func Table() []*Rule { return table() }
