package tool

// A PartKind tells what a Part holds.
type PartKind uint8

const (
	Text  PartKind = iota // Part.Text
	Image                 // Part.Data of type Part.MIME
	Blob                  // Part.Data of type Part.MIME, not meant to be looked at
)

// A Part is one piece of an answer.
type Part struct {
	Kind PartKind
	Text string
	Data []byte
	MIME string
}

// A Result is what a call answered. The text parts are complete by
// themselves; Structured and Meta repeat facts for programs.
type Result struct {
	Parts []Part

	// Structured is a JSON object in the shape of the original tool, nil
	// unless the dialect's original has one.
	Structured map[string]any
	// Meta holds facts for programs; all of it can be written as JSON.
	//
	//	path      absolute name of the file; as written, when Failed
	//	kind      the Kind, when Failed
	//	size, lines, first, last     of a read: bytes, lines, range shown
	//	encoding, endings, bom       how the file is written
	//	change    of a write: created, updated or unchanged
	//	before, after, written       bytes
	//	replaced, firstLine          of an edit: occurrences, and the first
	//	diff      hunks of lines with old and new numbers, op (" ", "-" or
	//	          "+"), text, and spans: the words that changed in it
	Meta map[string]any

	Failed bool
	Kind   Kind // why, when Failed

	// Recycle, when not nil, gives the memory of a long text back, which is
	// then not valid any more. Who has sent the answer off may call it, once;
	// who does not loses nothing but a little time.
	Recycle func()
}

// TextResult returns a result of one text part.
func TextResult(text string) Result {
	return Result{Parts: []Part{{Text: text}}}
}

// Text joins the text parts by newlines.
func (r Result) Text() string {
	if len(r.Parts) == 1 && r.Parts[0].Kind == Text {
		return r.Parts[0].Text
	}
	text, first := "", true
	for _, p := range r.Parts {
		if p.Kind != Text {
			continue
		}
		if !first {
			text += "\n"
		}
		text, first = text+p.Text, false
	}
	return text
}
