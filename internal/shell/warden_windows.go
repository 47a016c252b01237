package shell

// A warden would end what we leave behind when we are killed. There is none
// here.
type warden struct{}

func startWarden(Program, string, string) *warden { return nil }

func (*warden) add(int)     {}
func (*warden) remove(int)  {}
func (*warden) is(int) bool { return false }
func (*warden) dismiss()    {}
