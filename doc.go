// Package burin is an engine of file tools for AI coding agents.
package burin
