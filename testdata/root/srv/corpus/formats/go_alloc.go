// Writes Go's sampled heap profile as text and as protobuf.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var keep [][]byte

//go:noinline
func leaf(n, size int) {
	for i := 0; i < n; i++ {
		keep = append(keep, make([]byte, size))
	}
}

func inlined(n, size int) { leaf(n, size) }

//go:noinline
func churn(n int) {
	for i := 0; i < n; i++ {
		keep[i] = nil
	}
}

func write(name string, debug int) {
	file, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	pprof.Lookup("heap").WriteTo(file, debug)
	file.Close()
}

func main() {
	runtime.MemProfileRate = 65536
	keep = make([][]byte, 0, 30000)
	inlined(20000, 100)
	leaf(3000, 5000)
	inlined(20, 300000)
	churn(1000)
	runtime.GC()
	write(os.Args[1], 1)
	write(os.Args[2], 0)
}
