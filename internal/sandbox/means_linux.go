package sandbox

var known = []struct {
	name string
	open func(Options) (means, error)
}{
	{Landlock, openLandlock},
	{Bubblewrap, openBubblewrap},
}
