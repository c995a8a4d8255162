package egraph

import "fmt"

// Error is two terms that must not be equal: they are of two types, or different constants.
type Error struct {
	Rule string // the last of the rules and labels that made them equal; Text has the others
	Text string // the terms, their class, and why
}

func (e *Error) Error() string { return fmt.Sprintf("egraph: %s merged %s", e.Rule, e.Text) }
