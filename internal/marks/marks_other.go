//go:build !amd64

package marks

func feeds(marks []uint64, b []byte)   { feedsPortable(marks, b) }
func escapes(marks []uint64, b []byte) { escapesPortable(marks, b) }
