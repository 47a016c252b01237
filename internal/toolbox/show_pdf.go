package toolbox

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/burin-tools/burin/internal/pdf"
	"github.com/burin-tools/burin/tool"
)

// pagesForm is how pages are written. What they mean depends on the file, but
// what is no such text is told without opening it.
var pagesForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*-?\d+\s*(-\s*(-?\d+)?\s*)?(,\s*-?\d+\s*(-\s*(-?\d+)?\s*)?)*$`)
})

// pdf shows pages as text and as pictures.
func (s *shower) pdf(ctx context.Context) (bool, error) {
	if p := s.args.Pages; p != "" && !pagesForm().MatchString(p) {
		return false, &tool.Error{Kind: tool.Invalid, Reason: fmt.Sprintf("pages is %q, which names no pages", p), Next: `Give pages such as "3", "1-5", "2,4-6" or "-1" for the last.`}
	}
	doc, err := pdf.Open(ctx, s.file, s.file.Stamp.Size, pdf.Options{Password: s.args.Secret})
	if err != nil {
		return false, err
	}
	defer doc.Close()
	spec := s.args.Pages
	if spec == "" {
		spec = fmt.Sprintf("1-%d", min(doc.Pages(), pdf.MaxPages))
	}
	pages, err := pdf.ParsePages(spec, doc.Pages())
	if err != nil {
		return false, err
	}
	result, err := pdf.Extract(ctx, doc, pages, pdf.Budget{Chars: s.args.Chars, Images: s.args.ImageCount, ImageBytes: s.args.ImageBytes})
	if err != nil {
		return false, err
	}
	for _, p := range result.Pages {
		s.page(p)
	}
	s.out.Facts["pages"], s.out.Facts["title"] = doc.Pages(), doc.Title
	s.note("%s.", count(doc.Pages(), "page"))
	if doc.Title != "" {
		s.note("Title: %s.", strings.TrimSuffix(doc.Title, "."))
	}
	if len(result.NoImage) > 0 {
		s.note("Without a picture for lack of room: %s; ask for them alone to see them.", pdf.Ranges(result.NoImage))
	}
	s.out.Next.Pages = s.nextPages(result.Next, pages, doc.Pages())
	return true, nil
}

// page adds what there is of one page.
func (s *shower) page(p pdf.Page) {
	head := fmt.Sprintf("<page number=%d>", p.Number)
	text := strings.TrimRight(p.Text, "\n")
	switch {
	case p.Err != nil:
		text += fmt.Sprintf("\n[this page is not shown whole: %v]", p.Err)
	case p.Cut:
		text += "\n[the text is cut here: it is longer than an answer may be]"
	case p.Scan && len(p.Image) > 0:
		text += "\n[next to no text: see the picture]"
	}
	s.text(head + "\n" + strings.TrimPrefix(text+"\n</page>", "\n"))
	if len(p.Image) > 0 {
		s.out.Parts = append(s.out.Parts, tool.Part{Kind: tool.Image, Data: p.Image, MIME: p.MIME})
	}
}

// nextPages is what the next call asks for: what was asked for and is not
// shown, or where nothing was asked for, what follows.
func (s *shower) nextPages(left, asked []int, total int) string {
	last := asked[len(asked)-1]
	if s.args.Pages == "" && len(left) > 0 {
		return fmt.Sprintf("%d-%d", left[0], min(left[0]+pdf.MaxPages-1, total))
	}
	if s.args.Pages == "" && last < total {
		return fmt.Sprintf("%d-%d", last+1, min(last+pdf.MaxPages, total))
	}
	return pdf.Ranges(left)
}
