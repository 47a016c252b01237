package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// resident returns the resident memory of a process and the highest it ever
// was, in MB.
func resident(pid int) (now, peak float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.ParseFloat(string(f[1]), 64)
		switch string(f[0]) {
		case "VmRSS:":
			now = kb / 1024
		case "VmHWM:":
			peak = kb / 1024
		}
	}
	if now == 0 || peak == 0 {
		return 0, 0, fmt.Errorf("no memory figures for process %d", pid)
	}
	return now, peak, nil
}
