#include "textflag.h"

// Each turn of a loop looks at 64 bytes. Comparing sets all bits of the bytes
// that are looked for; of each byte the highest bit is taken.

// func escapesAVX2(marks *uint64, b *byte, n int)
//
// A byte is marked when it is a quote (Y0) or a backslash (Y1), or when it is
// the smaller one of itself and 0x1f (Y2).
TEXT ·escapesAVX2(SB), NOSPLIT, $0-24
	MOVQ marks+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ $0x2222222222222222, AX
	MOVQ AX, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, AX
	MOVQ AX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0x1f1f1f1f1f1f1f1f, AX
	MOVQ AX, X2
	VPBROADCASTQ X2, Y2

turn:
	VMOVDQU (SI), Y3
	VMOVDQU 32(SI), Y4

	VPCMPEQB Y3, Y0, Y5
	VPCMPEQB Y3, Y1, Y6
	VPMINUB Y3, Y2, Y7
	VPCMPEQB Y3, Y7, Y7
	VPOR Y5, Y6, Y5
	VPOR Y5, Y7, Y5
	VPMOVMSKB Y5, AX

	VPCMPEQB Y4, Y0, Y8
	VPCMPEQB Y4, Y1, Y9
	VPMINUB Y4, Y2, Y10
	VPCMPEQB Y4, Y10, Y10
	VPOR Y8, Y9, Y8
	VPOR Y8, Y10, Y8
	VPMOVMSKB Y8, DX

	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNZ turn

	VZEROUPPER
	RET

// func pairsAVX2(marks *uint64, b *byte, n, distance int, first, second, foldFirst, foldSecond uint64)
//
// The bytes are first made small letters where that is wanted (Y2, Y3) and
// then compared (Y0, Y1), those of the second with a read at a distance (R8).
TEXT ·pairsAVX2(SB), NOSPLIT, $0-64
	MOVQ marks+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ distance+24(FP), R8
	ADDQ SI, R8
	VPBROADCASTQ first+32(FP), Y0
	VPBROADCASTQ second+40(FP), Y1
	VPBROADCASTQ foldFirst+48(FP), Y2
	VPBROADCASTQ foldSecond+56(FP), Y3

turn:
	VPOR (SI), Y2, Y4
	VPOR 32(SI), Y2, Y5
	VPOR (R8), Y3, Y6
	VPOR 32(R8), Y3, Y7
	VPCMPEQB Y4, Y0, Y4
	VPCMPEQB Y5, Y0, Y5
	VPCMPEQB Y6, Y1, Y6
	VPCMPEQB Y7, Y1, Y7
	VPAND Y4, Y6, Y4
	VPAND Y5, Y7, Y5
	VPMOVMSKB Y4, AX
	VPMOVMSKB Y5, DX
	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $64, R8
	ADDQ $8, DI
	DECQ CX
	JNZ turn

	VZEROUPPER
	RET
