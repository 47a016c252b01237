package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// peerPaths takes the files out of an answer of a peer.
func peerPaths(answer []byte) []string {
	list := strings.FieldsFunc(string(answer), func(r rune) bool { return r == 0 || r == '\n' })
	for i := range list {
		list[i] = strings.TrimPrefix(list[i], "./")
	}
	slices.Sort(list)
	return list
}

// Reasons for which Burin and a peer may differ about a file.
const (
	heldBack  = "held back, as it may hold secrets"
	isLink    = "no regular file"
	isBinary  = "a NUL byte in the file"
	attribute = "not text, by its attributes"
	isIgnored = "ignored"
)

// compare fails when two answers differ in a file without a reason.
func (c *contest) compare(q *question, peer string, ours, theirs []string) (map[string]int, error) {
	why := map[string]int{}
	var extra, lacking []string // in the peer's answer
	for len(ours)+len(theirs) > 0 {
		switch {
		case len(theirs) == 0 || len(ours) > 0 && ours[0] < theirs[0]:
			lacking, ours = append(lacking, ours[0]), ours[1:]
		case len(ours) == 0 || theirs[0] < ours[0]:
			extra, theirs = append(extra, theirs[0]), theirs[1:]
		default:
			ours, theirs = ours[1:], theirs[1:]
		}
	}
	if q.pattern == "" {
		extra = slices.DeleteFunc(extra, func(path string) bool {
			no := !regular(filepath.Join(c.tree.dir, path))
			if no {
				why[isLink]++
			}
			return no
		})
		if strings.HasPrefix(peer, "rg ") && c.outside == nil && len(extra) == c.held {
			c.outside = map[string]bool{}
			for _, path := range extra {
				c.outside[path] = true
			}
		}
	}
	var wrong []string
	for _, path := range slices.Concat(extra, lacking) {
		if reason := c.excuse(q, peer, path); reason != "" {
			why[reason]++
		} else {
			wrong = append(wrong, path)
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("burin and %s differ about %d files, such as %q; only %[1]s has %[4]q", peer, len(wrong), head(wrong), head(extra))
	}
	return why, nil
}

func head(list []string) []string { return list[:min(len(list), 5)] }

// excuse names the reason for which a file may be in one answer only.
func (c *contest) excuse(q *question, peer, path string) string {
	full := filepath.Join(c.tree.dir, path)
	switch {
	case c.outside[path]:
		return heldBack
	case !regular(full):
		return isLink
	case q.pattern == "":
		return ""
	case hasNUL(full):
		return isBinary
	case peer == gitSide && !c.isText(path):
		return attribute
	case peer == grepSide && exec.CommandContext(c.ctx, "git", "-C", c.tree.dir, "check-ignore", "-q", "--", path).Run() == nil:
		return isIgnored
	}
	return ""
}

func regular(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// hasNUL tells whether a file is binary somewhere. The peers look for that in
// pieces of other sizes, before or after they have found a match.
func hasNUL(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return err == nil && bytes.IndexByte(text, 0) >= 0
}

func (c *contest) isText(path string) bool {
	out, err := exec.CommandContext(c.ctx, "git", "-C", c.tree.dir, "check-attr", "diff", "--", path).Output()
	return err == nil && !bytes.HasSuffix(bytes.TrimSpace(out), []byte(": unset"))
}
