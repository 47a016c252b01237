package pdf

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// FuzzPDF shows whatever to PDFium. It may refuse, but it must end, and the
// next document must open. It runs on other code each time, so let it not make
// inputs smaller: -fuzzminimizetime 1x.
func FuzzPDF(f *testing.F) {
	for _, b := range [][]byte{
		makePaper(sheet{content: quarter + lines(12, "Hello"), more: "/Rotate 90"}, hello).bytes(),
		sample(lockedRC4), sample(lockedAES), sample(ownerOnly), sample(objectStreams), sample(brokenTable),
		bomb(3), []byte("%PDF-1.7"),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		visit(ctx, t, b)
		if took := time.Since(begin); took > 3*time.Second+2*patience {
			t.Errorf("it took %v", took)
		}
		if len(taken) > 0 {
			t.Fatal("a place is lost")
		}
	})
}

func visit(ctx context.Context, t *testing.T, b []byte) {
	d, err := Open(ctx, bytes.NewReader(b), int64(len(b)), Options{})
	if err != nil {
		if err.Error() == "" {
			t.Error("the error says nothing")
		}
		return
	}
	defer d.Close()
	if d.Pages() < 1 {
		t.Errorf("%d pages", d.Pages())
	}
	r, err := Extract(ctx, d, []int{1}, Budget{Chars: 1000, Images: 1, ImageBytes: 50000, Edge: 200})
	if err != nil {
		return
	}
	if len(r.Pages) != 1 || len(r.Pages[0].Image) > 50000 {
		t.Errorf("%s", extracted(r))
	}
}
