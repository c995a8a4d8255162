package explain

// Common is what the marks of changes are found with.
var Common = common
