package command

// EffectOf returns what a program does with its arguments.
func EffectOf(args []Word) Effect {
	return Effect{Why: "it is in no table"}
}
