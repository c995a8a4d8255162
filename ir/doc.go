// Package ir is the form every kernel takes between source and device: a Program.
package ir
