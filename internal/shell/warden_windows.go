package shell

// A warden would end what we leave behind when we are killed. There is none
// here.
type warden struct{}

func (*Host) newWarden() *warden { return nil }

func (*warden) add(int) bool    { return true }
func (*warden) remove(int) bool { return true }
func (*warden) dismiss()        {}
