package superopt

// Write is the form of a file.
var Write = write
