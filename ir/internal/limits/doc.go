// Package limits bounds the size of a program. The limits hold for every way in, so that no input makes the packages
// after it allocate without bound.
package limits
