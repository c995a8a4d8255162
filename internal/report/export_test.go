package report

// URIOf is how SARIF has a path.
func URIOf(path string) string { return uriOf(path) }
