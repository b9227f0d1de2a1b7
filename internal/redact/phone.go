package redact

// phone finds a telephone number. Only four forms are certain without a word that says so: one with its country's code,
// one of North America, one with a trunk zero in groups, and one with an extension. Everything else needs the word.
func (sc *scanner) phone(d *digits) {
	if d.looksLikeDate() || onlyYears(d) || d.isFraction() || isHexDump(sc.s, d) {
		return
	}
	end := sc.international(d)
	if end == 0 {
		end = sc.northAmerican(d)
	}
	if end == 0 {
		end = sc.trunk(d)
	}
	if end == 0 {
		end = sc.called(d)
	}
	if end == 0 {
		return
	}
	sc.add(Phone, d.start, extension(sc.s, end))
}

// international takes what a plus or a double zero begins: a country's code and up to 15 digits in all (ITU-T E.164).
func (sc *scanner) international(d *digits) int {
	skip := 0
	switch {
	case d.plus:
	case d.size(0) > 1 && d.value[0] == '0' && d.value[1] == '0':
		skip = 2
	case d.n > 1 && d.size(0) == 3 && string(d.text(0)) == "011": // out of North America
		skip = 3
	default:
		return 0
	}
	if d.len == skip || d.value[skip] == '0' {
		return 0
	}
	if c := d.value[skip]; c == '1' || c == '7' { // North America and Russia: always ten digits behind
		return sc.longest(d, 11+skip, 11+skip)
	}
	if skip > 0 && (d.n < 2 || inRow(sc.s, d.start, d.start) || d.size(0) > 5 || d.size(0) == d.size(1) && d.size(0) != 3) {
		return 0 // "00" begins many a code
	}
	least := 8
	if skip > 0 && d.n < 3 {
		least = 11 + skip
	}
	if d.plus && is(sc.s, d.start-1, alnum) {
		return 0 // a sum
	}
	return sc.longest(d, least, 15+skip+1)
}

// longest returns the end of the most groups that hold between least and most digits.
func (sc *scanner) longest(d *digits, least, most int) int {
	for i := d.n - 1; i >= 0; i-- {
		g := d.groups[i]
		opened := i > 0 && isByte(sc.s, g.at-1, '(') // the area stands in brackets, but nothing ends with it
		if g.sum >= least && g.sum <= most && !opened && endsPhone(sc.s, g.end) {
			return g.end
		}
	}
	return 0
}

// northAmerican takes 3-3-4 digits, with or without the leading 1.
func (sc *scanner) northAmerican(d *digits) int {
	i := 0
	if d.size(0) == 1 && d.value[0] == '1' && d.n > 3 {
		i = 1
	}
	if d.n < i+3 || d.size(i) != 3 || d.size(i+1) != 3 || d.size(i+2) != 4 {
		return 0
	}
	area, exchange := d.text(i), d.text(i+1)
	sep, next := d.groups[i+1].sep, d.groups[i+2].sep
	end := d.groups[i+2].end
	if area[0] < '2' || sep != next && sep != '(' || !endsPhone(sc.s, end) {
		return 0
	}
	if sep == ' ' {
		cue := cueNear(sc.s, d.start, end, phoneCue, weakCue, otherCue)
		if exchange[0] < '2' || cue == otherCue || cue != phoneCue && inRow(sc.s, d.start, end) {
			return 0
		}
	}
	return end
}

// trunk takes a zero, or a Russian eight, the area and the rest in groups, as most countries write their numbers at home.
func (sc *scanner) trunk(d *digits) int {
	if isRussian(d) {
		return sc.longest(d, 11, 11)
	}
	if d.value[0] != '0' || d.len < 9 || d.n < 2 || d.value[1] == '0' || d.size(0) < 2 || d.size(0) > 5 {
		return 0
	}
	end := sc.longest(d, 9, 11)
	if end == 0 || inRow(sc.s, d.start, end) {
		return 0
	}
	last := 0
	for d.groups[last].end != end {
		if last++; d.size(last) < 2 || isYear(d.text(last)) && d.size(0) == 2 && last < 3 {
			return 0
		}
	}
	switch {
	case last == 0, d.size(0) == 5 && d.size(1) == 4: // nothing, or a ZIP code with its extension
		return 0
	case last == 1 && d.groups[1].sep == ' ' && d.size(1) < 6, d.groups[1].sep == '.' && last < 3:
		return 0
	case cueNear(sc.s, d.start, end, phoneCue, weakCue, otherCue) == otherCue:
		return 0
	}
	return end
}

