package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

// What the dialects have in common when they show what is not text.

// Budgets of an answer with pictures.
const (
	shownChars  = 60_000  // of text
	shownOutput = 8_000   // of one output of a notebook
	shownCount  = 6       // pictures out of documents
	shownBytes  = 4 << 20 // of all pictures together, so that a message holds them
)

// shownResult is an answer of the parts that are shown, with the facts before
// them.
func shownResult(o *toolbox.ReadOut, head string) tool.Result {
	parts := o.Shown.Parts
	if head != "" {
		parts = append([]tool.Part{{Text: head}}, parts...)
	}
	meta := map[string]any{"path": o.Name, "size": o.Size, "mediaType": o.Shown.Kind.MIME}
	for k, v := range o.Shown.Facts {
		meta[k] = v
	}
	return tool.Result{Parts: parts, Meta: meta}
}

// shownFacts says what is shown, in brackets: what it is, how an image is
// shown, and what there is to know.
func shownFacts(o *toolbox.ReadOut) string {
	s := o.Shown
	what := fmt.Sprintf("%s, %s", s.Kind.Name, countBytes(o.Size))
	if p := s.Vivid; p != nil {
		what += fmt.Sprintf(", %dx%d pixels", p.OriginalWidth, p.OriginalHeight)
	}
	facts := []string{what + "."}
	if c := s.Claims; c != "" {
		facts = append(facts, strings.ToUpper(c[:1])+c[1:]+".")
	}
	if p := s.Vivid; p != nil {
		facts = append(facts, pictureFacts(p)...)
	}
	return "[" + strings.Join(append(facts, s.Notes...), " ") + "]"
}

// pictureFacts says what was sent of an image, so that places in it can be
// found again in the original.
func pictureFacts(p *media.Picture) (facts []string) {
	part := ""
	if p.IsPart() {
		part = p.Region.String() + " "
	}
	sent := fmt.Sprintf("Sent: %sas %s, %dx%d, %s", part, p.MIME, p.Width, p.Height, countBytes(int64(len(p.Data))))
	switch {
	case p.Scale < 1 && part != "":
		return []string{sent + ".", fmt.Sprintf("To find a place in the original, divide its pixels by %.4g and add x and y of the region.", p.Scale)}
	case p.Scale < 1:
		return []string{sent + ".", fmt.Sprintf("To find a place in the original, divide its pixels by %.4g; region shows a part in full.", p.Scale)}
	case part != "":
		return []string{sent + ", at full resolution.", "Add x and y of the region to find a place in the original."}
	}
	return []string{sent + "."}
}

// wireRegion is a part of an image as agents name it.
type wireRegion struct {
	X      int64 `json:"x" desc:"Left edge" min:"0"`
	Y      int64 `json:"y" desc:"Upper edge" min:"0"`
	Width  int64 `json:"width" desc:"Pixels" min:"1"`
	Height int64 `json:"height" desc:"Pixels" min:"1"`
}

func (w *wireRegion) region() *media.Region {
	if w == nil {
		return nil
	}
	return &media.Region{X: int(w.X), Y: int(w.Y), Width: int(w.Width), Height: int(w.Height)}
}

// The change of a notebook, as Claude Code spells it.
type notebookEdit struct {
	Path   string `json:"notebook_path" desc:"Notebook" minlen:"1"`
	Source string `json:"new_source" desc:"Source of the cell; not used to delete"`
	Cell   string `json:"cell_id,omitempty" desc:"ID of the cell, cell-N, or its number; to insert, the one before, or none for the start"`
	Type   string `json:"cell_type,omitempty" desc:"Needed to insert" enum:"code,markdown,raw"`
	Mode   string `json:"edit_mode,omitempty" desc:"What to do" enum:"replace,insert,delete" default:"replace"`
}

func notebookTool() *Tool {
	return bind(tool.Definition{Name: "NotebookEdit", Title: "Edit a notebook cell", Destructive: true},
		(*notebookEdit).args, (*toolbox.Box).Notebook, notebookResult)
}

func (w *notebookEdit) args() (toolbox.NotebookArgs, error) {
	return toolbox.NotebookArgs{Path: w.Path, Edit: media.NotebookEdit{Mode: w.Mode, Cell: w.Cell, Type: w.Type, Source: w.Source}}, nil
}

func notebookResult(w *notebookEdit, o *toolbox.NotebookOut) tool.Result {
	did := map[string]string{"replace": "Updated", "insert": "Inserted", "delete": "Deleted"}[o.Mode]
	s := fmt.Sprintf("%s cell %d (%s) of %s.", did, o.Number, o.ID, w.Path)
	if o.Mode == "replace" {
		s += " Outputs of a code cell whose source changed are cleared."
	}
	return withMeta(s, map[string]any{"path": o.Name, "cell": o.ID, "number": o.Number, "before": o.Before, "after": o.After})
}
