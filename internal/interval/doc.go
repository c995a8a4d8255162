// Package interval computes with bounds and known bits: an Interval holds all values that an integer or bool may have, and
// Apply finds that of an op's result from those of its operands. The range analysis of package opt and the facts of
// package egraph are made of it; joins over control, and the bounds that loops need, are opt's.
package interval
