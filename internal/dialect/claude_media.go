package dialect

import (
	"fmt"

	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// claudeShown shows images, pages and cells, and what remains.
func claudeShown(o *toolbox.ReadOut) tool.Result {
	r := shownResult(o, shownFacts(o))
	switch n := o.Shown.Next; {
	case n.Pages != "":
		r.Parts = append(r.Parts, tool.Part{Text: fmt.Sprintf("[More pages: use pages %q]", n.Pages)})
	case n.From > 0:
		r.Parts = append(r.Parts, tool.Part{Text: fmt.Sprintf("[More cells: use offset %d]", n.From)})
	}
	return r
}
