package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// finding is a sentence that breaks a rule.
type finding struct {
	line  int
	rule  string
	words string
}

// rule finds words in a sentence, and leaves the matches alone that are fine.
type rule struct {
	name  string
	words *regexp.Regexp
	fine  func(sentence string, match []int) bool // optional
}

// maxWords bounds a sentence. One idea fits; a longer one is two sentences or a list.
const maxWords = 25

// rules are those that words show. Besides them a sentence has at most maxWords words.
var rules = []rule{
	// "The argument is a slice", not "What is passed is a slice". Questions may begin so.
	{"begins with a relative", regexp.MustCompile("(?i)^[^\\w`]*(?:what|who|which|those|that\\s+of)\\b"), question},
	// "is in".
	{"stands in", regexp.MustCompile(`(?i)\b(?:stand|stands|standing|stood)\s+in\b`), nil},
	// "is not a", "no X exists", "without an X".
	{"is no", regexp.MustCompile(`(?i)\b(?:is|are|was|were)\s+no\s+(\S+)(?:\s+(\S+))?`), comparison},
	// Say which program, package or person does it, or does not.
	{"nobody", regexp.MustCompile(`(?i)\bnobody\b`), nil},
	// "a user who asks", "callers"; not "who asks".
	{"who without a person", regexp.MustCompile(`(?i)\b(?:who|whom)\b`), person},
	{"who without a person", regexp.MustCompile(`(?i)\b(?:whoever|whomever)\b`), nil},
}

// question reports whether a sentence is a question.
func question(sentence string, _ []int) bool {
	return strings.HasSuffix(strings.TrimRight(sentence, " )\"”_"), "?")
}

// comparison reports whether "is no" goes on with "longer", "more than", "slower than".
func comparison(sentence string, m []int) bool {
	next := strings.ToLower(sentence[m[2]:m[3]])
	than := m[4] >= 0 && strings.EqualFold(sentence[m[4]:m[5]], "than")
	return strings.TrimRight(next, ".,;:)") == "longer" || than && (strings.HasSuffix(next, "er") || next == "more" || next == "less" || next == "worse")
}

// persons are nouns, in the singular, that "who" may follow.
var persons = strings.Fields(`administrator anybody anyone attacker author caller contributor customer developer else
	everybody everyone maintainer newcomer people person programmer reader researcher reviewer somebody someone stranger
	student team they those us user visitor we writer you`)

// person reports whether the word before "who" is a person.
func person(sentence string, m []int) bool {
	before := strings.Fields(strings.ToLower(sentence[:m[0]]))
	if len(before) == 0 {
		return question(sentence, m)
	}
	last := strings.Trim(before[len(before)-1], ",()")
	return slices.Contains(persons, last) || slices.Contains(persons, strings.TrimSuffix(last, "s")) || question(sentence, m)
}

// check returns the findings in units.
func check(units []unit) (found []finding) {
	for _, u := range units {
		for _, s := range sentences(u.text) {
			text := u.text[s.from:s.to]
			for _, r := range rules {
				for _, m := range r.words.FindAllStringSubmatchIndex(text, -1) {
					if r.fine == nil || !r.fine(text, m) {
						found = append(found, finding{u.lines[s.from+m[0]], r.name, excerpt(text[m[0]:])})
					}
				}
			}
			if n := countWords(text); n > maxWords {
				found = append(found, finding{u.lines[s.from], fmt.Sprintf("%d words", n), excerpt(text)})
			}
		}
	}
	return found
}

// excerpt is the beginning of a text, code spans shortened.
func excerpt(text string) string {
	words := strings.Fields(regexp.MustCompile("`+").ReplaceAllString(text, "`…`"))
	if len(words) > 8 {
		words = append(words[:8], "…")
	}
	return strings.Join(words, " ")
}

// span is a sentence: bytes of a unit's text.
type span struct{ from, to int }

var (
	stop         = regexp.MustCompile(`[.!?][")”_]*\s+`)
	abbreviation = regexp.MustCompile(`(?:\b[A-Z]|\b(?:e\.g|i\.e|cf|etc|vs|al|Fig|No))\.\s+$`)
)

// sentences splits a text where a full stop, an exclamation or question mark is followed by a space.
func sentences(text string) (spans []span) {
	from := 0
	cut := func(to int) {
		for from < to && text[from] == ' ' {
			from++
		}
		if from < to {
			spans = append(spans, span{from, to})
		}
		from = to
	}
	for _, m := range stop.FindAllStringIndex(text, -1) {
		if !abbreviation.MatchString(text[from:m[1]]) {
			cut(m[1])
		}
	}
	cut(len(text))
	return spans
}

// countWords counts what has a letter or a digit, and is not a code span.
func countWords(text string) (n int) {
	for _, field := range strings.Fields(text) {
		if !strings.Contains(field, "`") && strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
