package files

// GroupLimit is the limit of memory that control groups under a root set.
var GroupLimit = groupLimit
