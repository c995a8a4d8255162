package tiles

import (
	"errors"

	"github.com/govyre/vyre/ir"
)

// Unpack returns the programs.
func Unpack() (fill, column, put *ir.Program, err error) {
	fill, err = FillProgram()
	column, failed := ColumnProgram()
	put, wrong := PutProgram()
	return fill, column, put, errors.Join(err, failed, wrong)
}
