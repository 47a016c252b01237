package dialect

import (
	"fmt"

	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// nativeShown shows what is not text: first what it is and how it is shown,
// then itself, and at the end the call that goes on.
func nativeShown(w *nativeRead, o *toolbox.ReadOut) tool.Result {
	r := shownResult(o, shownFacts(o))
	if next := nativeNext(w, o.Shown.Next); next != "" {
		r.Parts = append(r.Parts, tool.Part{Text: "[More: Read " + next + "]"})
	}
	return r
}

func nativeNext(w *nativeRead, n toolbox.ShownNext) string {
	if n == (toolbox.ShownNext{}) {
		return ""
	}
	s := `{"file_path":` + quoted(w.Path)
	if n.Pages != "" {
		s += `,"pages":` + quoted(n.Pages)
	}
	if n.From > 1 {
		s += fmt.Sprintf(`,"offset":%d`, n.From)
	}
	if w.Limit != nil {
		s += fmt.Sprintf(`,"limit":%d`, *w.Limit)
	}
	if w.Password != "" {
		s += `,"password":` + quoted(w.Password)
	}
	return s + "}"
}
