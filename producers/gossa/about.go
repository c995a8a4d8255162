package main

// description is what people read about a class of sinks.
type description struct {
	title string
	full  string   // what happens, and what to do
	gosec []string // rules of gosec about the same; see ignore
}

// described are the classes that shipped rules have. Those of rules of a user have no description.
var described = map[string]description{
	"sql":         {"SQL made of a value from outside", "A value from outside becomes part of an SQL statement, and can change what the statement does. Pass it as an argument of a placeholder.", []string{"G201", "G202"}},
	"command":     {"Command made of a value from outside", "A value from outside says which program runs, or is one of its arguments. Take commands from a fixed list, and arguments that are checked.", []string{"G204"}},
	"path":        {"Path made of a value from outside", "A value from outside becomes part of a path, and can lead out of its folder. Use os.Root, or check it with filepath.IsLocal.", []string{"G304", "G703"}},
	"zipslip":     {"Path made of a name in an archive", "The name of an entry becomes part of a path, and can lead out of the folder to unpack into. Use os.Root, or check it with filepath.IsLocal.", []string{"G305"}},
	"ssrf":        {"Request to an address from outside", "A value from outside says where a request goes, and can name hosts that only this one reaches. Compare the host with a list.", []string{"G107", "G704"}},
	"redirect":    {"Redirect to an address from outside", "A value from outside says where a reader is sent. Allow only paths of this site, or hosts of a list.", []string{"G710"}},
	"xss":         {"Page made of a value from outside", "A value from outside comes into a page as it is, and can be a script. Use html/template, or html.EscapeString.", []string{"G203", "G705"}},
	"template":    {"Template made of a value from outside", "A value from outside is read as a template, which can call what the data has. Pass it as data.", nil},
	"log":         {"Log line made of a value from outside", "A value from outside can have line feeds, and so forge lines of a log. Use %q, or a log with fields.", []string{"G706"}},
	"header":      {"Header made of a value from outside", "A value from outside becomes part of a header. Check that it has no line feed.", nil},
	"deserialise": {"Object made of data from outside", "Data from outside says which objects are made, and how many. Limit its size, and decode into types that have only data.", nil},
	"mail":        {"Mail made of a value from outside", "A value from outside becomes part of a mail's head, and can add receivers. Check that it has no line feed.", []string{"G707"}},
	"ldap":        {"LDAP filter made of a value from outside", "A value from outside becomes part of a filter, and can change whom it finds. Escape it.", nil},
	"xpath":       {"XPath made of a value from outside", "A value from outside becomes part of a query, and can change what it finds. Pass it as a variable.", nil},
	"nosql":       {"Query made of a value from outside", "A value from outside becomes part of a query, and can change what it does. Take it for text alone.", nil},
}
