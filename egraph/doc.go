// Package egraph holds many equal terms at once.
package egraph
