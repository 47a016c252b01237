package pdf

import (
	"fmt"
	"testing"

	"github.com/burin-tools/burin/tool"
)

func TestParsePages(t *testing.T) {
	for _, c := range []struct {
		spec  string
		total int
		want  string
	}{
		{"3", 10, "[3]"},
		{"1-5", 10, "[1 2 3 4 5]"},
		{" 2 , 4 - 6 ", 10, "[2 4 5 6]"},
		{"-1", 10, "[10]"},
		{"-5", 10, "[6]"},
		{"-3--1", 10, "[8 9 10]"},
		{"8-", 10, "[8 9 10]"},
		{"-2-", 10, "[9 10]"},
		{"9--1", 10, "[9 10]"},
		{"7,1-3,2", 10, "[7 1 2 3]"},
		{"1-20", 100000, "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]"},
		{"1,1-20", 100000, "[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]"},
		{"1", 1, "[1]"},
	} {
		got, err := ParsePages(c.spec, c.total)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%q of %d: %v, %v, want %s", c.spec, c.total, got, err, c.want)
		}
	}
}

func TestParsePagesFails(t *testing.T) {
	for _, c := range []struct {
		spec     string
		total    int
		mentions string
		next     string
	}{
		{"", 9, `"" names no pages`, "1 to 9"},
		{"1,,2", 9, `"" names no pages`, "1 to 9"},
		{"all", 9, `"all" names no pages`, "1 to 9"},
		{"1.5", 9, `"1.5" names no pages`, "1 to 9"},
		{"1..5", 9, `"1..5" names no pages`, "1 to 9"},
		{"--1", 9, `"--1" names no pages`, "1 to 9"},
		{"0", 9, "page 0 does not exist, the document has 9 pages", "1 to 9"},
		{"10", 9, "page 10 does not exist, the document has 9 pages", "1 to 9"},
		{"-10", 9, "page -10 does not exist", "-9 to -1"},
		{"5-12", 9, "page 12 does not exist", "1 to 9"},
		{"2", 1, "page 2 does not exist, the document has 1 page", "only page is 1"},
		{"99999999999999999999", 9, "does not exist", "1 to 9"},
		{"5-3", 9, `"5-3" ends at page 3, before it starts at page 5`, "1 to 9"},
		{"1-21", 50, "21 pages, more than the 20", "Ask for 1-20 first"},
		{"5-", 300, "296 pages, more than the 20", "Ask for 5-24 first"},
		{"1,3-30", 300, "29 pages, more than the 20", "Ask for 1,3-21 first"},
	} {
		_, err := ParsePages(c.spec, c.total)
		wantError(t, err, tool.Invalid, c.mentions, c.next)
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		pages []int
		want  string
	}{
		{nil, ""}, {[]int{4}, "4"}, {[]int{1, 2, 3, 7}, "1-3,7"}, {[]int{7, 1, 2, 4, 5}, "7,1-2,4-5"}, {[]int{3, 2, 1}, "3,2,1"},
	} {
		if got := Ranges(c.pages); got != c.want {
			t.Errorf("%v: %q, want %q", c.pages, got, c.want)
		}
	}
}

func FuzzParsePages(f *testing.F) {
	for _, s := range []string{"3", "1-5", "2,4-6", "-1", "-3--1", "5-", "1-,1-"} {
		f.Add(s, 30)
	}
	f.Fuzz(func(t *testing.T, spec string, total int) {
		if total < 1 {
			return
		}
		// A range as large as the document is walked before it is refused.
		total = total%100000 + 1
		pages, err := ParsePages(spec, total)
		if err != nil {
			return
		}
		if len(pages) == 0 || len(pages) > MaxPages {
			t.Fatalf("%d pages", len(pages))
		}
		again, err := ParsePages(Ranges(pages), total)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(pages) {
			t.Fatalf("%v became %v, %v", pages, again, err)
		}
	})
}
