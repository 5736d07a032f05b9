import type { Metric, Registry } from 'prom-client';
import type { CallResult, Surface } from '../../kernel/ports/metrics.ts';

/** Histogram buckets of call durations in seconds: from a cached read to what the queue runs in minutes. */
const CALL_SECONDS = [0.002, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600] as const;

/** The calls of one operation through one surface. */
interface CallCounts {
  readonly surface: Surface;
  readonly operation: string;
  readonly results: Map<CallResult, number>;
  /** Calls by bucket of {@link CALL_SECONDS}, not cumulative; those that took longer are only in `count`. */
  readonly buckets: number[];
  count: number;
  seconds: number;
}

/**
 * Counts and durations of calls. Every call is counted, so counting is two lookups and some additions: the library's
 * own counters check and hash their labels each time, which took a fifth of what the door needs for a read.
 */
export class CallMetrics {
  private readonly surfaces = new Map<Surface, Map<string, CallCounts>>();

  constructor(registry: Registry) {
    const register = (
      type: 'counter' | 'histogram',
      name: string,
      help: string,
      of: (counts: CallCounts) => Sample[],
    ) => {
      const get = async () => ({ name, help, type, aggregator: 'sum', values: this.all().flatMap(of) });
      // At run time a metric is what has a name and values; the library's type lists its own classes.
      registry.registerMetric({ name, get } as unknown as Metric);
    };
    register(
      'counter',
      'casewright_calls_total',
      'Calls by operation, surface and result: OK, QUEUED, REPLAYED, FAILED or the error code.',
      countSamples,
    );
    register(
      'histogram',
      'casewright_call_seconds',
      'Duration of calls, from the door until they were committed.',
      durationSamples,
    );
  }

  /** Counts a call and its duration. */
  add(surface: Surface, operation: string, result: CallResult, seconds: number): void {
    const counts = this.countsOf(surface, operation);
    counts.results.set(result, (counts.results.get(result) ?? 0) + 1);
    counts.count += 1;
    counts.seconds += seconds;
    const bucket = CALL_SECONDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
  }

  private countsOf(surface: Surface, operation: string): CallCounts {
    let operations = this.surfaces.get(surface);
    if (!operations) this.surfaces.set(surface, (operations = new Map<string, CallCounts>()));
    let counts = operations.get(operation);
    if (!counts) {
      counts = { surface, operation, results: new Map(), buckets: CALL_SECONDS.map(() => 0), count: 0, seconds: 0 };
      operations.set(operation, counts);
    }
    return counts;
  }

  private all(): CallCounts[] {
    return [...this.surfaces.values()].flatMap((operations) => [...operations.values()]);
  }
}

/** A value as the library writes it. `metricName`: if it is not the metric's. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

function countSamples({ surface, operation, results }: CallCounts): Sample[] {
  return [...results].map(([status, value]) => ({ labels: { operation, surface, status }, value }));
}

function durationSamples({ surface, operation, buckets, count, seconds }: CallCounts): Sample[] {
  const labels = { operation, surface };
  let cumulative = 0;
  const bounded = CALL_SECONDS.map((le, n) => {
    cumulative += buckets[n] ?? 0;
    return bucketSample({ le, ...labels }, cumulative);
  });
  return [
    ...bounded,
    bucketSample({ le: '+Inf', ...labels }, count),
    { labels, value: seconds, metricName: 'casewright_call_seconds_sum' },
    { labels, value: count, metricName: 'casewright_call_seconds_count' },
  ];
}

function bucketSample(labels: Sample['labels'], value: number): Sample {
  return { labels, value, metricName: 'casewright_call_seconds_bucket' };
}
