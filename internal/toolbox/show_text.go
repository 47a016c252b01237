package toolbox

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/burin-tools/burin/internal/media"
	"github.com/burin-tools/burin/tool"
)

// notebookMax is the size up to which a notebook is taken apart.
const notebookMax = 64 << 20

// notebook shows cells. What is named a notebook and is none is read as text.
func (s *shower) notebook(context.Context) (bool, error) {
	if s.file.Stamp.Size > notebookMax {
		return false, nil
	}
	b, err := io.ReadAll(io.NewSectionReader(s.file, 0, s.file.Stamp.Size))
	if err != nil {
		return false, err
	}
	n, err := media.ParseNotebook(b)
	if err != nil {
		return false, nil
	}
	s.out.Kind = media.Kind{Class: media.Document, Name: "Jupyter notebook", MIME: "application/x-ipynb+json"}
	s.out.Facts["cells"], s.out.Facts["language"] = len(n.Cells), n.Language
	s.note("%s.", count(len(n.Cells), "cell"))
	s.seeNotebook(b)
	if len(n.Cells) == 0 {
		return true, nil
	}
	page, err := n.Render(max(s.args.From, 1), s.args.Count, media.NotebookBudget{
		Chars: s.args.Chars, OutputChars: s.args.OutputText, Images: s.args.ImageCount, ImageBytes: s.args.ImageBytes,
	})
	if err != nil {
		return false, err
	}
	s.out.Parts = page.Parts
	if page.Next > 0 {
		s.out.Next.From = page.Next
	}
	return true, nil
}

// seeNotebook remembers that this content was looked at, though not its bytes.
func (s *shower) seeNotebook(b []byte) {
	seen := Seen{Stamp: s.file.Stamp, Once: true}
	if s.file.Stamp.Size <= smallFile {
		seen.Hash, seen.Known = hash(b), true
	}
	if s.known && !s.seen.changed(seen.Stamp, seen.Hash) {
		return // more is known of it already
	}
	s.box.Memory.Put(s.at.Real, seen)
}

// packed shows what is in an archive, or the text of a document that is one.
func (s *shower) packed(ctx context.Context) (bool, error) {
	if kind := s.officeKind(); kind != "" && s.args.Documents {
		return s.document(ctx, kind)
	}
	if !s.args.Archives {
		return false, nil
	}
	const most = 1000
	l, err := media.ListArchive(ctx, s.file, s.file.Stamp.Size, s.out.Kind, most)
	if err != nil {
		return false, err
	}
	var b strings.Builder
	for _, m := range l.Members {
		switch {
		case m.Link != "":
			fmt.Fprintf(&b, "%12s  %s -> %s\n", "link", m.Name, m.Link)
		case m.Dir:
			fmt.Fprintf(&b, "%12s  %s\n", "folder", m.Name)
		default:
			fmt.Fprintf(&b, "%12d  %s\n", m.Size, m.Name)
		}
	}
	s.text(strings.TrimSuffix(b.String(), "\n"))
	s.out.Facts["members"] = l.Total
	s.note("%s, with their sizes in bytes.", count(l.Total, "member"))
	if l.Note != "" {
		s.note("%s", l.Note)
	}
	if !l.Complete && len(l.Members) == most {
		s.note("The first %d are shown.", most)
	}
	return true, nil
}

func (s *shower) officeKind() string {
	if s.out.Kind.MIME != "application/zip" {
		return ""
	}
	return media.OfficeKind(s.file, s.file.Stamp.Size)
}

var officeNames = map[string]string{"docx": "Word document", "xlsx": "Excel workbook", "pptx": "PowerPoint presentation"}

// document shows the text of an office document.
func (s *shower) document(ctx context.Context, kind string) (bool, error) {
	name, ok := officeNames[kind]
	if !ok {
		return false, &tool.Error{Kind: tool.Media, Reason: fmt.Sprintf("it is an %s document, whose text cannot be shown", kind),
			Next: "Convert it first, for example with libreoffice --convert-to docx."}
	}
	start := media.OfficePlace{Row: s.args.From}
	if p := s.args.Pages; p != "" {
		part, err := strconv.Atoi(p)
		if err != nil || part < 1 {
			return false, &tool.Error{Kind: tool.Invalid, Reason: fmt.Sprintf("pages is %q, which is no number of a sheet or slide", p),
				Next: "Give one number, from 1."}
		}
		start.Part = part
	}
	page, err := media.OfficeText(ctx, s.file, s.file.Stamp.Size, media.OfficeBudget{Chars: s.args.Chars, Rows: s.args.Count, Start: start})
	if err != nil {
		return false, err
	}
	s.out.Kind = media.Kind{Class: media.Document, Name: name, MIME: "application/vnd.openxmlformats-officedocument"}
	s.text(page.Text)
	s.out.Notes = append(s.out.Notes, page.Notes...)
	if page.Next != (media.OfficePlace{}) {
		s.out.Next = ShownNext{Pages: strconv.Itoa(page.Next.Part), From: page.Next.Row}
	}
	return true, nil
}
