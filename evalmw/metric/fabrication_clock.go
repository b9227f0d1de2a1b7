package metric

import (
	"strings"
	"unicode/utf8"
)

// clock is a time of day in a text.
type clock struct {
	minute     int16 // of the day
	second     int8  // -1 where none is stated
	halfDay    bool  // whether morning or afternoon is not said: 5:30 may be 17:30
	start, end int
}

const halfDay = 12 * 60

// appendClocks appends the times of day in s: "17:30", "5:30 pm", "5 p.m.",
// "17:0" as records write it, "12:00 AM". It allocates nothing but dst.
func appendClocks(dst []clock, s string) []clock {
	for i := 0; i < len(s); {
		if s[i]-'0' > 9 {
			i++
			continue
		}
		start := i
		hour, digits := 0, 0
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			hour = min(hour*10+int(s[i]-'0'), 100)
			digits++
		}
		if digits > 2 || start > 0 && isWordByte(s[start-1]) || start > 1 && (s[start-1] == ':' || s[start-1] == '.' || s[start-1] == ',') && s[start-2]-'0' <= 9 {
			continue
		}
		minute, second, colon := 0, int8(-1), false
		if i+1 < len(s) && s[i] == ':' && s[i+1]-'0' <= 9 {
			colon = true
			colonAt, j := i, i+1
			for ; j < len(s) && s[j]-'0' <= 9; j++ {
				minute = min(minute*10+int(s[j]-'0'), 100)
			}
			var more bool
			if second, i, more = secondsAt(s, j); more || j-colonAt > 3 {
				continue
			}
		}
		afternoon, end := halfOf(s, i)
		if hour > 24 || minute > 59 || !colon && end == i || end > i && hour > 12 && !colon {
			continue
		}
		k := clock{second: second, start: start, end: end, halfDay: end == i && hour <= 12 && hour > 0}
		switch {
		case end > i && afternoon && hour < 12:
			hour += 12
		case end > i && !afternoon && hour == 12:
			hour = 0
		}
		k.minute = int16(hour%24*60 + minute)
		dst = append(dst, k)
		i = end
	}
	return dst
}

// secondsAt reads the seconds that stand at i, behind the minutes, and returns
// where they end. What goes on in digits and colons behind them is no time.
func secondsAt(s string, i int) (second int8, end int, more bool) {
	n := 0
	for i+1+n < len(s) && s[i] == ':' && s[i+1+n]-'0' <= 9 {
		n++
	}
	if n == 0 {
		return -1, i, false
	}
	end = i + 1 + n
	more = n != 2 || s[i+1] > '5' || end+1 < len(s) && s[end] == ':' && s[end+1]-'0' <= 9
	if !more {
		second = int8((s[i+1]-'0')*10 + s[i+2] - '0')
	}
	return second, end, more
}

// halfOf reads "am" and "p.m." from i on, and returns i if there is neither.
func halfOf(s string, i int) (afternoon bool, end int) {
	j := i
	if j < len(s) && s[j] == ' ' {
		j++
	}
	rest := s[j:min(len(s), j+4)]
	for _, form := range [...]string{"a.m.", "p.m.", "am", "pm"} {
		if len(rest) >= len(form) && strings.EqualFold(rest[:len(form)], form) {
			if end = j + len(form); end < len(s) && form[len(form)-1] != '.' && isWordByte(s[end]) {
				continue
			}
			return form[0] == 'p', end
		}
	}
	return false, i
}

func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || c-'0' <= 9 || c|0x20-'a' <= 'z'-'a' || c == '_'
}

// isSameTime reports whether two clocks can show the same time.
func (k clock) isSameTime(o clock) bool {
	if k.second >= 0 && o.second >= 0 && k.second != o.second {
		return false
	}
	if k.minute == o.minute {
		return true
	}
	return (k.halfDay || o.halfDay) && k.minute%halfDay == o.minute%halfDay
}
