package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// The measures of the figure, in user units.
const (
	side   = 260 // of a panel's square
	left   = 62  // room for the y axis
	top    = 74  // room for titles
	bottom = 84  // room for the x axis and the legend
	gap    = 24
)

const svgStyle = `
svg{color-scheme:light dark;--ground:#ffffff;--ink:#1f2328;--faint:#59636e;--grid:#e4e8ec;--main:#0b62d6;--other:#b35900}
@media(prefers-color-scheme:dark){svg{--ground:#0d1117;--ink:#e6edf3;--faint:#9aa4af;--grid:#2b323b;--main:#6cb0ff;--other:#ffb057}}
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--ink)}
.figure{font-size:16px;font-weight:600}.title{font-size:13px;font-weight:600}.faint{fill:var(--faint);font-size:11px}
.ground{fill:var(--ground)}.grid{stroke:var(--grid);fill:none}.main{stroke:var(--main);stroke-width:2.2;fill:none}
.other{stroke:var(--other);stroke-width:1.8;stroke-dasharray:6 3;fill:none}.guide{stroke:var(--faint);stroke-width:1.2;stroke-dasharray:2 3;fill:none}
.dot{fill:var(--main)}.bar{stroke:var(--main);stroke-width:1.2}
`

var class = [...]string{Main: "main", Other: "other", Guide: "guide"}

// SVG writes panels side by side as one image, which is legible on a light and on
// a dark page and needs nothing from elsewhere.
func SVG(w io.Writer, title, subtitle string, panels ...Panel) error {
	width, height := len(panels)*(left+side+gap), top+side+bottom
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&b, "\n<title>%s</title>\n<style>%s</style>\n", html.EscapeString(title), svgStyle)
	fmt.Fprintf(&b, `<rect class="ground" width="%d" height="%d"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text class="figure" x="16" y="26">%s</text><text class="faint" x="16" y="44">%s</text>`+"\n",
		html.EscapeString(title), html.EscapeString(subtitle))
	for i := range panels {
		panels[i].svg(&b, i*(left+side+gap)+left)
	}
	b.WriteString("</svg>\n")
	_, err := b.WriteTo(w)
	return err
}

// svg draws the panel with its left axis at x.
func (p *Panel) svg(b *bytes.Buffer, x int) {
	fmt.Fprintf(b, `<g transform="translate(%d %d)">`+"\n", x, top)
	fmt.Fprintf(b, `<text class="title" x="0" y="-10">%s</text>`+"\n", html.EscapeString(p.Title))
	for percent := 0; percent <= 100; percent += 25 {
		at := side * percent / 100
		fmt.Fprintf(b, `<path class="grid" d="M%d 0V%dM0 %dH%d"/>`, at, side, at, side)
		fmt.Fprintf(b, `<text class="faint" x="%d" y="%d" text-anchor="middle">%d%%</text>`, at, side+16, percent)
		fmt.Fprintf(b, `<text class="faint" x="-6" y="%d" text-anchor="end">%d%%</text>`+"\n", side-at+4, percent)
	}
	fmt.Fprintf(b, `<text class="faint" x="%d" y="%d" text-anchor="middle">%s</text>`, side/2, side+34, html.EscapeString(p.X))
	fmt.Fprintf(b, `<text class="faint" transform="translate(-42 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", side/2, html.EscapeString(p.Y))
	for i := len(p.Lines) - 1; i >= 0; i-- {
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`+"\n", class[p.Lines[i].Style], p.Lines[i].path())
	}
	for _, q := range p.Points {
		px, py := place(q.At.X), place(1-q.At.Y)
		if q.Within.Known() {
			fmt.Fprintf(b, `<path class="bar" d="M%s %sV%s"/>`, px, place(1-q.Within.Low), place(1-q.Within.High))
		}
		fmt.Fprintf(b, `<circle class="dot" cx="%s" cy="%s" r="3.5"/>`+"\n", px, py)
	}
	p.legend(b)
	b.WriteString("</g>\n")
}

// legend stands below the x axis.
func (p *Panel) legend(b *bytes.Buffer) {
	x := 0
	for i := range p.Lines {
		l := &p.Lines[i]
		fmt.Fprintf(b, `<path class="%s" d="M%d %dh22"/><text class="faint" x="%d" y="%d">%s</text>`+"\n",
			class[l.Style], x, side+56, x+28, side+60, html.EscapeString(l.Name))
		x += 48 + 6*len(l.Name)
	}
}

// maxSVGPoints bounds a path: a curve of a hundred thousand cases looks the same
// with some hundred points.
const maxSVGPoints = 400

func (l *Line) path() string {
	var b strings.Builder
	step := 1 + (len(l.Points)-1)/maxSVGPoints
	for i, p := range l.Points {
		if i%step != 0 && i != len(l.Points)-1 {
			continue
		}
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&b, "%c%s %s", command, place(p.X), place(1-p.Y))
	}
	return b.String()
}

func place(share float64) string { return fmt.Sprintf("%.1f", share*side) }
