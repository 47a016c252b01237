package permission

import (
	"testing"

	"github.com/burin-tools/burin/tool"
)

func TestWindowsNames(t *testing.T) {
	tests := []struct {
		deny, name string
		want       tool.Decision
	}{
		{"src/**", `C:\w\src\a.go`, tool.Deny},
		{"SRC/**", `c:\W\src\a.go`, tool.Deny},
		{`C:\w\src`, `C:\w\src\a.go`, tool.Deny},
		{"c:/w/src/*.go", `C:\w\src\a.go`, tool.Deny},
		{`\\server\share\x`, `\\server\share\x\y`, tool.Deny},
		{"lib/**", `C:\w\src\a.go`, tool.Allow},
	}
	for _, tt := range tests {
		p, err := New(Options{Mode: AcceptEdits, OutsideWrite: AllowOutside, Roots: []string{`C:\w`}, Deny: []string{"Edit(" + tt.deny + ")"}})
		if err != nil {
			t.Fatal(err)
		}
		a := tool.Access{Op: tool.Write, Given: tt.name, Real: tt.name, Root: `C:\w`}
		if v := p.Check(&tool.Plan{Tool: "Write", Access: []tool.Access{a}}); v.Decision != tt.want {
			t.Errorf("deny %s on %s: got %s", tt.deny, tt.name, v.Decision)
		}
	}
}
