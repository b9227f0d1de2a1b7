package text

// IsStopWord reports whether a word in normal form is an English function word.
//
// Tests of content ("do the terms of this claim stand in that chunk?") are
// about words that carry content; function words stand in every chunk and would
// lift every overlap. The list is short, closed-class words only, so that no
// finance or technical term is lost. Negations are content: "did not rise" is no
// support for "did rise". Other languages have no list, since a wrong guess at the
// language would drop content ("die", "man", "son"); there all words count.
func IsStopWord(word string) bool { return isStopWord([]byte(word)) }

func isStopWord(word []byte) bool {
	switch string(word) {
	case "a", "an", "the",
		"i", "you", "he", "she", "it", "we", "they", "me", "him", "her", "us", "them",
		"my", "your", "his", "its", "our", "their", "mine", "yours", "hers", "ours", "theirs",
		"myself", "yourself", "himself", "herself", "itself", "ourselves", "themselves",
		"this", "that", "these", "those", "who", "whom", "whose", "which", "what", "there", "here",
		"am", "is", "are", "was", "were", "be", "been", "being",
		"have", "has", "had", "having", "do", "does", "did", "doing",
		"will", "would", "shall", "should", "can", "could", "may", "might", "must",
		"and", "or", "but", "if", "then", "than", "because", "as", "while", "although", "though", "so", "whether",
		"of", "at", "by", "for", "with", "about", "into", "through", "to", "from", "in", "on", "upon", "within", "via",
		"when", "where", "why", "how", "also", "such", "both", "each", "very", "just", "too",
		"it's", "that's", "there's", "what's", "he's", "she's", "i'm", "you're", "we're", "they're",
		"i've", "we've", "they've", "you've", "i'll", "we'll", "they'll", "you'll":
		return true
	}
	return false
}
