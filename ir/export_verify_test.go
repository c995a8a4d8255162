package ir

import "fmt"

// Rules lists every code of the verifier with its severity, message format and advice.
func Rules() map[string]string {
	m := map[string]string{}
	for code, r := range rules {
		severity := "error"
		if r.severity == Warning {
			severity = "warning"
		}
		m[code] = fmt.Sprintf("%s: %s\n\t%s", severity, r.format, r.fix)
	}
	return m
}

// VerifierVisits returns how many rows and operands the stages of the verifier touch for
// canonical code, warnings included.
func VerifierVisits(p *Program) int {
	c := &p.code
	s := newStructure(c)
	if s.tree() {
		s.lists()
	}
	k := newChecker(c, p.objs)
	k.declarations()
	k.rows()
	k.control()
	a := newAdvice(p)
	a.all(Target{})
	return s.visits + k.visits + a.visits
}
