// SPDX-License-Identifier: GPL-2.0-only

// Functions of a Go program itself, while the runtime grows their stacks and moves them.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

const depth, goroutines = 300, 100

//go:noinline
func hm_grow(n int) int {
	var room [512]byte
	room[n%512] = byte(n)
	if n == 0 {
		return int(room[0])
	}
	return hm_grow(n-1) + int(room[n%512])*0 + 1
}

func main() {
	var group sync.WaitGroup
	sums := make([]int, goroutines)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			sums[i] = hm_grow(depth)
			runtime.GC()
		}(i)
	}
	group.Wait()
	sum := 0
	for _, n := range sums {
		sum += n
	}
	fmt.Println("sum", sum)
	fmt.Println("calls main.hm_grow", goroutines*(depth+1))
}
