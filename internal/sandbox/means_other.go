//go:build !linux

package sandbox

var known []struct {
	name string
	open func(Options) (means, error)
}
