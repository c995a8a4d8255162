package egraph

import "fmt"

// Error is two terms that must not be equal: they are of two types, or different constants.
type Error struct {
	Rule        string // the last of the rules and labels that made them equal; Text has the others
	Class       Class
	Left, Right string // the terms
	Text        string
}

func (e *Error) Error() string {
	return fmt.Sprintf("egraph: %s merged %s and %s in class %d: %s", e.Rule, e.Left, e.Right, e.Class, e.Text)
}
