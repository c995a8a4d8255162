// Package verify decides what a program is: it seals code, and says what is wrong with it.
//
//	*ir.Code ──Seal──▶ structure ─▶ canonical form ─▶ types, access, uniformity, limits ─▶ digest ─▶ *ir.Program
//	*ir.Program, Target ──Program──▶ what the target lacks, and warnings
//
// Seal is the only way to an ir.Program, whether code was built, parsed or made by a pass. Canonical is the same for
// columns that must not change on the way, those of a wire form. Findings are ir.Diags: all of them at once, each with
// a stable code, the row's position and advice. The codes and their words are the table of ir/internal/finding.
//
// Structure (structure.go, row.go, lists.go) may be given columns of any content; what follows relies on what it
// found. All stages read the op table, none has a switch over opcodes, and each is linear in rows plus operands.
//
// Start reading at seal.go and check.go.
package verify
