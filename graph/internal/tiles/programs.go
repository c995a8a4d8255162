package tiles

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Unpack returns the programs.
func Unpack() (fill, column *ir.Program, err error) {
	fill, err = FillProgram()
	column, failed := ColumnProgram()
	return fill, column, errors.Join(err, failed)
}
