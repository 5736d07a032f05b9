import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { PoolUsage } from '../../kernel/database/connection-pool.ts';
import type { CallResult, JobResult, Metrics, Surface } from '../../kernel/ports/metrics.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { QueueState } from '../../kernel/ports/queue.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { CallMetrics } from './call-metrics.ts';

/** Media type of {@link PrometheusMetrics.text}. */
export const METRICS_MIME = Registry.PROMETHEUS_CONTENT_TYPE;

/** Metrics in Prometheus' text format. All are of this process, except the queue's, which come from the database. */
export class PrometheusMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly gauges: Gauges;
  private readonly calls: CallMetrics;
  private readonly jobs: Counter<'queue' | 'result'>;
  private readonly retries: Counter;
  private writing: Promise<string> | undefined;

  constructor(version: string) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.calls = new CallMetrics(this.registry);
    this.jobs = new Counter({
      name: 'casewright_jobs_total',
      help: 'Attempts of queued calls that this process made, by queue and result.',
      labelNames: ['queue', 'result'],
      registers,
    });
    this.retries = new Counter({
      name: 'casewright_transaction_retries_total',
      help: 'Transactions that were run again after a deadlock or a serialization failure.',
      registers,
    });
    new Gauge({
      name: 'casewright_build_info',
      help: 'The version that runs; always 1.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.version }, 1);
    this.gauges = gaugesIn(this.registry);
  }

  call(surface: Surface, operation: Operation | undefined, result: CallResult, milliseconds: number): void {
    this.calls.add(surface, labelOf(operation), result, milliseconds / 1_000);
  }

  job(queue: string, result: JobResult): void {
    this.jobs.inc({ queue, result });
  }

  retried(): void {
    this.retries.inc();
  }

  /**
   * Returns all metrics as text. Concurrent callers share one result, so frequent scrapes cost one query at a time.
   */
  text(platform: Pick<Platform, 'store' | 'queue' | 'settings'>): Promise<string> {
    return (this.writing ??= this.write(platform).finally(() => {
      this.writing = undefined;
    }));
  }

  private async write({ store, queue, settings }: Pick<Platform, 'store' | 'queue' | 'settings'>): Promise<string> {
    showPools(this.gauges, store.usage());
    try {
      await settings.fresh();
      showQueues(this.gauges, await queue.states(store));
      this.gauges.up.set(1);
    } catch {
      // Metrics that need no database matter most while it is away.
      showQueues(this.gauges, []);
      this.gauges.up.set(0);
    }
    return this.registry.metrics();
  }
}

/** Returns the label of an operation. Saved statements, of which there can be any number, are counted together. */
function labelOf(operation: Operation | undefined): string {
  if (!operation) return 'unknown';
  return operation.origin === 'statement' ? 'statement' : operation.route;
}

/** Metrics read at scrape time, rather than counted as events happen. */
interface Gauges {
  readonly up: Gauge;
  readonly messages: Gauge<'queue' | 'state'>;
  readonly oldest: Gauge<'queue'>;
  readonly stopped: Gauge<'queue'>;
  readonly throttle: Gauge<'queue'>;
  readonly connections: Gauge<'pool' | 'state'>;
  readonly connectionsMax: Gauge<'pool'>;
  readonly waits: Counter<'pool'>;
  readonly waitSeconds: Counter<'pool'>;
}

function gaugesIn(registry: Registry): Gauges {
  const registers = [registry];
  return {
    up: new Gauge({
      name: 'casewright_database_up',
      help: 'Whether the database responded to this scrape: 1 or 0.',
      registers,
    }),
    messages: new Gauge({
      name: 'casewright_queue_messages',
      help:
        'Messages of each queue of the installation: waiting, deferred, running, paused, dead. ' +
        'Every process reports the same.',
      labelNames: ['queue', 'state'],
      registers,
    }),
    oldest: new Gauge({
      name: 'casewright_queue_oldest_seconds',
      help: 'For how long the oldest waiting message of a queue has been due.',
      labelNames: ['queue'],
      registers,
    }),
    stopped: new Gauge({
      name: 'casewright_queue_stopped',
      help: 'Whether nothing is taken from a queue: 1 or 0.',
      labelNames: ['queue'],
      registers,
    }),
    throttle: new Gauge({
      name: 'casewright_queue_messages_per_minute_max',
      help: 'The throttle of a queue; 0 is none.',
      labelNames: ['queue'],
      registers,
    }),
    connections: new Gauge({
      name: 'casewright_database_connections',
      help: 'Connections to the database that are open and in use, and callers that wait for one.',
      labelNames: ['pool', 'state'],
      registers,
    }),
    connectionsMax: new Gauge({
      name: 'casewright_database_connections_max',
      help: 'How many connections a pool may open.',
      labelNames: ['pool'],
      registers,
    }),
    waits: new Counter({
      name: 'casewright_database_connection_waits_total',
      help: 'How often a caller waited for a connection.',
      labelNames: ['pool'],
      registers,
    }),
    waitSeconds: new Counter({
      name: 'casewright_database_connection_wait_seconds_total',
      help: 'How long callers waited for connections.',
      labelNames: ['pool'],
      registers,
    }),
  };
}

function showQueues({ messages, oldest, stopped, throttle }: Gauges, states: readonly QueueState[]): void {
  for (const gauge of [messages, oldest, stopped, throttle]) gauge.reset();
  for (const { QueueName: queue, ...state } of states) {
    messages.set({ queue, state: 'waiting' }, state.Waiting);
    messages.set({ queue, state: 'deferred' }, state.Deferred);
    messages.set({ queue, state: 'running' }, state.Running);
    messages.set({ queue, state: 'paused' }, state.Paused);
    messages.set({ queue, state: 'dead' }, state.Dead);
    oldest.set({ queue }, state.OldestSeconds);
    stopped.set({ queue }, state.State === 'running' ? 0 : 1);
    throttle.set({ queue }, state.MessagesPerMinute);
  }
}

function showPools(
  { connections, connectionsMax, waits, waitSeconds }: Gauges,
  pools: Readonly<Record<string, PoolUsage>>,
): void {
  waits.reset();
  waitSeconds.reset();
  for (const [pool, usage] of Object.entries(pools)) {
    connections.set({ pool, state: 'open' }, usage.open);
    connections.set({ pool, state: 'in_use' }, usage.inUse);
    connections.set({ pool, state: 'waiting' }, usage.waiting);
    connectionsMax.set({ pool }, usage.max);
    waits.inc({ pool }, usage.waits);
    waitSeconds.inc({ pool }, usage.waitedMilliseconds / 1_000);
  }
}
