package redact

import "strings"

// internalNames are what the ids of a retrieval system are called.
var internalNames = [...]string{
	"chunk", "doc", "document", "node", "vector", "embedding", "tenant", "index", "collection", "namespace", "passage", "point",
	"trace", "span", "request", "session", "source_doc", "parent",
}

// internalToken finds the UUID or the internal host name at i.
func (sc *scanner) internalToken(i int) {
	s := sc.s
	if isUUID(s, i) && internalBefore(s, i) {
		sc.add(InternalID, i, i+36)
		return
	}
	if isByte(s, i-1, '.') || isByte(s, i-1, '-') {
		return
	}
	end := run(s, i, token|dot, 253)
	host := strings.TrimRight(s[i:end], ".-")
	if !isInternalHost(host) {
		return
	}
	sc.add(InternalHost, i, i+len(host))
}

// isInternalHost reports whether a name ends as those do that no public name server knows (RFC 6762, RFC 8375, ICANN's
// .internal, and Kubernetes).
func isInternalHost(host string) bool {
	for _, suffix := range [...]string{".internal", ".local", ".localdomain", ".corp", ".lan", ".intranet", ".home.arpa", ".svc"} {
		if len(host) > len(suffix) && strings.EqualFold(host[len(host)-len(suffix):], suffix) {
			return true
		}
	}
	return false
}

// internalBefore reports whether one of the words before i is the name of an internal id.
func internalBefore(s string, i int) bool {
	for stop, words := max(0, i-cueBytes), 0; words < cueWords; words++ {
		from, to := wordBefore(s, i, stop)
		if from == to {
			return false
		}
		for _, w := range internalNames {
			if strings.EqualFold(s[from:to], w) {
				return true
			}
		}
		i = from
	}
	return false
}

// internalAssignment finds the id that the operator at i gives to a name such as chunk_id.
func (sc *scanner) internalAssignment(i int) {
	s := sc.s
	if s[i] == ',' || s[i] == '>' || is(s, i+1, equals|colon) {
		return
	}
	to := i
	for to > 0 && i-to < 4 && strings.IndexByte(" \t=:\"'`", s[to-1]) >= 0 {
		to--
	}
	from := max(sc.done, runBack(s, to, token, maxName))
	if from >= to || !isInternalName(s[from:to]) {
		return
	}
	start := run(s, i+1, space, 3)
	for isQuote(s, start) || isByte(s, start, '[') {
		start++
	}
	end := run(s, start, tokenDot|plusSlash|colon|at, maxToken)
	for _, c := range []byte("#~") {
		if isByte(s, end, c) {
			end = run(s, end+1, tokenDot|plusSlash|colon, maxToken)
		}
	}
	end = trimToken(s, start, end)
	if end-start < 3 || foldPrefix(s[start:end], "null") || foldPrefix(s[start:end], "none") {
		return
	}
	sc.add(InternalID, start, end)
}

func isInternalName(name string) bool {
	for _, suffix := range [...]string{"ids", "id"} {
		if len(name) <= len(suffix) || !strings.EqualFold(name[len(name)-len(suffix):], suffix) {
			continue
		}
		name = strings.TrimRight(name[:len(name)-len(suffix)], "_-")
		for _, w := range internalNames {
			if foldSuffix(name, w) && beginsWord(name, len(name)-len(w)) {
				return true
			}
		}
		return false
	}
	return false
}

// promptMarkers are what only a prompt, or a model that repeats it, has.
var promptMarkers = [...]string{
	"<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "<|start_header_id|>", "<|end_header_id|>",
	"<|eot_id|>", "<<sys>>", "<</sys>>", "[inst]", "[/inst]", "[system]", "[/system]", "<system>", "</system>", "<system_prompt>",
	"</system_prompt>", "[system prompt]", "<context>", "</context>", "<retrieved_context>", "</retrieved_context>",
}

// internalMark finds the path or the prompt's marker at i.
func (sc *scanner) internalMark(i int) {
	s := sc.s
	if s[i] != '/' && s[i] != '\\' {
		for _, m := range promptMarkers {
			if foldPrefix(s[i:], m) {
				sc.add(PromptMarker, i, i+len(m))
				return
			}
		}
		return
	}
	start := i
	switch {
	case s[i] == '\\': // C:\Users or \\server\share
		if isByte(s, i-1, ':') && is(s, i-2, letter) && !is(s, i-3, word) {
			start = i - 2
		} else if !isByte(s, i+1, '\\') || is(s, i-1, word) {
			return
		}
	case isByte(s, i-1, ':'): // s3://bucket/key
		start = runBack(s, i-1, alnum, 8)
		switch s[start : i-1] {
		case "s3", "gs", "file", "hdfs", "abfs", "abfss", "wasbs", "dbfs", "nfs", "smb":
		default:
			return
		}
	case is(s, i-1, word|dot|hyphen|tilde|slash), !isSystemPath(s[i:]):
		return
	}
	end := i
	for end < len(s) && end-i < maxToken && (classes[s[end]]&(tokenDot|slash|plusSlash|colon|tilde|at|equals) != 0 || s[end] >= 0x80) {
		end++
	}
	for end > start && strings.IndexByte(".:-", s[end-1]) >= 0 {
		end--
	}
	if end-i > 3 {
		sc.add(FilePath, start, end)
	}
}

// isSystemPath reports whether s begins with a path that a machine has, rather than a web server.
func isSystemPath(s string) bool {
	for _, root := range [...]string{"/home/", "/Users/", "/root/", "/var/", "/etc/", "/opt/", "/mnt/", "/tmp/", "/srv/", "/usr/", "/data/", "/proc/"} {
		if strings.HasPrefix(s, root) && is(s, len(root), word|dot) {
			return true
		}
	}
	return false
}

// AppendIDs appends where one of the ids stands in s, as a word of its own, in the order of ids. Ids of fewer than six
// characters, and those without a digit or a sign, could be words of the text and are passed over. The findings may overlap
// those of [Append] and each other.
func AppendIDs(dst []Finding, s string, ids []string) []Finding {
	for _, id := range ids {
		sh := shapeOf(id)
		if len(id) < 6 || sh.digits+sh.others == 0 {
			continue
		}
		for from := 0; ; {
			i := strings.Index(s[from:], id)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(id)
			if !is(s, start-1, word) && !is(s, end, word) {
				dst = append(dst, Finding{Kind: InternalID, Start: start, End: end})
			}
			from = end
		}
	}
	return dst
}
