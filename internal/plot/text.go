package plot

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Text draws panels side by side in characters, each so many columns and rows
// large without its labels. Without unicode it uses ASCII alone; else the dots
// of braille, eight to a character. Points with intervals are not drawn.
func Text(columns, rows int, unicode bool, panels ...Panel) string {
	blocks := make([][]string, len(panels))
	for i := range panels {
		blocks[i] = panels[i].text(columns, rows, unicode)
	}
	var b strings.Builder
	for row := range rows + 4 {
		var line strings.Builder
		for _, block := range blocks {
			line.WriteString(pad(block[row], columns+10))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-utf8.RuneCountInString(s)))
}

// text returns the lines of one panel: title, rows, axis, scale and legend.
func (p *Panel) text(columns, rows int, unicode bool) []string {
	canvas := newCanvas(columns, rows, unicode)
	for i := len(p.Lines) - 1; i >= 0; i-- { // the first on top
		canvas.draw(&p.Lines[i])
	}
	vertical, horizontal, corner := "|", "-", "+"
	if unicode {
		vertical, horizontal, corner = "│", "─", "└"
	}
	lines := []string{"  " + p.Title}
	for row := range rows {
		label := "    "
		switch row {
		case 0:
			label = "100%"
		case (rows - 1) / 2:
			label = " 50%"
		case rows - 1:
			label = "  0%"
		}
		lines = append(lines, "  "+label+vertical+canvas.row(row))
	}
	lines = append(lines, "      "+corner+strings.Repeat(horizontal, columns))
	scale := pad("       0%", 7+columns/2-1) + "50%"
	lines = append(lines, pad(scale, 7+columns-4)+"100%")
	legend := make([]string, len(p.Lines))
	for i := range p.Lines {
		legend[i] = canvas.sample(p.Lines[i].Style) + " " + p.Lines[i].Name
	}
	return append(lines, "  "+strings.Join(legend, "  "))
}

// canvas is a grid of characters, each of several dots.
type canvas struct {
	columns, rows int
	dotsX, dotsY  int // per character
	cells         []rune
}

func newCanvas(columns, rows int, unicode bool) *canvas {
	c := &canvas{columns: columns, rows: rows, dotsX: 1, dotsY: 1, cells: make([]rune, columns*rows)}
	blank := ' '
	if unicode {
		c.dotsX, c.dotsY = 2, 4
		blank = '\u2800'
	}
	for i := range c.cells {
		c.cells[i] = blank
	}
	return c
}

// every is how many dots from one that is drawn to the next, and ascii the
// character of a style.
var (
	every = [...]int{Main: 1, Other: 3, Guide: 6}
	ascii = [...]rune{Main: '#', Other: 'o', Guide: '.'}
)

// draw puts a line on the canvas, dot by dot from the left.
func (c *canvas) draw(l *Line) {
	width, height := c.columns*c.dotsX, c.rows*c.dotsY
	last, drawn := -1, 0
	for x := range width {
		y, ok := l.at((float64(x) + 0.5) / float64(width))
		if !ok {
			return
		}
		row := min(height-1, int(math.Floor((1-y)*float64(height))))
		row = max(0, row)
		from := row
		if last >= 0 && c.dotsX > 1 { // close a steep line
			from = min(row+max(0, last-row-1), height-1)
		}
		for ; from >= row; from-- {
			if drawn%every[l.Style] == 0 || c.dotsX == 1 {
				c.dot(x, from, l.Style)
			}
			drawn++
		}
		last = row
	}
}

// brailleBit is the bit of a dot within its character, by row and column.
var brailleBit = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (c *canvas) dot(x, y int, s Style) {
	cell := &c.cells[y/c.dotsY*c.columns+x/c.dotsX]
	if c.dotsX == 1 {
		*cell = ascii[s]
		return
	}
	*cell |= brailleBit[y%4][x%2]
}

func (c *canvas) row(i int) string {
	cells := c.cells[i*c.columns : (i+1)*c.columns]
	return strings.ReplaceAll(string(cells), "\u2800", " ")
}

// sample shows a style in the legend.
func (c *canvas) sample(s Style) string {
	if c.dotsX == 1 {
		return string(ascii[s])
	}
	return [...]string{Main: "⠤⠤", Other: "⠄⠠", Guide: "⠄"}[s]
}
