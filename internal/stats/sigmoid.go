package stats

import "math"

// Sigmoid returns the probability 1/(1+e^−z) of log-odds z, with the same digits
// on every platform; math.Exp is assembly on some and differs in the last bit.
// A NaN gives a NaN.
func Sigmoid(z float64) float64 {
	if z < 0 {
		e := exp(z)
		return e / (1 + e)
	}
	return 1 / (1 + exp(-z))
}

// exp returns e to the power of x ≤ 0: x = k·ln 2 + r with |r| ≤ ln 2/2, and e^r by
// the rational approximation of FreeBSD's e_exp.c. Each product is rounded, so
// that it cannot be fused with a sum.
func exp(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		log2e = 1.44269504088896338700e+00
		p1    = 1.66666666666666657415e-01
		p2    = -2.77777777770155933842e-03
		p3    = 6.61375632143793436117e-05
		p4    = -1.65339022054652515390e-06
		p5    = 4.13813679705723846039e-08
	)
	switch {
	case math.IsNaN(x):
		return x
	case x < -745:
		return 0
	}
	k := math.Floor(float64(log2e*x) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := p5
	for _, p := range [...]float64{p4, p3, p2, p1} {
		c = p + float64(t*c)
	}
	c = r - float64(t*c)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Ldexp(y, int(k))
}
