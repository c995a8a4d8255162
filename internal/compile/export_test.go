package compile

// Check applies the rules of the order to a table.
func Check(table []Run) error { return check(table) }
