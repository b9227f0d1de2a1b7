package metric

import "unicode/utf8"

// measure is a unit of measurement: what it measures, and how much in the smallest
// unit of that. The zero measure is none that is known.
type measure struct {
	dimension dimension
	factor    float64
}

// dimension is what units measure. Within one, amounts convert.
type dimension uint8

const (
	_ dimension = iota
	calendar
	duration
	length
	mass
	volume
	data
	kitchen
	temperature
)

// quantity is what a text says about a number besides its value: "5 mg", "5% per
// month".
type quantity struct{ unit, per measure }

// agrees reports whether two numbers can be meant alike: they state the same
// units, where both state one.
func (q quantity) agrees(o quantity) bool {
	none := measure{}
	return (q.unit == o.unit || q.unit == none || o.unit == none) && (q.per == o.per || q.per == none || o.per == none)
}

// measures are all factors of a dimension, for conversion.
var measures = [...][]float64{
	calendar:    {1, 12, 120},
	duration:    {.001, 1, 60, 3600, 86400, 604800},
	length:      {.001, .01, .0254, .3048, 1, 1000, 1609.344},
	mass:        {1e-6, .001, 1, 28.349523125, 453.59237, 1000},
	volume:      {.001, .01, .1, 1, 3.785411784},
	data:        {1, 1e3, 1e6, 1e9, 1e12, 1e15},
	kitchen:     {1, 3, 48},
	temperature: {1}, // by words that do not say which degrees
}

// measureOf knows the words and signs of common units in some languages, in their
// normal forms. What it does not know, or what means several things ("in", "ton"),
// is none.
func measureOf(word []byte) measure {
	switch string(word) {
	case "month", "months", "monat", "monate", "monaten", "monats", "mois", "mes", "meses", "mese", "mesi", "mês", "maand", "maanden",
		"месяц", "месяца", "месяцев":
		return measure{calendar, 1}
	case "year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "jahres", "ans", "année", "années", "año", "años", "anno", "anni", "ano", "anos",
		"jaar", "年", "год", "года", "лет":
		return measure{calendar, 12}
	case "decade", "decades", "jahrzehnt", "jahrzehnte", "jahrzehnten":
		return measure{calendar, 120}
	case "ms", "millisecond", "milliseconds", "millisekunden":
		return measure{duration, .001}
	case "sec", "secs", "second", "seconds", "sekunde", "sekunden", "seconde", "secondes", "segundo", "segundos", "secondi", "секунд", "секунды":
		return measure{duration, 1}
	case "min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "minuti", "минут", "минуты":
		return measure{duration, 60}
	case "h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas", "ora", "ore", "uur", "час", "часа", "часов":
		return measure{duration, 3600}
	case "day", "days", "tag", "tage", "tagen", "tages", "jour", "jours", "día", "días", "dia", "dias", "giorno", "giorni", "dag", "dagen", "天",
		"день", "дня", "дней":
		return measure{duration, 86400}
	case "week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas", "settimana", "settimane", "weken", "неделя", "недели", "недель":
		return measure{duration, 604800}
	case "mm", "millimetre", "millimetres", "millimeter", "millimeters":
		return measure{length, .001}
	case "cm", "centimetre", "centimetres", "centimeter", "centimeters", "zentimeter":
		return measure{length, .01}
	case "inch", "inches":
		return measure{length, .0254}
	case "foot", "feet", "ft":
		return measure{length, .3048}
	case "m", "metre", "metres", "meter", "meters", "mètre", "mètres", "metro", "metros", "metri":
		return measure{length, 1}
	case "km", "kilometre", "kilometres", "kilometer", "kilometers", "kilomètres", "kilómetros":
		return measure{length, 1000}
	case "mile", "miles":
		return measure{length, 1609.344}
	case "mcg", "µg", "μg", "microgram", "micrograms", "mikrogramm":
		return measure{mass, 1e-6}
	case "mg", "milligram", "milligrams", "milligramm":
		return measure{mass, .001}
	case "g", "gram", "grams", "gramme", "grammes", "gramm", "gramos":
		return measure{mass, 1}
	case "oz", "ounce", "ounces":
		return measure{mass, 28.349523125}
	case "lb", "lbs":
		return measure{mass, 453.59237}
	case "kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm":
		return measure{mass, 1000}
	case "ml", "millilitre", "millilitres", "milliliter", "milliliters":
		return measure{volume, .001}
	case "cl":
		return measure{volume, .01}
	case "dl":
		return measure{volume, .1}
	case "l", "litre", "litres", "liter", "liters", "litros", "litri":
		return measure{volume, 1}
	case "gallon", "gallons":
		return measure{volume, 3.785411784}
	case "byte", "bytes":
		return measure{data, 1}
	case "kb", "kilobytes":
		return measure{data, 1e3}
	case "mb", "megabyte", "megabytes":
		return measure{data, 1e6}
	case "gb", "gigabyte", "gigabytes":
		return measure{data, 1e9}
	case "tb", "terabyte", "terabytes":
		return measure{data, 1e12}
	case "pb", "petabyte", "petabytes":
		return measure{data, 1e15}
	case "degree", "degrees", "grad":
		return measure{temperature, 1}
	case "teaspoon", "teaspoons", "tsp":
		return measure{kitchen, 1}
	case "tablespoon", "tablespoons", "tbsp":
		return measure{kitchen, 3}
	case "cup", "cups":
		return measure{kitchen, 48}
	}
	return measure{}
}

// quantityAt reads what stands behind the number that ends at end: "5 days",
// "5-day", "5mg", "$5 per month", "5 mg a day".
func quantityAt(t *texts, p *passage, end int) (q quantity) {
	at := wordsWithin(p.tokens, end, end).from
	if at > 0 && int(p.tokens[at-1].End) > end { // the rest of a word with digits
		q.unit = measureBehindDigits(p.text[end:p.tokens[at-1].End])
	} else if at < len(p.tokens) && isGap(p.text[end:p.tokens[at].Start]) {
		if q.unit = measureOf(t.words.Text(p.tokens[at].ID)); q.unit.dimension != 0 {
			at++
		}
	}
	if at < len(p.tokens) && at > 0 && p.text[max(end, int(p.tokens[at-1].End)):p.tokens[at].Start] == "/" {
		q.per = measureOf(t.words.Text(p.tokens[at].ID))
		return q
	}
	if at+1 < len(p.tokens) && p.tokens[at+1].Start <= p.tokens[at].End+1 {
		switch string(t.words.Text(p.tokens[at].ID)) {
		case "per", "a", "an", "each", "every", "pro", "im", "par", "al", "por":
			q.per = measureOf(t.words.Text(p.tokens[at+1].ID))
		}
	}
	return q
}

// measureBehindDigits reads a unit without a blank before it, in ASCII letters.
func measureBehindDigits(word string) measure {
	var lower [16]byte
	if len(word) > len(lower) {
		return measure{}
	}
	for i := range len(word) {
		lower[i] = word[i]
		if word[i]-'A' <= 'Z'-'A' {
			lower[i] |= 0x20
		}
	}
	return measureOf(lower[:len(word)])
}

// isGap reports whether s is what parts a number from its unit: nothing in Chinese,
// else one sign.
func isGap(s string) bool {
	if s == "" {
		return true
	}
	r, size := utf8.DecodeRuneInString(s)
	return size == len(s) && (r == ' ' || r == '-' || r == '\u00a0' || r == '\u202f' || r == '\u2011')
}
