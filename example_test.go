package burin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/burin-tools/burin"
)

func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("Hello, wrold!\n"), 0o644)

	engine, err := burin.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	session, err := engine.Session(&burin.SessionOptions{Dialect: "native"})
	if err != nil {
		log.Fatal(err)
	}
	args := json.RawMessage(`{"file_path":"hello.txt","old_string":"wrold","new_string":"world"}`)
	result, err := session.Call(context.Background(), "Edit", args)
	fmt.Println(result.Text(), err)
	// Output:
	// Edited hello.txt: 1 replacement at line 1, +1 −1 lines. <nil>
}
