// Package textfile turns the bytes of a text file into lines for a model and
// turns a model's edits back into bytes. It does no I/O of its own: callers
// hand it bytes or an io.ReaderAt.
//
// Its promise is that bytes nobody asked to change do not change. A Document
// is therefore never decoded and encoded again as a whole: text is looked up
// in a decoded view, and what is replaced is a span of the original bytes.
// Byte order mark, encoding, every line ending, the last newline and bytes
// that are no text at all survive because nothing ever touches them.
package textfile
