// SPDX-License-Identifier: GPL-2.0-only

// Goroutines call the library, by cgo, and are called back by it.
package main

// #cgo LDFLAGS: -ltmharm
// #include "library.h"
// extern int goCallback(void *);
// static int call_back(int x) { return hm_call((int (*)(void *))goCallback, (void *)(long)x); }
import "C"
import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

//export goCallback
func goCallback(x unsafe.Pointer) C.int {
	runtime.Gosched()
	return C.hm_plain(C.int(uintptr(x)))
}

func grow(n int) int {
	var room [256]byte
	room[n%256] = byte(n)
	if n == 0 {
		return int(C.call_back(1))
	}
	return grow(n-1) + int(room[n%256])*0
}

func main() {
	var group sync.WaitGroup
	sums := make([]int, 20)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for k := 0; k < 20; k++ {
				sums[i] += grow(k * 4)
			}
			runtime.GC()
		}(i)
	}
	group.Wait()
	sum := 0
	for _, n := range sums {
		sum += n
	}
	fmt.Println("sum", sum)
	fmt.Println("calls hm_call 400 hm_plain 400")
}
