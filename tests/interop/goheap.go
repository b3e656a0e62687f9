// Serves /debug/pprof/heap, asks itself for it in both forms, and writes them to two files.
package main

import (
	"io"
	"net/http"
	_ "net/http/pprof"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
)

var keep [][]byte

//go:noinline
func leaf(n, size int) {
	for i := 0; i < n; i++ {
		keep = append(keep, make([]byte, size))
	}
}

func inlined(n, size int) { leaf(n, size) }

func fetch(server *httptest.Server, query, path string) {
	response, err := http.Get(server.URL + "/debug/pprof/heap" + query)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := io.Copy(file, response.Body); err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 16384
	keep = make([][]byte, 0, 30000)
	inlined(20000, 100)
	leaf(3000, 5000)
	inlined(20, 300000)
	server := httptest.NewServer(nil)
	fetch(server, "", os.DevNull) // what that allocates is not to come between the two
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	fetch(server, "", os.Args[1])
	fetch(server, "?debug=1", os.Args[2])
}
