package metric

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxRiskModel bounds what is read as a model: one of a hundred features with
// its provenance has some 20 KB.
const maxRiskModel = 1 << 20

// ReadRiskModel reads a model file, as [RiskModel.WriteTo] and "touchstone
// calibrate" write it, and validates it. Nothing is taken for granted: a feature
// without weight, mean or scale, an unknown one, a number that is not finite and
// another schema_version are errors that say where, what was expected and what
// was found. Unknown keys are ignored.
func ReadRiskModel(r io.Reader) (*RiskModel, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRiskModel+1))
	if err != nil {
		return nil, fmt.Errorf("risk model: %w", err)
	}
	if len(data) > maxRiskModel {
		return nil, fmt.Errorf("risk model: expected at most %d bytes, found more", maxRiskModel)
	}
	m, err := decodeRiskModel(data)
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("risk model: %w", err)
	}
	return m, nil
}

func decodeRiskModel(data []byte) (*RiskModel, error) {
	var m RiskModel
	// What must be there, though 0 is fine.
	var present struct {
		Bias     *float64
		Features []struct{ Weight, Mean, Scale *float64 }
	}
	for _, into := range []any{&m, &present} {
		if err := json.Unmarshal(data, into); err != nil {
			return nil, describeJSON(err)
		}
	}
	if m.SchemaVersion != RiskSchemaVersion {
		return &m, nil // Validate says so; of another schema nothing else can be said
	}
	if present.Bias == nil {
		return nil, errors.New("bias: expected a number, found none")
	}
	for i, f := range present.Features {
		if f.Weight == nil || f.Mean == nil || f.Scale == nil {
			return nil, fmt.Errorf("features[%d] %q: expected a weight, a mean and a scale, found not all of them", i, m.Features[i].Name)
		}
	}
	return &m, nil
}

// describeJSON says what encoding/json found in the words of this package.
func describeJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("expected a JSON object, found a JSON %s", wrong.Value)
		}
		return fmt.Errorf("%s: expected a %v, found a JSON %s", wrong.Field, wrong.Type, wrong.Value)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("expected a JSON object, found a syntax error at byte %d (%w)", syntax.Offset, err)
	}
	return err
}

// WriteTo writes the model as a file for people and for [ReadRiskModel]: JSON
// with a feature per line. The same model gives the same bytes.
func (m *RiskModel) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, field := range []struct {
		key   string
		value any
	}{
		{"schema_version", m.SchemaVersion},
		{"version", m.Version},
		{"provenance", m.Provenance},
		{"accuracy", m.Accuracy},
		{"calibration", m.Calibration},
		{"bias", m.Bias},
		{"features", m.Features},
	} {
		if i > 0 {
			b.WriteString(",\n")
		}
		value, err := json.Marshal(field.value)
		if err != nil {
			return 0, fmt.Errorf("risk model: %s: %w", field.key, err)
		}
		fmt.Fprintf(&b, " %q: %s", field.key, breakLines(value))
	}
	b.WriteString("\n}\n")
	return b.WriteTo(w)
}

// breakLines puts each object of a list on a line of its own; any other value it
// leaves alone.
func breakLines(list []byte) []byte {
	if !bytes.HasPrefix(list, []byte("[{")) {
		return list
	}
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return list
	}
	out := []byte("[")
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n  "...), item...)
	}
	return append(out, "\n ]"...)
}
