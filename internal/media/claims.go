package media

import (
	"path"
	"slices"
	"strings"
)

// Claims returns what the suffix of a name says a file is: a MIME type, ""
// for text and for a suffix that it does not know.
func Claims(name string) string { return claimed[suffix(name)] }

// Mismatch says in a few words that a file is not what its name claims, for
// example "named .png, but it is a JPEG image". It is empty where the two agree
// or the name claims nothing. found is what Sniff says of the content; text
// tells that it is text.
func Mismatch(name string, found Kind, text bool) string {
	claim := Claims(name)
	switch {
	case claim == "" || claim == found.MIME || sameBox(claim, found.MIME):
		return ""
	case text:
		return "named " + suffix(name) + ", but it is text"
	case found.Name == "":
		return ""
	}
	return "named " + suffix(name) + ", but it is " + article(found.Name)
}

func suffix(name string) string {
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}

// sameBox reports that two types are one format with several names: the
// containers of MP4 and of Matroska, and the pictures of HEIF.
func sameBox(a, b string) bool {
	for _, same := range [...]string{"video/mp4 audio/mp4 video/quicktime video/3gpp", "video/webm video/x-matroska", "image/heic image/heif image/avif"} {
		if list := strings.Fields(same); slices.Contains(list, a) && slices.Contains(list, b) {
			return true
		}
	}
	return false
}

// claimed holds the suffixes of what Sniff recognises.
var claimed = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp",
	".tif": "image/tiff", ".tiff": "image/tiff", ".ico": "image/x-icon", ".avif": "image/avif", ".heic": "image/heic", ".heif": "image/heif",
	".psd": "image/vnd.adobe.photoshop", ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".3gp": "video/3gpp",
	".3g2": "video/3gpp", ".mkv": "video/x-matroska", ".webm": "video/webm", ".avi": "video/x-msvideo", ".flv": "video/x-flv", ".wmv": "video/x-ms-wmv",
	".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "application/ogg", ".oga": "application/ogg", ".opus": "application/ogg",
	".ogv": "application/ogg", ".m4a": "audio/mp4", ".mp3": "audio/mpeg", ".pdf": "application/pdf", ".gz": "application/gzip",
	".tgz": "application/gzip", ".xz": "application/x-xz", ".zst": "application/zstd", ".7z": "application/x-7z-compressed", ".rar": "application/vnd.rar",
	".tar": "application/x-tar", ".wasm": "application/wasm", ".zip": "application/zip", ".bz2": "application/x-bzip2",
	".docx": "application/zip", ".xlsx": "application/zip", ".pptx": "application/zip", ".odt": "application/zip", ".ods": "application/zip",
	".odp": "application/zip", ".jar": "application/zip", ".apk": "application/zip", ".doc": "application/x-ole-storage",
	".xls": "application/x-ole-storage", ".ppt": "application/x-ole-storage",
}

// article puts a or an before the name of a kind.
func article(name string) string {
	for _, start := range [...]string{"A", "E", "I", "O", "MP", "M4", "FLV", "xz", "old", "empty"} {
		if strings.HasPrefix(name, start) {
			return "an " + name
		}
	}
	return "a " + name
}
