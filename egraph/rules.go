package egraph

import "github.com/govyre/vyre/internal/rules"

// Rule is a rule of the optimiser's language. What makes it and checks it is in package internal/rules.
type Rule = rules.Rule

// ParseRules reads rules, one a line, such as "add(x, 0) = x". Its error joins the first mistake of each line, as
// LINE:COLUMN: what is wrong; fix: what to do. Such a line gives no rule; the others do. The command vyre rules check looks
// for counterexamples.
func ParseRules(text string) ([]*Rule, error) { return rules.Parse(text) }

// OptimiserRules returns the rules of the optimiser. They are shared: do not change them.
func OptimiserRules() []*Rule { return rules.Table() }
