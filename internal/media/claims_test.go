package media

import "testing"

func TestMismatch(t *testing.T) {
	jpeg, zip := Kind{Image, "JPEG image", "image/jpeg"}, Kind{Archive, "ZIP archive", "application/zip"}
	for _, c := range []struct {
		name  string
		found Kind
		text  bool
		want  string
	}{
		{"a.png", jpeg, false, "named .png, but it is a JPEG image"},
		{"a.jpg", jpeg, false, ""},
		{`C:\x.y\a.JPEG`, jpeg, false, ""},
		{"a.png", Kind{}, true, "named .png, but it is text"},
		{"a.png", Kind{}, false, ""},
		{"a.png", Kind{Image, "AVIF image", "image/avif"}, false, "named .png, but it is an AVIF image"},
		{"a.webp", Kind{Video, "MP4 video", "video/mp4"}, false, "named .webp, but it is an MP4 video"},
		{"a.mp4", Kind{Video, "QuickTime video", "video/quicktime"}, false, ""},
		{"a.docx", zip, false, ""},
		{"a.doc", zip, false, "named .doc, but it is a ZIP archive"},
		{"a.go", jpeg, false, ""},
		{"png", jpeg, false, ""},
		{"a.svg", Kind{}, true, ""},
	} {
		if got := Mismatch(c.name, c.found, c.text); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.name, c.found.Name, got, c.want)
		}
	}
}

// What a suffix claims can be found.
func TestClaimsAreKinds(t *testing.T) {
	known := map[string]bool{}
	for _, b := range binaries {
		known[b.mime] = true
	}
	for suffix, mime := range claimed {
		if !known[mime] {
			t.Errorf("%s claims %s, which Sniff never finds", suffix, mime)
		}
	}
	if Claims("x/a.PNG") != "image/png" || Claims("a") != "" {
		t.Error("Claims")
	}
}
