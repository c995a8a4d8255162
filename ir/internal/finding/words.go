package finding

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Usable reports whether t is a type that a value can have; others are reported where
// the value is defined.
func Usable(t ir.Type) bool { return t.Valid() && t.Elem().IsValue() }

var OperandNames = [3]string{"operand a", "operand b", "operand c"}

// Misfit is the finding about operand i if a value of type t does not fit it, else "".
// other is the type of the operand that it must agree with, elem the value type of the
// object's elements; where these are no types of values, that is another finding.
func Misfit(in *ir.Info, i int, t, other, elem ir.Type, object string) (code string, args []any) {
	rule := in.In[i]
	switch {
	case rule.Type != 0:
		if t == rule.Type {
			return "", nil
		}
		return "VY101", []any{OperandNames[i], in.Name, t, rule.Type}
	case rule.Same != 0:
		if t == other || !Usable(other) {
			return "", nil
		}
		if rule.Role == ir.RoleArm {
			return "VY106", []any{in.Name, other, t}
		}
		return "VY102", []any{in.Name, other, t}
	case rule.Elem:
		if t == elem || !Usable(elem) {
			return "", nil
		}
		return "VY204", []any{in.Name, t, object, elem}
	case rule.Set == 0: // elem: any vector
		if t.IsVector() {
			return "", nil
		}
		return "VY111", []any{OperandNames[i] + " of " + in.Name, t, "is no vector"}
	case rule.Set.Has(t):
		return "", nil
	case rule.Role == ir.RoleIndex:
		return "VY205", []any{in.Name, object, t}
	case t.IsVector():
		return "VY111", []any{OperandNames[i] + " of " + in.Name, t, "is no scalar"}
	case rule.Role == ir.RoleCond:
		return "VY107", []any{OperandNames[i], in.Name, t}
	case rule.Role == ir.RoleCount || rule.Role == ir.RoleShift:
		return "VY108", []any{OperandNames[i], in.Name, t}
	}
	return "VY101", []any{OperandNames[i], in.Name, t, rule.Set}
}

// Plural writes "1 operand", "2 operands".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ListLengths writes the list lengths that the op allows.
func ListLengths(in *ir.Info) string {
	var s []string
	for set := in.Counts; set != 0; set &= set - 1 {
		s = append(s, fmt.Sprint(bits.TrailingZeros8(set)))
	}
	return strings.Join(s, " or ")
}

// Orders lists a set of memory orders.
func Orders(set uint8) string {
	text := ""
	for o := ir.Relaxed; o <= ir.SeqCst; o++ {
		if set>>o&1 != 0 {
			if text != "" {
				text += ", "
			}
			text += o.String()
		}
	}
	return text
}
