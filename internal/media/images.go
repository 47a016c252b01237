package media

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/burin-tools/burin/tool"
)

// Limits of what is decoded, and of what is sent.
const (
	maxImageBytes  = 64 << 20
	maxImagePixels = 100_000_000
	maxImageEdge   = 1_000_000
	// maxDecodeMemory bounds what one decoder may keep, but for the picture
	// that it makes. Most decoders go row by row and keep next to nothing.
	maxDecodeMemory = 160 << 20
	// maxWholePixels bounds a picture that is not made smaller.
	maxWholePixels = 24_000_000
	// maxSentEdge is the longest edge that models take at all.
	maxSentEdge = 8000

	defaultBudget = 256 << 10
	closeBudget   = 3840 << 10 // 3.75 MiB
	defaultEdge   = 2000
)

// ImageOptions say what of an image is wanted, and how large it may be.
type ImageOptions struct {
	Region *Region // in pixels of the image as it is seen, nil for all of it
	Full   bool    // never made smaller
	Budget int     // bytes; 0 is 256 KiB, with Region or Full 3.75 MiB
	Edge   int     // longest edge in pixels; 0 is 2000
}

// A Region is a part of an image.
type Region struct{ X, Y, Width, Height int }

// String returns "region (x=1, y=2, width=3, height=4)".
func (r Region) String() string {
	return fmt.Sprintf("region (x=%d, y=%d, width=%d, height=%d)", r.X, r.Y, r.Width, r.Height)
}

// A Picture is an image that a model can be shown.
type Picture struct {
	Data          []byte
	MIME          string // of Data: PNG, JPEG, GIF or WebP
	Width, Height int    // of Data

	OriginalWidth, OriginalHeight int // as it is seen: EXIF orientation applied
	OriginalMIME                  string
	OriginalSize                  int64

	Region Region   // what of the original is shown
	Scale  float64  // pixels sent for one of the original: 1 or less
	How    string   // one of the constants below
	Notes  []string // sentences: what was changed, and what is not shown
}

// IsPart reports whether less than the whole image is shown.
func (p *Picture) IsPart() bool {
	return p.Region != Region{0, 0, p.OriginalWidth, p.OriginalHeight}
}

// How a Picture was made.
const (
	AsItIs    = "as it is"         // the very bytes of the file
	Cleaned   = "without metadata" // the same pixels, bit for bit
	Converted = "converted"        // the same size, written anew
	Reduced   = "reduced"          // made smaller
	Cut       = "region"           // a part of it, perhaps made smaller
)

// PrepareImage makes an image of any format that it knows ready for a model.
// A small and healthy PNG, JPEG, GIF or WebP is taken as it is; all else is
// decoded, turned as EXIF says, made smaller and written anew. Metadata (EXIF
// with its places, XMP, IPTC, comments) is never passed on, and no Picture is
// larger than the budget.
//
// Memory does not grow with the image: files over 64 MiB, images over 100
// million pixels, and those whose format takes too much to decode are refused.
// No more than two calls decode at a time. Errors are of type *tool.Error with
// a Next sentence, or those of src and ctx.
func PrepareImage(ctx context.Context, src io.ReaderAt, size int64, o ImageOptions) (*Picture, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	s, err := openImage(src, size)
	if err != nil {
		return nil, err
	}
	job, err := newImageJob(s, o)
	if err != nil {
		return nil, err
	}
	leave, err := enterDecoding(ctx, s.memory > maxDecodeMemory/4)
	if err != nil {
		return nil, err
	}
	defer leave()
	return job.run(ctx)
}

// filled puts the defaults where nothing is given.
func (o ImageOptions) filled() (ImageOptions, error) {
	if r := o.Region; r != nil && (r.X < 0 || r.Y < 0 || r.Width < 1 || r.Height < 1) {
		return o, &tool.Error{Kind: tool.Invalid, Reason: "a region starts at 0 or more and is at least one pixel wide and high",
			Next: "Give x and y from 0 on, and width and height from 1 on, in pixels of the original."}
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget
		if o.Region != nil || o.Full {
			o.Budget = closeBudget
		}
	}
	if o.Edge <= 0 {
		o.Edge = defaultEdge
	}
	o.Edge = min(o.Edge, maxSentEdge)
	return o, nil
}

// An imageJob is one image on its way to a Picture.
type imageJob struct {
	s   *imageSource
	o   ImageOptions
	pic *Picture
}

// newImageJob finds what is to be shown. It decodes nothing.
func newImageJob(s *imageSource, o ImageOptions) (*imageJob, error) {
	w, h := turnedSize(s.orientation, s.width, s.height)
	j := &imageJob{s: s, o: o, pic: &Picture{
		OriginalWidth: w, OriginalHeight: h, OriginalMIME: s.kind.MIME, OriginalSize: s.size,
		Region: Region{0, 0, w, h}, Scale: 1, Notes: slices.Clone(s.notes),
	}}
	if r := o.Region; r != nil {
		if r.X >= w || r.Y >= h {
			return nil, &tool.Error{Kind: tool.Invalid,
				Reason: fmt.Sprintf("the region starts at %d,%d, outside the image, which is %dx%d", r.X, r.Y, w, h),
				Next:   fmt.Sprintf("Give a region inside %dx%d pixels.", w, h)}
		}
		j.pic.Region = Region{r.X, r.Y, min(r.Width, w-r.X), min(r.Height, h-r.Y)}
	}
	if err := s.guard(j.pic.IsPart()); err != nil {
		return nil, err
	}
	return j, j.guardFull()
}

