package native

// Target names the instruction set of the processor.
const Target = "arm64.neon"

func hostTarget() target { return arm64Target() }
