package index

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// matrix is dense, row by row.
type matrix struct {
	rows, cols int
	data       []float64
}

func newMatrix(rows, cols int) matrix {
	return matrix{rows, cols, make([]float64, rows*cols)}
}

func (m matrix) row(i int) []float64 { return m.data[i*m.cols : (i+1)*m.cols] }

// The conversions around the products below forbid fusing them with the
// addition, which some processors do and others do not.

func addScaled(dst []float64, factor float64, src []float64) {
	for i, x := range src {
		dst[i] += float64(factor * x)
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

func scale(v []float64, factor float64) {
	for i := range v {
		v[i] *= factor
	}
}

// rightSingularVectors returns, as columns, the first dims right singular
// vectors of a sparse matrix of the given width, by randomised subspace
// iteration (Halko, Martinsson, Tropp 2011, algorithm 4.4) with a fixed seed.
func rightSingularVectors(rows [][]entry, width, dims int) matrix {
	dims = min(dims, len(rows), width)
	sketch := min(dims+lsaOversample, len(rows), width)

	z := newMatrix(width, sketch)
	rng := rand.New(rand.NewPCG(lsaSeed, 0))
	for i := range z.data {
		z.data[i] = float64(int(rng.Uint64()&1)*2 - 1)
	}
	for range lsaRounds {
		y := multiply(rows, z)
		orthonormalize(y)
		z = multiplyTransposed(rows, y, width)
	}
	// z = Aᵀy with y orthonormal, so the eigenvectors of zᵀz rotate z's columns
	// into the right singular vectors, each still stretched by its value.
	values, vectors := eigen(gram(z))
	order := make([]int, sketch)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })

	basis := newMatrix(width, dims)
	for i := range width {
		for d := range dims {
			if lambda := values[order[d]]; lambda > 1e-12 {
				basis.row(i)[d] = dot(z.row(i), vectors.row(order[d])) / math.Sqrt(lambda)
			}
		}
	}
	return basis
}

// multiply returns rows · z.
func multiply(rows [][]entry, z matrix) matrix {
	y := newMatrix(len(rows), z.cols)
	for i, row := range rows {
		for _, e := range row {
			addScaled(y.row(i), e.weight, z.row(e.id))
		}
	}
	return y
}

// multiplyTransposed returns rowsᵀ · y.
func multiplyTransposed(rows [][]entry, y matrix, width int) matrix {
	z := newMatrix(width, y.cols)
	for i, row := range rows {
		for _, e := range row {
			addScaled(z.row(e.id), e.weight, y.row(i))
		}
	}
	return z
}

// orthonormalize makes the columns of y orthonormal (modified Gram-Schmidt,
// in passes over rows, where they lie side by side). A column that depends on
// the ones before it becomes zero.
func orthonormalize(y matrix) {
	projection := make([]float64, y.cols)
	for j := range y.cols {
		clear(projection)
		for i := range y.rows {
			addScaled(projection[j:], y.row(i)[j], y.row(i)[j:])
		}
		factor := 0.0
		if projection[j] > 1e-20 {
			factor = 1 / projection[j]
		}
		for i := range y.rows {
			row := y.row(i)
			addScaled(row[j+1:], -row[j]*factor, projection[j+1:])
			row[j] *= math.Sqrt(factor)
		}
	}
}

// gram returns zᵀz.
func gram(z matrix) matrix {
	g := newMatrix(z.cols, z.cols)
	for i := range z.rows {
		for j, x := range z.row(i) {
			addScaled(g.row(j), x, z.row(i))
		}
	}
	return g
}

// eigen returns the eigenvalues of a symmetric matrix, which it overwrites, and
// its eigenvectors as rows, by cyclic Jacobi rotations.
func eigen(a matrix) (values []float64, vectors matrix) {
	n := a.cols
	vectors = newMatrix(n, n)
	for i := range n {
		vectors.row(i)[i] = 1
	}
	trace := 0.0
	for i := range n {
		trace += a.row(i)[i]
	}
	for range 30 { // sweeps; about eight converge
		off := 0.0
		for p := range n {
			for q := p + 1; q < n; q++ {
				off += math.Abs(a.row(p)[q])
				rotate(a, vectors, p, q)
			}
		}
		if off <= 1e-13*trace {
			break
		}
	}
	values = make([]float64, n)
	for i := range n {
		values[i] = a.row(i)[i]
	}
	return values, vectors
}

// rotate zeroes a[p][q] by a rotation in that plane.
func rotate(a, vectors matrix, p, q int) {
	apq := a.row(p)[q]
	if apq == 0 {
		return
	}
	theta := (a.row(q)[q] - a.row(p)[p]) / (2 * apq)
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	turn := func(x, y *float64) { *x, *y = float64(c**x)-float64(s**y), float64(s**x)+float64(c**y) }
	for k := range a.cols {
		turn(&a.row(k)[p], &a.row(k)[q])
	}
	for k := range a.cols {
		turn(&a.row(p)[k], &a.row(q)[k])
		turn(&vectors.row(p)[k], &vectors.row(q)[k])
	}
}
