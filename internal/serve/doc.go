// Package serve answers questions over HTTP, in JSON, for programs and for a page on the same machine. It knows no question and
// no graph: the command has those, as values of type Question over a subject of any type.
//
//	GET  /            the page, /page.css and /page.js
//	GET  /about       what the command says about the subject
//	POST /ask/NAME    a question: a JSON object, answered by one
//
// Whatever goes wrong is a document {"error": …, "fix": …} with a status that fits.
//
// # Strangers
//
// A browser lets pages of strangers send requests to this machine. So the header Host must be one of Options.Hosts, which a
// name that an attacker points at 127.0.0.1 is not. The header Origin, if there is one, must be that host. Questions are of
// type application/json, which no form has. The page may load nothing from elsewhere, and nothing may frame it.
//
// # Bounds
//
// Bodies, headers, connections, the time of each step and the number of questions under way are limited. A question whose
// client has gone is canceled.
//
// # Replacement
//
// A Current holds the subject. Questions that began before Replace finish with the old one, which is closed after the last of
// them. Start reading at handler.go, and see server.go for the subject.
package serve
