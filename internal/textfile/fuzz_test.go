package textfile

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzForms are ways to read any bytes.
var fuzzForms = []Form{
	{Encoding: UTF8}, {Encoding: UTF16LE}, {Encoding: UTF16BE}, {Encoding: exactly("gbk")}, {Encoding: exactly("gb18030")},
	{Encoding: exactly("big5")}, {Encoding: exactly("shift_jis")}, {Encoding: exactly("euc-jp")}, {Encoding: exactly("euc-kr")},
	{Encoding: exactly("windows-1251")}, {Encoding: exactly("iso-8859-6")},
}

func seedTexts(f *testing.F, add func([]byte)) {
	for _, s := range []string{
		"", "a\nb\n", "a\r\nb\r\n", "a\r\nb\nc\rd", "\xef\xbb\xbfhi\r\n", "\xff\xfea\x00\n\x00", "\xfe\xff\x00a\xd8\x00", "caf\xe9\n", "a\x00b",
		"\x90\xdd\x92\xe8=1\nmode=a\n", "\x88\x62\xa4\x40", "\x81\x30\x81\x30\xff", "\x8f\xb0\xa1", "“a”\u00a0– b\t \n", "😀😀\n", "\ufffd",
	} {
		add([]byte(s))
	}
	for _, s := range samples {
		for name := range strings.FieldsSeq(s.encodings) {
			add(encode(f, name, s.texts[4]))
		}
	}
}

// Any bytes can be looked at. Where decoding is exact, encoding leads back,
// and the mapping knows every character.
func FuzzDecode(f *testing.F) {
	seedTexts(f, func(raw []byte) { f.Add(raw) })
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, whole := range []bool{true, false} {
			if form, err := Sniff(raw, whole, nil); err == nil {
				d := NewDocument(raw, form)
				d.Show(Span{0, len(d.Text())})
				checkDecode(t, form.Encoding, raw[form.BOM:])
			}
		}
		for _, form := range fuzzForms {
			checkDecode(t, form.Encoding, raw)
		}
	})
}

func checkDecode(t *testing.T, e *Encoding, raw []byte) {
	text, exact := e.Decode(raw)
	if !utf8.Valid(text) {
		t.Fatalf("%s: %x became %x, which is not UTF-8", e.Name, raw, text)
	}
	if e == UTF8 {
		return
	}
	mapped, m := e.decodeMapped(raw)
	if !bytes.Equal(mapped, text) {
		t.Fatalf("%s: %x is %q mapped and %q not", e.Name, raw, mapped, text)
	}
	c, before := m.cursor(), -1
	for i := range string(text) {
		at, whole := c.back(i)
		if whole && at <= before || at < before || at >= len(raw) {
			t.Fatalf("%s: %x: text offset %d leads back to %d, after %d", e.Name, raw, i, at, before)
		}
		before = at
	}
	if exact {
		back, err := e.codec.NewEncoder().Bytes(text)
		if err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("%s: %x reads exactly as %q, which is written %x (%v)", e.Name, raw, text, back, err)
		}
	}
	if again, err := e.Encode(string(text)); err == nil {
		if reread, exact := e.Decode(again); string(reread) != string(text) || !exact {
			t.Fatalf("%s: %q is written %x, which reads as %q", e.Name, text, again, reread)
		}
	}
}

// A replacement and the replacement back give the same bytes, and what stands
// outside the span is never touched.
func FuzzReplace(f *testing.F) {
	seedTexts(f, func(raw []byte) {
		f.Add(raw, "a", "b", uint8(0))
		f.Add(raw, "a\n", "中\r\n", uint8(3))
		f.Add(raw, "mode", "", uint8(6))
	})
	f.Fuzz(func(t *testing.T, raw []byte, old, new string, which uint8) {
		form := fuzzForms[int(which)%len(fuzzForms)]
		if int(which) >= len(fuzzForms) {
			sniffed, err := Sniff(raw, true, nil)
			if err != nil {
				return
			}
			form = sniffed
		}
		d := NewDocument(raw, form)
		spans := d.Find(old)
		if len(spans) == 0 {
			return
		}
		s := spans[len(spans)/2]
		pieces, err := d.Apply([]Replacement{{s, d.Adapt(new)}})
		if err != nil {
			return
		}
		after := bytes.Join(pieces, nil)
		offset := d.offsets()
		head, tail := raw[:offset(s.Start)], raw[offset(s.End):]
		if !bytes.HasPrefix(after, head) || !bytes.HasSuffix(after, tail) || len(after) < len(head)+len(tail) {
			t.Fatalf("%s: %x became %x: bytes beside the span changed", form.Encoding.Name, raw, after)
		}
		if !utf8.ValidString(new) || !utf8.ValidString(old) {
			return // no text
		}
		// The way back, in the same style, for text that has one form.
		middle := raw[len(head) : len(raw)-len(tail)]
		if text, exact := form.Encoding.Decode(middle); !exact || strings.Contains(string(text), "\ufffd") {
			return
		}
		again := NewDocument(after, form)
		put := Span{s.Start, s.Start + len(d.Adapt(new))}
		if string(again.view) != string(d.view[:s.Start])+d.Adapt(new)+string(d.view[s.End:]) {
			return // the new text joined with half a character beside it
		}
		if pieces, err = again.Apply([]Replacement{{put, string(d.view[s.Start:s.End])}}); err != nil {
			return // it could be read but not be written
		}
		if back := bytes.Join(pieces, nil); !bytes.Equal(back, raw) {
			t.Fatalf("%s: %x became %x and back %x", form.Encoding.Name, raw, after, back)
		}
	})
}

