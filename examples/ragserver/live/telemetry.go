package live

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/touchstone-rag/touchstone/spanattach/spanhook"
)

// telemetry is OpenTelemetry's SDK, as the environment configures it.
type telemetry struct {
	hold *spanhook.Hold // around the exported spans; nil if none are
	stop []func(context.Context) error
}

// startTelemetry sets the global providers up. A signal that nothing in the
// environment asks for goes nowhere, without a complaint about a collector
// that does not exist; spans have ids all the same, which evaluations name.
func startTelemetry(ctx context.Context, service string) (*telemetry, error) {
	t := new(telemetry)
	res, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", service)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err == nil {
		err = errors.Join(t.traces(ctx, res), t.metrics(ctx, res), t.logs(ctx, res))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("setting up OpenTelemetry: %w", err), t.shutdown(ctx))
	}
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	return t, nil
}

func (t *telemetry) traces(ctx context.Context, res *resource.Resource) error {
	opts := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
	if configured("TRACES") {
		exporter, err := autoexport.NewSpanExporter(ctx)
		if err != nil {
			return misconfigured("TRACES", err)
		}
		t.hold = spanhook.NewHold(sdktrace.NewBatchSpanProcessor(exporter))
		opts = append(opts, sdktrace.WithSpanProcessor(t.hold))
	}
	provider := sdktrace.NewTracerProvider(opts...)
	t.stop = append(t.stop, provider.Shutdown)
	otel.SetTracerProvider(provider)
	return nil
}

func (t *telemetry) metrics(ctx context.Context, res *resource.Resource) error {
	if !configured("METRICS") {
		return nil
	}
	reader, err := autoexport.NewMetricReader(ctx)
	if err != nil {
		return misconfigured("METRICS", err)
	}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithResource(res), sdkmetric.WithReader(reader))
	t.stop = append(t.stop, provider.Shutdown)
	otel.SetMeterProvider(provider)
	return nil
}

func (t *telemetry) logs(ctx context.Context, res *resource.Resource) error {
	if !configured("LOGS") {
		return nil
	}
	exporter, err := autoexport.NewLogExporter(ctx)
	if err != nil {
		return misconfigured("LOGS", err)
	}
	provider := sdklog.NewLoggerProvider(sdklog.WithResource(res), sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)))
	t.stop = append(t.stop, provider.Shutdown)
	otel.SetLoggerProvider(provider)
	return nil
}

// configured reports whether the environment says where a signal goes.
// Without that, autoexport would send it to a collector on this machine.
func configured(signal string) bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return false
	}
	if exporter := os.Getenv("OTEL_" + signal + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

func misconfigured(signal string, err error) error {
	name := "OTEL_" + signal + "_EXPORTER"
	return fmt.Errorf("%s=%s: %w", name, os.Getenv(name), err)
}

// shutdown exports what is left.
func (t *telemetry) shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.stop {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}
