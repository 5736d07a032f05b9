import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { CallMetrics } from '../../../src/surfaces/metrics/call-metrics.ts';

const BUCKETS = [0.002, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

describe('metrics of calls', () => {
  it("are written like the library's own counter and histogram", async () => {
    const ours = new Registry();
    const theirs = new Registry();
    const registers = [theirs];
    const metrics = new CallMetrics(ours);
    const counter = new Counter({
      name: 'casewright_calls_total',
      help: 'Calls by operation, surface and result: OK, QUEUED, REPLAYED, FAILED or the error code.',
      labelNames: ['operation', 'surface', 'status'],
      registers,
    });
    const histogram = new Histogram({
      name: 'casewright_call_seconds',
      help: 'Duration of calls, from the door until they were committed.',
      labelNames: ['operation', 'surface'],
      buckets: BUCKETS,
      registers,
    });
    const calls = [
      ['http', 'contact/select', 'OK', 0.001],
      ['http', 'contact/select', 'OK', 0.002],
      ['http', 'contact/select', 'NOT_FOUND', 0.3],
      ['queue', 'import/{Template}', 'FAILED', 1_000],
      ['http', 'unknown', 'UNKNOWN_OPERATION', 0.5],
    ] as const;
    for (const [surface, operation, status, seconds] of calls) {
      metrics.add(surface, operation, status, seconds);
      counter.inc({ operation, surface, status });
      histogram.observe({ operation, surface }, seconds);
    }
    const lines = async (registry: Registry): Promise<readonly string[]> =>
      (await registry.metrics())
        .split('\n')
        .map((line) => line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(',').sort().join(',')}}`))
        .sort();
    assert.deepEqual(await lines(ours), await lines(theirs));
  });
});
