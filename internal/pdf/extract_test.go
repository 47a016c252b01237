package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/burin-tools/burin/tool"
)

// extracted says in a line what came: number, characters, what it is.
func extracted(r Result) string {
	var parts []string
	for _, p := range r.Pages {
		s := fmt.Sprintf("%d:%d", p.Number, len([]rune(p.Text)))
		if p.Image != nil {
			s += " image"
		}
		if p.Cut {
			s += " cut"
		}
		if p.Scan {
			s += " scan"
		}
		if p.Err != nil {
			s += " " + string(tool.KindOf(p.Err))
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf("%s; without %s; next %s", strings.Join(parts, ", "), Ranges(r.NoImage), Ranges(r.Next))
}

func TestExtract(t *testing.T) {
	text := sheet{content: lines(8, strings.Repeat("abcd ", 10), strings.Repeat(`\351fgh `, 10))} // 99 characters
	scan := sheet{content: quarter}
	d := openBytes(t, makePaper(text, scan, text, scan, text).bytes(), Options{})
	all := []int{1, 2, 3, 4, 5}
	for _, c := range []struct {
		name   string
		pages  []int
		budget Budget
		want   string
	}{
		{"all of it", all, Budget{Chars: 1000, Images: 10},
			"1:99 image, 2:0 image scan, 3:99 image, 4:0 image scan, 5:99 image; without ; next "},
		{"order of the call", []int{5, 1}, Budget{Chars: 1000, Images: 10}, "5:99 image, 1:99 image; without ; next "},
		{"text only", all, Budget{Chars: 1000}, "1:99, 2:0 scan, 3:99, 4:0 scan, 5:99; without 1-5; next "},
		{"pictures only", all, Budget{Images: 5}, "1:0 image, 2:0 image scan, 3:0 image, 4:0 image scan, 5:0 image; without ; next "},
		{"scans first", all, Budget{Chars: 1000, Images: 2}, "1:99, 2:0 image scan, 3:99, 4:0 image scan, 5:99; without 1,3,5; next "},
		{"a scan is left", all, Budget{Chars: 1000, Images: 1}, "1:99, 2:0 image scan, 3:99, 5:99; without 1,3,5; next 4"},
		{"text for two", all, Budget{Chars: 197, Images: 10}, "1:99 image, 2:0 image scan; without ; next 3-5"},
		{"text for exactly two", all, Budget{Chars: 198, Images: 10}, "1:99 image, 2:0 image scan, 3:99 image, 4:0 image scan; without ; next 5"},
		{"less than a page", all, Budget{Chars: 60, Images: 10}, "1:60 image cut, 2:0 image scan; without ; next 3-5"},
		{"no room for pictures", []int{2, 4}, Budget{Chars: 60, Images: 2, ImageBytes: 20}, "4:0 scan; without 4; next 2"},
		{"nothing asked", nil, Budget{Chars: 60, Images: 10}, "; without ; next "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Extract(context.Background(), d, c.pages, c.budget)
			if err != nil {
				t.Fatal(err)
			}
			if got := extracted(r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestExtractImageBytes(t *testing.T) {
	d := openBytes(t, noisePaper(), Options{})
	for _, bytes := range []int{1 << 20, 50000, 4000} {
		r, err := Extract(context.Background(), d, []int{1}, Budget{Images: 1, ImageBytes: bytes})
		if err != nil || len(r.Pages) != 1 || len(r.Pages[0].Image) == 0 || len(r.Pages[0].Image) > bytes {
			t.Errorf("%d bytes: %s, %v", bytes, extracted(r), err)
		}
	}
}

// Following Next leads through the whole document, whatever the budget.
func TestExtractNext(t *testing.T) {
	text := sheet{content: lines(8, strings.Repeat("abcd ", 10))}
	scan := sheet{content: quarter}
	d := openBytes(t, makePaper(text, scan, scan, text, scan, text, text).bytes(), Options{})
	for _, b := range []Budget{{Chars: 10, Images: 1}, {Chars: 100, Images: 2}, {Chars: 60}, {Images: 1}, {Chars: 50, Images: 3, ImageBytes: 10}} {
		seen := map[int]bool{}
		next := []int{1, 2, 3, 4, 5, 6, 7}
		for calls := 0; len(next) > 0; calls++ {
			r, err := Extract(context.Background(), d, next, b)
			if err != nil || calls > 10 {
				t.Fatalf("%+v: %v, %v is left after %d calls", b, err, next, calls)
			}
			for _, p := range r.Pages {
				seen[p.Number] = true
			}
			next = r.Next
		}
		if len(seen) != 7 {
			t.Errorf("%+v: only %v", b, seen)
		}
	}
}

func TestExtractFails(t *testing.T) {
	d := openBytes(t, bomb(8), Options{})
	d.timeout = 300 * 1e6
	r, err := Extract(context.Background(), d, []int{1, 2}, Budget{Chars: 1000, Images: 2})
	if err != nil || extracted(r) != "1:0 timeout, 2:5 image scan; without ; next " {
		t.Errorf("%s, %v", extracted(r), err)
	}
	_, err = Extract(context.Background(), d, []int{2, 3}, Budget{})
	wantError(t, err, tool.Invalid, "page 3 does not exist", "1 to 2")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Extract(ctx, d, []int{2}, Budget{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
}
