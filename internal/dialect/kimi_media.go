package dialect

import (
	"fmt"
	"strings"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/internal/toolbox"
	"github.com/burin-tools/burin/tool"
)

func kimiMediaTool() *Tool {
	return bind(tool.Definition{Name: "ReadMediaFile", Title: "Look at an image or video", ReadOnly: true, Idempotent: true},
		(*kimiMedia).args, (*toolbox.Box).Read, kimiMediaResult)
}

type kimiMedia struct {
	Path   string      `json:"path" desc:"Path to the image or video" minlen:"1"`
	Region *wireRegion `json:"region,omitempty" desc:"Part of an image, in pixels of the original"`
	Full   *bool       `json:"full_resolution,omitempty" desc:"Do not make the image smaller" default:"false"`
}

func (w *kimiMedia) args() (toolbox.ReadArgs, error) {
	return toolbox.ReadArgs{Path: w.Path, MediaOnly: true, Show: &toolbox.ShowArgs{
		Images: true, Videos: w.Region == nil && !on(w.Full), Region: w.Region.region(), Full: on(w.Full),
	}}, nil
}

func kimiMediaResult(w *kimiMedia, o *toolbox.ReadOut) tool.Result {
	element := "image"
	if o.Shown.Vivid == nil {
		element = "video"
	}
	r := shownResult(o, fmt.Sprintf("<%s path=%q>", element, o.Name))
	r.Parts = append(r.Parts, tool.Part{Text: fmt.Sprintf("</%s>\n<system>%s</system>", element, kimiMediaNote(o))})
	return r
}

func kimiMediaNote(o *toolbox.ReadOut) string {
	p := o.Shown.Vivid
	if p == nil {
		return strings.Join(append([]string{fmt.Sprintf("Mime type: %s. Size: %s.", o.Shown.Kind.MIME, countBytes(o.Size))}, o.Shown.Notes...), " ")
	}
	s := []string{fmt.Sprintf("Mime type: %s. Size: %s. Original dimensions: %dx%d.", p.MIME, countBytes(p.OriginalSize), p.OriginalWidth, p.OriginalHeight)}
	if p.IsPart() {
		s = append(s, fmt.Sprintf("Shown: %s.", p.Region))
	}
	switch {
	case p.Scale < 1:
		s = append(s, fmt.Sprintf("It was downsampled to %dx%d: multiply coordinates by %.4g for pixels of the original.", p.Width, p.Height, 1/p.Scale))
	case p.IsPart():
		s = append(s, "It is shown at native resolution.")
	}
	if p.IsPart() {
		s = append(s, fmt.Sprintf("Add the offset (%d, %d) to coordinates.", p.Region.X, p.Region.Y))
	}
	return strings.Join(append(s, o.Shown.Notes...), " ")
}

// kimiMediaReason words why a file is not shown.
func kimiMediaReason(e *tool.Error) string {
	if k, ok := e.Detail.(media.Kind); ok && (k.Class == media.Image || k.Class == media.Video) {
		return fmt.Sprintf("%q: region and full_resolution are for images.", e.Path)
	}
	return fmt.Sprintf("%q: %s.", e.Path, e.Reason)
}
