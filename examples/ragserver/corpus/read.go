package corpus

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

//go:embed data/*.jsonl.gz
var files embed.FS

// readLines appends the records of an embedded file to list.
func readLines[T any](name string, list *[]T) error {
	f, err := files.Open("data/" + name)
	if err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	defer f.Close() //nolint:errcheck // an embedded file has nothing to lose
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("corpus: %s: %w", name, err)
	}
	for dec := json.NewDecoder(z); ; {
		var record T
		switch err := dec.Decode(&record); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("corpus: %s: record %d: %w", name, len(*list)+1, err)
		}
		*list = append(*list, record)
	}
}

// Strings reads what the data set writes now as a list, now as one value, now
// as null. A value that is not a string is kept as it was written.
type Strings []string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Strings) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if data[0] != '[' {
		items = append(items, data)
	} else if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*s = nil
	for _, item := range items {
		text := string(item)
		if text == "null" {
			continue
		}
		if item[0] == '"' {
			if err := json.Unmarshal(item, &text); err != nil {
				return err
			}
		}
		*s = append(*s, text)
	}
	return nil
}