// guardFull refuses what cannot be shown in full.
func (j *imageJob) guardFull() error {
	if !j.o.Full {
		return nil
	}
	r := j.pic.Region
	next := "Ask for a region, or for the image without full resolution."
	if j.pic.IsPart() {
		next = "Ask for a smaller region, or for this one without full resolution."
	}
	if !j.pic.IsPart() && j.s.clean != nil && j.s.size > int64(j.o.Budget) {
		return &tool.Error{Kind: tool.TooLarge, Next: next,
			Reason: fmt.Sprintf("the image has %s, and in full resolution only %s can be sent", sizeWords(j.s.size), sizeWords(int64(j.o.Budget)))}
	}
	if r.Width > maxSentEdge || r.Height > maxSentEdge || int64(r.Width)*int64(r.Height) > maxWholePixels {
		return &tool.Error{Kind: tool.TooLarge, Next: next,
			Reason: fmt.Sprintf("%dx%d pixels are too many for full resolution: models take no edge over %d pixels, and no more than %d million pixels are kept",
				r.Width, r.Height, maxSentEdge, maxWholePixels/1_000_000)}
	}
	return nil
}

func (j *imageJob) run(ctx context.Context) (*Picture, error) {
	done, err := j.unchanged(ctx)
	if done || err != nil {
		return j.pic, err
	}
	if j.s.memory > maxDecodeMemory/4 {
		runtime.GC() // what an earlier image left must not count beside this one
	}
	img, err := j.decode(ctx)
	if err != nil {
		return nil, err
	}
	if err := j.encode(ctx, img); err != nil {
		return nil, err
	}
	j.pic.Scale = float64(j.pic.Width) / float64(j.pic.Region.Width)
	return j.pic, nil
}

// unchanged takes the file as it is, or only without its metadata, if it may
// be sent so.
func (j *imageJob) unchanged(ctx context.Context) (bool, error) {
	s, p := j.s, j.pic
	const room = 1 << 20 // metadata can be larger than the image
	small := j.o.Full || max(s.width, s.height) <= j.o.Edge
	if j.pic.IsPart() || !small || s.clean == nil || s.orientation > 1 || s.size > int64(j.o.Budget)+room {
		return false, nil
	}
	data := make([]byte, s.size)
	if _, err := io.ReadFull(io.NewSectionReader(s.src, 0, s.size), data); err != nil {
		return false, s.broken(err)
	}
	clean, ok := s.clean(data)
	if !ok || len(clean) > j.o.Budget || !s.usual(clean) {
		return false, nil
	}
	if err := s.proof(ctx); err != nil {
		return false, err
	}
	p.Data, p.MIME, p.Width, p.Height, p.How = clean, s.kind.MIME, s.width, s.height, AsItIs
	if len(clean) != len(data) {
		p.How = Cleaned
	}
	return true, nil
}

// decode returns the region, turned, and no larger than may be sent.
func (j *imageJob) decode(ctx context.Context) (*pixels, error) {
	s, r := j.s, j.pic.Region
	stored := storedRegion(s.orientation, r, s.width, s.height)
	w, h := stored.Width, stored.Height
	if !j.o.Full {
		w, h = fit(w, h, j.o.Edge)
	}
	rows, err := s.rows(ctx, j.shrink(w, h))
	if err != nil {
		return nil, s.broken(err)
	}
	if (j.pic.IsPart() || j.o.Full) && rows.width() != s.width {
		return nil, s.tooMuch()
	}
	if rows.width() < w {
		j.note("It was decoded at an eighth of its size, because a progressive JPEG of so many pixels takes too much memory; ask for no region of it.")
	}
	if !j.pic.IsPart() {
		stored = Region{0, 0, rows.width(), rows.height()}
		w, h = min(w, stored.Width), min(h, stored.Height)
	}
	img, err := readPixels(ctx, rows, stored, w, h)
	if err != nil {
		return nil, s.broken(err)
	}
	if s.orientation > 1 {
		j.note("It was turned as %s says.", s.turnedBy())
	}
	return img.turned(s.orientation), nil
}

// shrink is by which power of two the decoder may make the image smaller on
// its way to w by h.
func (j *imageJob) shrink(w, h int) int {
	by := 1
	for !j.pic.IsPart() && by < 8 && j.s.width/(by*2) >= w && j.s.height/(by*2) >= h {
		by *= 2
	}
	return by
}

func (j *imageJob) note(format string, a ...any) {
	j.pic.Notes = append(j.pic.Notes, fmt.Sprintf(format, a...))
}

// fit returns w by h made as small as edge asks, with the same proportions.
func fit(w, h, edge int) (int, int) {
	long := max(w, h)
	if long <= edge {
		return w, h
	}
	scaled := func(n int) int { return max(1, int((int64(n)*int64(edge)+int64(long)/2)/int64(long))) }
	return scaled(w), scaled(h)
}

// sizeWords says a number of bytes for people.
func sizeWords(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// decoding has a place for each image that is decoded; one that takes much
// memory takes both, and waits for the other place alone.
var (
	decoding = make(chan struct{}, 2)
	heavy    = make(chan struct{}, 1)
)

// enterDecoding waits until an image may be decoded. The function that it
// returns must be called when that is done.
func enterDecoding(ctx context.Context, much bool) (leave func(), err error) {
	var held []chan struct{}
	leave = func() {
		for _, c := range held {
			<-c
		}
	}
	queue := []chan struct{}{decoding}
	if much {
		queue = []chan struct{}{heavy, decoding, decoding}
	}
	for _, c := range queue {
		select {
		case c <- struct{}{}:
			held = append(held, c)
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}
