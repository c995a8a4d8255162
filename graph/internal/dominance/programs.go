package dominance

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Unpack returns the programs.
func Unpack() (warps, groups *ir.Program, err error) {
	warps, err = InWarpsProgram()
	groups, failed := InGroupsProgram()
	return warps, groups, errors.Join(err, failed)
}
