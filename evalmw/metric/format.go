package metric

import (
	"regexp"
	"strings"

	"github.com/touchstone-rag/touchstone/evalmw/rag"
	"github.com/touchstone-rag/touchstone/internal/number"
	"github.com/touchstone-rag/touchstone/internal/text"
)

// verdict is what checking a value against a format finds.
type verdict uint8

const (
	unchecked    verdict = iota // there is no such format
	wellFormed                  // the value is in the format
	misformatted                // it is not
	unusable                    // the pattern is invalid or too long
)

const (
	maxPatterns      = 128     // compiled patterns kept
	maxPatternLength = 1 << 10 // bytes; compiling a longer one costs too much
)

// formatChecker checks values against the formats of [rag.Extraction.Format].
// It lives as long as the evaluator's scratch memory, so that a pattern is
// compiled once and not for every sample.
type formatChecker struct {
	patterns  map[string]*regexp.Regexp // nil where a pattern is invalid
	value     []byte
	candidate []byte
}

var formats = rag.NewShared(func(*rag.View, *formatChecker) {})

// check takes a trimmed value that is not empty. A number may have a scale and
// any unit; a percentage or an amount of money may leave its unit out, since the
// field implies it, but not state another. An enum's choices are compared without
// regard to case. A pattern may match anywhere in the value.
func (f *formatChecker) check(value, format string) verdict {
	kind, argument, _ := strings.Cut(format, ":")
	switch strings.TrimSpace(kind) {
	case "number":
		_, ok := number.Parse(value)
		return asVerdict(ok)
	case "percent":
		n, ok := number.Parse(value)
		return asVerdict(ok && (n.Unit == "" || n.Unit == number.Percent))
	case "currency":
		n, ok := number.Parse(value)
		return asVerdict(ok && n.Unit != number.Percent)
	case "date":
		_, ok := number.ParseDate(value)
		return asVerdict(ok)
	case "enum":
		return asVerdict(f.isOneOf(value, argument))
	case "regexp":
		pattern := f.compile(argument)
		if pattern == nil {
			return unusable
		}
		return asVerdict(pattern.MatchString(value))
	}
	return unchecked
}

func asVerdict(ok bool) verdict {
	if ok {
		return wellFormed
	}
	return misformatted
}

func (f *formatChecker) isOneOf(value, choices string) bool {
	f.value = text.AppendKey(f.value[:0], value)
	for choice := range strings.SplitSeq(choices, "|") {
		f.candidate = text.AppendKey(f.candidate[:0], choice)
		if string(f.candidate) == string(f.value) {
			return true
		}
	}
	return false
}

// compile returns nil for a pattern that cannot be used.
func (f *formatChecker) compile(pattern string) *regexp.Regexp {
	if len(pattern) > maxPatternLength {
		return nil
	}
	if compiled, known := f.patterns[pattern]; known {
		return compiled
	}
	if f.patterns == nil || len(f.patterns) >= maxPatterns {
		f.patterns = make(map[string]*regexp.Regexp)
	}
	pattern = strings.Clone(pattern) // it may outlive the sample
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		compiled = nil
	}
	f.patterns[pattern] = compiled
	return compiled
}