// isRussian reports whether the digits are grouped as 8 (495) 123-45-67.
func isRussian(d *digits) bool {
	return d.n >= 5 && d.value[0] == '8' && d.size(0) == 1 && d.value[1] > '2' && d.size(1) == 3 && d.size(2) == 3 && d.size(3) == 2 && d.size(4) == 2
}

// inRow reports whether other figures stand right beside s[start:end], as in the row of a table.
func inRow(s string, start, end int) bool {
	i := start
	for i > max(0, start-8) && isGap(s[i-1]) {
		i--
	}
	if i < start && (isDigitAt(s, i-1) || (isByte(s, i-1, ')') || isByte(s, i-1, '%')) && isDigitAt(s, i-2)) {
		return true
	}
	for i = end; i < min(len(s), end+8) && isGap(s[i]); {
		i++
	}
	if i == end {
		return false
	}
	if isByte(s, i, '(') || isByte(s, i, '$') || isByte(s, i, '-') {
		i++
	}
	figure := run(s, i, digit, maxDigits)
	return figure > i && !is(s, figure, letter)
}

// isGap reports whether c stands between the cells of a row.
func isGap(c byte) bool { return c == ' ' || c == '\t' || c == '|' }

// endsPhone is endsNumber for a number that its extension may follow.
func endsPhone(s string, i int) bool {
	return endsNumber(s, i) || isByte(s, i, 'x') && isDigitAt(s, i+1)
}

// called takes any 7 to 13 digits that a word beside them calls a phone. Words that only may mean one need groups.
func (sc *scanner) called(d *digits) int {
	if d.len < 7 {
		return 0
	}
	end := sc.longest(d, 7, 13)
	if end == 0 || inRow(sc.s, d.start, end) || d.mixesDots(end) {
		return 0
	}
	switch cueNear(sc.s, d.start, end, phoneCue, weakCue, otherCue, cardCue, ssnCue) {
	case phoneCue:
		return end
	case weakCue:
		if d.groups[0].end == end {
			if saysNumber(sc.s[:d.start]) && isUndivided(d.value[:d.groups[0].sum]) {
				return end
			}
		} else if d.size(0) > 1 {
			return end
		}
	}
	return 0
}

// isFraction reports whether there is one dot among the digits, as in a decimal fraction.
func (d *digits) isFraction() bool {
	dots := 0
	for i := range d.n {
		if d.groups[i].sep == '.' {
			dots++
		}
	}
	return dots == 1 && d.groups[1].sep != '('
}

// mixesDots reports whether some but not all groups up to end follow a dot, as decimal fractions in a row do.
func (d *digits) mixesDots(end int) bool {
	dots, others := false, false
	for i := 1; i < d.n && d.groups[i].end <= end; i++ {
		dots = dots || d.groups[i].sep == '.'
		others = others || d.groups[i].sep != '.' && d.groups[i].sep != '('
	}
	return dots && others
}

// isHexDump reports whether pairs of digits stand among other pairs of hexadecimal digits.
func isHexDump(s string, d *digits) bool {
	if d.size(0) != 2 || d.n > 1 && d.size(1) != 2 {
		return false
	}
	end := d.groups[d.n-1].end
	return d.n > 5 || is(s, d.start-1, space) && is(s, d.start-2, hex) && is(s, d.start-3, hex) && !is(s, d.start-4, alnum) ||
		is(s, end, space) && is(s, end+1, hex) && is(s, end+2, hex) && !is(s, end+3, alnum)
}

// saysNumber reports whether s ends in "number is" or the like.
func saysNumber(s string) bool {
	return foldSuffix(s, "number is ") || foldSuffix(s, "number: ") || foldSuffix(s, "number's ")
}

// isUndivided reports whether v has the length of a whole number, with its trunk zero or as in North America.
func isUndivided(v []byte) bool {
	if len(v) == 11 && v[0] == '1' {
		v = v[1:]
	}
	return v[0] == '0' && v[1] > '0' && (len(v) == 10 || len(v) == 11) || len(v) == 10 && v[0] > '1' && v[3] > '1'
}

func onlyYears(d *digits) bool {
	for i := range d.n {
		if !isYear(d.text(i)) {
			return false
		}
	}
	return true
}

// extension returns the end of "x123" or "ext. 123" behind a number that ends at i, else i.
func extension(s string, i int) int {
	j := run(s, i, space, 1)
	switch {
	case foldPrefix(s[j:], "ext"):
		j = run(s, j, letter, 9)
		j = run(s, j, dot, 1)
		j = run(s, j, space, 1)
	case foldPrefix(s[j:], "x"):
		j++
	default:
		return i
	}
	end := run(s, j, digit, 7)
	if end == j || end-j > 6 || is(s, end, word) {
		return i
	}
	return end
}
