package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir/internal/inner"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/canonical"
	"github.com/govyre/vyre/ir/internal/columns"
	"github.com/govyre/vyre/ir/internal/dataflow"
	"github.com/govyre/vyre/ir/internal/finding"
)

// Seal makes an immutable Program of c: structure is checked, the columns are brought into
// canonical form, then types, access, uniformity and limits are verified and the
// digest is taken. The error, if any, is a Diags with every finding. c belongs to the
// program afterwards and must not be used again.
func Seal(c *ir.Code) (*ir.Program, error) {
	if c == nil {
		c = new(ir.Code) // which has no body
	}
	if ds := checkStructure(c); len(ds.Errors()) > 0 {
		return nil, ds.Errors()
	}
	canonical.Rewrite(c)
	return freeze(c, columns.Digest(c))
}

// Canonical makes a Program of c, which has to be in canonical form already and to have the stated digest,
// as the columns of a wire form are. It refuses what Seal refuses, and what Seal would change.
func Canonical(c *ir.Code, stated [32]byte) (*ir.Program, error) {
	if ds := checkStructure(c); len(ds.Errors()) > 0 {
		return nil, ds.Errors()
	}
	sum := columns.Digest(c)
	if sum != stated {
		return nil, ir.Diags{{Code: "VW010", Row: ir.NoRow, Fix: "the bytes were damaged: fetch them again",
			Msg: fmt.Sprintf("wire form: digest %x… stated, %x… found", stated[:8], sum[:8])}}
	}
	if what := canonical.Differs(c); what != "" {
		rep := finding.Report{Code: c}
		rep.Add("VY015", ir.NoRow, what+" would change if it were sealed again")
		return nil, rep.Diags
	}
	return freeze(c, sum)
}

// freeze verifies canonical code with the given digest and makes the program of it.
func freeze(c *ir.Code, digest [32]byte) (*ir.Program, error) {
	objs := c.Objects()
	uni, ds := check(c, objs)
	if errs := ds.Errors(); len(errs) > 0 {
		return nil, errs
	}
	return ir.NewProgram(inner.Key{}, c, digest, uni, dataflow.Deterministic(c, objs, uni)), nil
}