// The pages of a content are all of it, the same in memory and on disk.
func FuzzPage(f *testing.F) {
	seedTexts(f, func(raw []byte) {
		f.Add(raw, uint8(0), uint16(5), true)
		f.Add(raw, uint8(1), uint16(100), false)
		f.Add(raw, uint8(3), uint16(3), true)
	})
	f.Fuzz(func(t *testing.T, raw []byte, which uint8, max uint16, exact bool) {
		form := fuzzForms[int(which)%len(fuzzForms)]
		r := Request{Max: 2 + int(max), Units: Units(which % 2), Exact: exact}
		got := readThrough(t, raw, form, r)
		x := BuildBytes(raw, form)
		all, err := x.Page(context.Background(), InMemory(raw), Request{Exact: exact})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, l := range singly(all, Request{Exact: exact}) {
			want.Write(l.Text)
		}
		if got != want.String() {
			t.Fatalf("%s %x in pages of %d: %q, at once %q", form.Encoding.Name, raw, r.Max, got, want.String())
		}
		if exact && form.Encoding != UTF8 && !form.Encoding.wide {
			if text := string(form.Encoding.text(raw)); text != got {
				t.Fatalf("%s %x: pages hold %q, the text is %q", form.Encoding.Name, raw, got, text)
			}
		}
		n := newNaive(raw, form)
		newest := Request{Max: r.Max, Units: r.Units, Newest: true, First: int64(max % 7), Overhead: overhead}
		newest.First = 1 + newest.First
		g, err := x.Page(context.Background(), InMemory(raw), newest)
		wanted, werr := naivePage(raw, form, n, newest)
		if s, want := pageString(g, err, newest), pageString(wanted, werr, newest); s != want {
			t.Fatalf("%s %x, newest: %s\nwant %s", form.Encoding.Name, raw, s, want)
		}
	})
}

// A lenient match is a place in the text that folds to the same.
func FuzzLenient(f *testing.F) {
	for _, s := range []struct{ raw, text string }{
		{"a  \nb\n", "a\nb"}, {"a\r\n b\r\n", "\n\tb"}, {"“a” –\u00a0b", `"a" - b`}, {"\xff a\t=1", "a =1"}, {"a \r\n", "a\r"}, {"a\u00a0 \r\n\r\nb", "a\n\nb "},
	} {
		f.Add([]byte(s.raw), s.text, uint8(0))
		f.Add([]byte(s.raw), s.text, uint8(5))
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string, which uint8) {
		d := NewDocument(raw, fuzzForms[int(which)%len(fuzzForms)])
		spans, step := d.FindLenient(text)
		if len(spans) > 0 && len(d.Find(text)) > 0 {
			t.Fatalf("%q in %q matches exactly", text, raw)
		}
		before := -1
		for _, s := range spans {
			if s.Start <= before || s.End <= s.Start || s.End > len(d.view) || s.End-s.Start > 2*len(text)+32 {
				t.Fatalf("%q in %q: spans %v", text, d.view, spans)
			}
			before = s.Start
			// A blank at the end is one within a line, so look at it with
			// something after it.
			got, want := fold(append(bytes.Clone(d.view[s.Start:s.End]), 'x'), step), fold([]byte(text), step)
			if !bytes.HasPrefix(got, want) || len(got) != len(want)+1 {
				t.Fatalf("%q in %q: the match %q folds to %q, want %q", text, d.view, d.view[s.Start:s.End], got, want)
			}
			if c := d.view[s.End-1]; c == '\r' && s.End < len(d.view) && d.view[s.End] == '\n' {
				t.Fatalf("%q in %q: the match %q ends inside a line break", text, d.view, d.view[s.Start:s.End])
			}
			if s.Start > 0 && d.view[s.Start] == '\n' && d.view[s.Start-1] == '\r' {
				t.Fatalf("%q in %q: the match starts inside a line break", text, d.view)
			}
		}
		d.Nearest(text)
		Visible(text)
		if kinds := differences(text, string(d.view)); len(kinds) == 0 && text != string(d.view) {
			t.Fatalf("%q and %q differ in nothing", text, d.view)
		}
	})
}
