package exact

import (
	"github.com/govyre/vyre/ir"
)

// Of returns the function of op, nil for an op with an effect and for one that reads state. That
// of an approximate op is the exact op, or the accurate function, in its place.
func Of(op ir.Op) Func {
	if int(op) < len(functions) {
		return functions[op]
	}
	return nil
}

// RecipeOf returns the recipe of an accurate function, nil for every other op.
func RecipeOf(op ir.Op) Recipe {
	if int(op) < len(recipes) {
		return recipes[op]
	}
	return nil
}

// AccurateOf returns the exact op, or the accurate function, that an approximate op stands for, and whose bits it has where
// there is nothing approximate; false for every other op. A reciprocal stands for a quotient of 1.
func AccurateOf(op ir.Op) (ir.Op, bool) {
	to, ok := accurate[op]
	return to, ok
}

var accurate = map[ir.Op]ir.Op{ir.OpFastDiv: ir.OpDiv, ir.OpFastRcp: ir.OpDiv, ir.OpFastSqrt: ir.OpSqrt, ir.OpFastRsqrt: ir.OpRsqrt,
	ir.OpFastExp2: ir.OpExp2, ir.OpFastLog2: ir.OpLog2, ir.OpFastSin: ir.OpSin, ir.OpFastCos: ir.OpCos, ir.OpFastTanh: ir.OpTanh}

// functions has the function of every op that is computed from its operands alone.
var functions = withRecipes([numFunctions]Func{
	ir.OpAdd:       evalAdd,
	ir.OpSub:       evalSub,
	ir.OpMul:       evalMul,
	ir.OpMulHi:     evalMulHi,
	ir.OpMulWide:   evalMulWide,
	ir.OpDiv:       evalDiv,
	ir.OpRem:       evalRem,
	ir.OpMin:       evalMin,
	ir.OpMax:       evalMax,
	ir.OpNeg:       evalNeg,
	ir.OpAbs:       evalAbs,
	ir.OpAbsDiff:   evalAbsDiff,
	ir.OpAddSat:    evalAddSat,
	ir.OpSubSat:    evalSubSat,
	ir.OpMulSat:    evalMulSat,
	ir.OpDp4a:      evalDp4a,
	ir.OpCarry:     evalCarry,
	ir.OpBorrow:    evalBorrow,
	ir.OpAnd:       evalAnd,
	ir.OpOr:        evalOr,
	ir.OpXor:       evalXor,
	ir.OpNot:       evalNot,
	ir.OpShl:       evalShl,
	ir.OpShr:       evalShr,
	ir.OpRotl:      evalRotl,
	ir.OpRotr:      evalRotr,
	ir.OpPopc:      evalPopc,
	ir.OpClz:       evalClz,
	ir.OpCtz:       evalCtz,
	ir.OpBrev:      evalBrev,
	ir.OpBfe:       evalBfe,
	ir.OpBfi:       evalBfi,
	ir.OpPrmt:      evalPrmt,
	ir.OpFma:       evalFma,
	ir.OpCopysign:  evalCopysign,
	ir.OpMinp:      evalMinp,
	ir.OpMaxp:      evalMaxp,
	ir.OpSqrt:      evalSqrt,
	ir.OpFloor:     evalFloor,
	ir.OpCeil:      evalCeil,
	ir.OpTrunc:     evalTrunc,
	ir.OpRint:      evalRint,
	ir.OpFastDiv:   evalDiv,
	ir.OpFastRcp:   evalRcp,
	ir.OpFastSqrt:  evalSqrt,
	ir.OpFastRsqrt: evalRecipe(recipeRsqrt),
	ir.OpFastExp2:  evalRecipe(recipeExp2),
	ir.OpFastLog2:  evalRecipe(recipeLog2),
	ir.OpFastSin:   evalRecipe(recipeSin),
	ir.OpFastCos:   evalRecipe(recipeCos),
	ir.OpFastTanh:  evalRecipe(recipeTanh),
	ir.OpEq:        evalEq,
	ir.OpNe:        evalNe,
	ir.OpLt:        evalLt,
	ir.OpLe:        evalLe,
	ir.OpSelect:    evalSelect,
	ir.OpCvt:       evalCvt,
	ir.OpBitcast:   evalBitcast,
})

var recipes = [...]Recipe{
	ir.OpRsqrt: recipeRsqrt,
	ir.OpExp:   recipeExp,
	ir.OpExp2:  recipeExp2,
	ir.OpExpm1: recipeExpm1,
	ir.OpLog:   recipeLog,
	ir.OpLog2:  recipeLog2,
	ir.OpLog10: recipeLog10,
	ir.OpLog1p: recipeLog1p,
	ir.OpPow:   recipePow,
	ir.OpSin:   recipeSin,
	ir.OpCos:   recipeCos,
	ir.OpTan:   recipeTan,
	ir.OpAsin:  recipeAsin,
	ir.OpAcos:  recipeAcos,
	ir.OpAtan:  recipeAtan,
	ir.OpAtan2: recipeAtan2,
	ir.OpSinh:  recipeSinh,
	ir.OpCosh:  recipeCosh,
	ir.OpTanh:  recipeTanh,
	ir.OpCbrt:  recipeCbrt,
	ir.OpHypot: recipeHypot,
	ir.OpErf:   recipeErf,
}

// withRecipes adds the functions that have a recipe: running it over bits evaluates them.
func withRecipes(fs [numFunctions]Func) [numFunctions]Func {
	for op, r := range recipes {
		if r != nil {
			fs[op] = evalRecipe(r)
		}
	}
	return fs
}

// numFunctions bounds the opcodes of pure ops.
const numFunctions = 0x1C0
