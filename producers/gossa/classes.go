package main

// class is what is known of a class of sinks.
type class struct {
	cwe      int
	severity float64 // as security-severity of SARIF
}

var classes = map[string]class{
	"sql":         {89, 8.8},
	"command":     {78, 9.8},
	"path":        {22, 7.5},
	"ssrf":        {918, 8.6},
	"redirect":    {601, 6.1},
	"xss":         {79, 6.1},
	"template":    {1336, 8.8},
	"zipslip":     {22, 8.1},
	"log":         {117, 5.3},
	"header":      {113, 5.4},
	"deserialise": {502, 8.1},
	"mail":        {93, 5.3},
	"ldap":        {90, 8.1},
	"xpath":       {643, 6.5},
	"nosql":       {943, 8.1},
}
