package workspace

import (
	"math"
	"os"
)

// allocated is not asked for on Windows.
func allocated(*os.File) int64 { return math.MaxInt64 }
