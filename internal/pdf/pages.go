package pdf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/burin-tools/burin/tool"
)

// MaxPages is how many pages one call may ask for.
const MaxPages = 20

var span = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-?\d+)\s*(?:(-)\s*(-?\d+)?)?$`)
})

// ParsePages reads which pages of total are asked for: numbers and ranges with
// commas between them, "3", "1-5", "2,4-6". A negative number counts from the
// end, -1 is the last page; "5-" goes to the end. The order is kept, and what
// is named twice comes once. Errors, of kind Invalid, name the valid range;
// more than MaxPages pages are one.
func ParsePages(spec string, total int) (pages []int, err error) {
	seen := map[int]bool{}
	for part := range strings.SplitSeq(spec, ",") {
		first, last, err := parseSpan(strings.TrimSpace(part), total)
		if err != nil {
			return nil, err
		}
		for p := first; p <= last; p++ {
			if !seen[p] {
				seen[p] = true
				pages = append(pages, p)
			}
		}
	}
	if len(pages) > MaxPages {
		return nil, wrongPages(fmt.Sprintf("%q are %d pages, more than the %d of one call", spec, len(pages), MaxPages),
			fmt.Sprintf("Ask for %s first.", Ranges(pages[:MaxPages])))
	}
	return pages, nil
}

// parseSpan reads a number or a range. It is inside the document.
func parseSpan(part string, total int) (first, last int, err error) {
	m := span().FindStringSubmatch(part)
	if m == nil {
		return 0, 0, wrongPages(fmt.Sprintf("%q names no pages", part),
			fmt.Sprintf(`Give numbers from 1 to %d and ranges, such as "1" or "1-5,8"; -1 is the last page, "5-" goes on to the end.`, total))
	}
	if first, err = parsePage(m[1], total); err != nil {
		return 0, 0, err
	}
	switch {
	case m[2] == "":
		return first, first, nil
	case m[3] == "":
		return first, total, nil
	}
	if last, err = parsePage(m[3], total); err != nil {
		return 0, 0, err
	}
	if last < first {
		return 0, 0, wrongPages(fmt.Sprintf("the range %q ends at page %d, before it starts at page %d", part, last, first),
			fmt.Sprintf("Name the smaller page first; there are pages 1 to %d.", total))
	}
	return first, last, nil
}

func parsePage(digits string, total int) (int, error) {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, wrongPages(fmt.Sprintf("page %s does not exist", digits), theseExist(total))
	}
	page := n
	if n < 0 {
		page = total + 1 + n
	}
	if page < 1 || page > total {
		return 0, outside(n, total)
	}
	return page, nil
}

func outside(page, total int) error {
	return wrongPages(fmt.Sprintf("page %d does not exist, the document has %s", page, countPages(total)), theseExist(total))
}

func theseExist(total int) string {
	if total == 1 {
		return "The only page is 1."
	}
	return fmt.Sprintf("Valid pages are 1 to %d, or -%d to -1 from the end.", total, total)
}

func countPages(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}

func wrongPages(reason, next string) error {
	return &tool.Error{Kind: tool.Invalid, Reason: reason, Next: next}
}

// Ranges writes pages the way that ParsePages reads them: "1-3,7".
func Ranges(pages []int) string {
	var parts []string
	for len(pages) > 0 {
		n := 1
		for n < len(pages) && pages[n] == pages[n-1]+1 {
			n++
		}
		part := strconv.Itoa(pages[0])
		if n > 1 {
			part += "-" + strconv.Itoa(pages[n-1])
		}
		parts = append(parts, part)
		pages = pages[n:]
	}
	return strings.Join(parts, ",")
}
