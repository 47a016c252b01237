// Package tool holds the words that every room of Burin shares: what a tool
// is called and takes (Definition), what a call would touch (Plan, Access),
// what it answered (Result, Part), why it failed (Error, Kind), and how a
// person is asked (Asker). It does no work and imports the standard library
// only.
package tool
