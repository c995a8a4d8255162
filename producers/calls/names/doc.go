// Package names says what the functions of a program are called, and in which order they come. Both are the same in
// every run, for every package that makes a graph of them.
//
// Package ssa builds packages at the same time. A function that several of them ask for, such as an instance of a
// generic one, is spelled as the first one does. That is chance: with an alias of a type or without, with these names
// of parameters or those. Package ssa also makes several functions of one name. Each place of the source that takes a
// method as a value, x.f or T.f, has a wrapper of its own. A generic function that declares a type has one for each of
// its instances.
//
//	program := names.New(prog)
//	program.Sort(functions)
//	name := program.Of(functions[0])
//
// Here identical types are spelled alike: without aliases (byte is uint8), without names of parameters, and an
// interface as its methods. Sort puts functions of one name in an order that only the source decides. It goes by where
// they are, by the types that they were made for, and by the place that a wrapper is of.
package names
