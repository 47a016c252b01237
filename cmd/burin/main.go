// Burin is an engine of file tools for AI coding agents; see burin --help.
package main

import (
	"os"

	"github.com/burin-tools/burin/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
