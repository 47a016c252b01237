package workspace

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// stampOf describes an open file.
func stampOf(f *os.File) (Stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return Stamp{}, err
	}
	st := Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Mode: info.Mode(), Links: 1}
	h := windows.Handle(f.Fd())
	var id windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &id); err != nil {
		return Stamp{}, err
	}
	st.Dev = uint64(id.VolumeSerialNumber)
	st.Ino = uint64(id.FileIndexHigh)<<32 | uint64(id.FileIndexLow)
	st.Links = uint64(id.NumberOfLinks)
	var basic struct {
		created, accessed, written, changed int64
		attributes                          uint32
		_                                   uint32
	}
	err = windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err == nil {
		ft := windows.Filetime{LowDateTime: uint32(basic.changed), HighDateTime: uint32(basic.changed >> 32)}
		st.Change = time.Unix(0, ft.Nanoseconds()).UnixNano()
	}
	return st, nil
}
