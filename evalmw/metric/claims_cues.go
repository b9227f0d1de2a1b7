package metric

import "github.com/touchstone-rag/touchstone/internal/text"

// cue is what a word tells about the claim that it stands in.
type cue uint16

const (
	concludes   cue = 1 << iota // an inference
	generalises                 // common knowledge
	denies                      // a negation
	sources                     // the chunks, as a thing to talk about
	reports                     // what sources do: mention, provide
	talks                       // politeness and talk about the answer
	announces                   // here, following: what comes next
	joins                       // starts another clause
	first                       // the answer speaks of itself
	refers                      // starts a preamble
	turns                       // ends what a negation reaches
	holds                       // a thing that chunks are called, which things stand in
	within                      // what comes next is where something stands
)

func cueOf(word []byte) cue {
	switch string(word) {
	case "may", "might", "could", "suggest", "suggests", "suggesting", "suggested", "likely", "unlikely", "therefore", "thus", "hence",
		"overall", "appears", "appear", "seems", "seem", "probably", "possibly", "perhaps", "presumably", "indicates", "indicate",
		"indicating", "implies", "imply", "implying", "consequently", "conclusion", "summary", "apparently", "potentially", "presumed":
		if string(word) == "summary" || string(word) == "conclusion" {
			return concludes | talks
		}
		return concludes
	case "generally", "typically", "commonly":
		return generalises
	case "not", "no", "nor", "neither", "never", "none", "nothing", "without", "cannot", "can't", "don't", "doesn't", "didn't", "isn't",
		"aren't", "wasn't", "weren't", "won't", "couldn't", "wouldn't", "hasn't", "haven't", "hadn't", "unable", "insufficient", "lacks", "lack":
		return denies
	case "passage", "passages", "context", "contexts", "document", "documents", "text", "article", "articles", "source", "sources",
		"excerpt", "excerpts", "database", "snippets", "snippet":
		return sources | holds
	case "provided", "given":
		return sources
	case "information":
		return sources | holds | reports
	case "mention", "mentions", "mentioned", "provide", "provides", "contain", "contains", "specify", "specifies", "specified", "include",
		"includes", "state", "stated", "states", "discuss", "discusses", "discussed", "address", "answer", "answers", "find", "found", "determine", "available", "enough",
		"sufficient", "explicitly", "specific", "specifically", "know", "question", "questions", "details",
		"say", "says", "said", "tell", "tells", "cover", "covers", "covered", "access", "able", "describe", "describes", "described", "explain", "explains":
		return reports
	case "in", "from":
		return refers | within
	case "within":
		return within
	case "based", "according", "as", "per":
		return refers
	case "sure", "certainly", "absolutely", "hello", "hi", "thanks", "thank", "please", "sorry", "apologize", "apologies", "welcome", "glad",
		"happy", "great", "excellent", "need", "anything", "else", "ask", "hope", "helps", "help", "let", "feel", "free", "further", "assist", "assistance", "course", "yes", "ok", "okay", "any", "other":
		return talks
	case "here", "following", "below", "steps", "here's":
		return announces
	case "but", "while", "whereas", "although", "though", "however":
		return joins | turns
	case "and", "which", "who", "so", "because", "since":
		return joins
	case "i", "we", "i'm", "me":
		return first
	}
	return 0
}

// announcesResult reports whether words speak of a computed number.
func announcesResult(t *texts, tokens []text.Token) bool {
	for _, k := range tokens {
		switch string(t.words.Text(k.ID)) {
		case "total", "sum", "combined", "together", "altogether", "difference", "increase", "increased", "decrease", "decreased", "change", "changed",
			"average", "mean", "ratio", "percentage", "growth", "grew", "times", "net", "rose", "fell", "declined", "more", "less",
			"higher", "lower", "proportion", "share", "gain", "drop", "margin":
			return true
		}
	}
	return false
}
