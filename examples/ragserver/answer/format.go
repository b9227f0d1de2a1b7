package answer

import (
	"regexp"
	"strings"
)

// Formats of a value.
const (
	FormatNumber   = "number"
	FormatPercent  = "percent"
	FormatCurrency = "currency"
	FormatDate     = "date"
	FormatText     = "text"
)

var (
	percentForm  = regexp.MustCompile(`(?i)^[-(]?\s*\d[\d,.]*\s*\)?\s*(?:%|percent|percentage points?)\)?$`)
	currencyForm = regexp.MustCompile(`(?i)^[-(]?\s*(?:(?:[A-Z]{0,3}\$|[€£¥₹]|US\$|RMB|USD|EUR)\s*[-(]?\d[\d,.]*\s*\)?(?:\s*(?:thousand|million|billion|m|bn))?|[-(]?\d[\d,.]*\)?\s*(?:dollars?|euros?|cents?|pence|rupees?))$`)
	numberForm   = regexp.MustCompile(`(?i)^[-(]?\s*\d[\d,.]*\s*\)?(?:\s*(?:thousand|million|billion))?$`)
	dateForm     = regexp.MustCompile(`(?i)^(?:(?:19|20)\d\d|(?:fiscal|fy)\s*(?:year\s*)?(?:19|20)\d\d|(?:\d{1,2}\s+)?(?:january|february|march|april|may|june|july|august|september|october|november|december)(?:\s+\d{1,2})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d-\d\d-\d\d)$`)
)

// Format tells how a value is written. A bare number from 1900 to 2099 is taken
// for a year, thus a date.
func Format(value string) string {
	value = strings.TrimSpace(value)
	switch {
	case percentForm.MatchString(value):
		return FormatPercent
	case currencyForm.MatchString(value):
		return FormatCurrency
	case dateForm.MatchString(value):
		return FormatDate
	case numberForm.MatchString(value):
		return FormatNumber
	default:
		return FormatText
	}
}
