package ir

func recipeAcos(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeAcos") }
func recipeAsin(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeAsin") }
func recipeAtan(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeAtan") }
func recipeAtan2(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeAtan2") }
func recipeCbrt(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeCbrt") }
func recipeCos(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeCos") }
func recipeCosh(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeCosh") }
func recipeErf(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeErf") }
func recipeExp(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeExp") }
func recipeExp2(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeExp2") }
func recipeExpm1(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeExpm1") }
func recipeHypot(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeHypot") }
func recipeLog(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeLog") }
func recipeLog10(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeLog10") }
func recipeLog1p(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeLog1p") }
func recipeLog2(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeLog2") }
func recipePow(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipePow") }
func recipeRsqrt(e *Emitter, t Type, a, b Ref) Ref { panic("BUG: recipeRsqrt") }
func recipeSin(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeSin") }
func recipeSinh(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeSinh") }
func recipeTan(e *Emitter, t Type, a, b Ref) Ref   { panic("BUG: recipeTan") }
func recipeTanh(e *Emitter, t Type, a, b Ref) Ref  { panic("BUG: recipeTanh") }
