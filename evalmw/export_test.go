package evalmw

// WithWallClock makes the CPU budget count wall time, which synctest can fake.
func WithWallClock() Option {
	return optionFunc(func(c config) config {
		c.wallClock = true
		return c
	})
}
