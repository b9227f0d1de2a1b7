package evalmw

import (
	"syscall"
	"time"
	"unsafe"
)

const clockThreadCPU = 3 // CLOCK_THREAD_CPUTIME_ID

// threadTime returns the running thread and the processor time it has used.
func threadTime() (int, time.Duration) {
	var ts syscall.Timespec
	tid, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 {
		return 0, 0
	}
	return int(tid), time.Duration(ts.Nano())
}
