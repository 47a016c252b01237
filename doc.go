// Package burin is an engine of file and command tools for AI coding agents:
// read, write, edit, search and list files, and run commands, exact and safe.
// Bytes nobody asked to change do not change, nothing outside the tree is
// touched, nothing is lost, and nothing is cut silently.
//
// An [Engine] is one tree with its locks. A [Session] is one conversation: the
// dialect in which its agent spells the tools, its rules, and what it has
// seen. Give the definitions that [Session.Tools] returns to a model, and what
// it calls to [Session.Call]; every call gets one result.
//
// The words of results, questions and events are in the package tool.
package burin
