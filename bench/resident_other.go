//go:build !linux

package main

import "errors"

func resident(int) (now, peak float64, err error) {
	return 0, 0, errors.New("resident memory is read from /proc, which only Linux has")
}
