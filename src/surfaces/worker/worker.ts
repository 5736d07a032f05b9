import type { JobWithMetadata } from 'pg-boss';
import { PlatformError } from '../../kernel/errors.ts';
import { invoke } from '../../kernel/invoke.ts';
import type { Platform } from '../../kernel/platform.ts';
import { timeZone } from '../../kernel/core-settings.ts';
import { toJson } from '../../kernel/render/json.ts';
import { parseRoute } from '../../kernel/route.ts';
import { nextRun, parseSchedule } from '../../kernel/schedule.ts';
import { randomUUID } from 'node:crypto';
import { openEnvelope, type BossQueue, type Envelope } from './boss-queue.ts';

/** How many calls one worker process makes at a time from each queue. */
export const WORKER_CONCURRENCY = 8;

/** What became of a job: `deadletter` where trying again cannot help. */
interface JobOutcome {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'deadletter';
  readonly output: { readonly code: string; readonly message?: string; readonly alerts?: number; readonly queue?: string };
}

/** Failures that may pass: the call is tried again with growing delays. */
const passing = new Set(['CONCURRENT_CHANGE', 'TOO_MANY', 'TIMED_OUT', 'UNAVAILABLE', 'INTERNAL', 'UNKNOWN_OPERATION']);

/** Takes queued calls and makes each through the door, as the user who queued it. */
export async function startWorker(platform: Platform, queue: BossQueue): Promise<void> {
  for (const name of queue.names()) {
    await queue.boss.work(
      name,
      { perJobResults: true as const, includeMetadata: true as const, batchSize: WORKER_CONCURRENCY, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, heartbeatRefreshSeconds: 4 },
      (jobs: JobWithMetadata<Envelope>[]) => Promise.all(jobs.map((job) => runJob(platform, queue, name, job))),
    );
  }
}

async function runJob(platform: Platform, queue: BossQueue, name: string, job: JobWithMetadata<Envelope>): Promise<JobOutcome> {
  const { data } = job;
  try {
    const alerts = await makeCall(platform, data);
    await scheduleNext(platform, queue, name, data);
    return { id: job.id, status: 'completed', output: { code: 'OK', ...(alerts > 0 ? { alerts } : {}) } };
  } catch (error) {
    const code = error instanceof PlatformError ? error.code : 'INTERNAL';
    const message = error instanceof PlatformError ? error.message : '';
    const again = passing.has(code);
    const last = !again || job.retryCount >= job.retryLimit;
    platform.log.warn('queued call failed', { messageId: data.messageId, operation: data.route, code, attempt: job.retryCount + 1, last });
    // A recurring call goes on with its next time whatever became of this one.
    if (last) await scheduleNext(platform, queue, name, data);
    return { id: job.id, status: again ? 'failed' : 'deadletter', output: { code, message, queue: name } };
  }
}

/** Runs the call once however often the job is delivered: its message id is the call's idempotency key. */
async function makeCall(platform: Platform, data: Envelope): Promise<number> {
  await platform.settings.fresh();
  const content = openEnvelope(platform.cipher, data);
  const { registry } = platform;
  const base = parseRoute(registry, data.route.split('/'), 'POST');
  const parentRecord = content.parent === undefined ? undefined : registry.requireRecord(content.parent.record, 'Object');
  const route = parentRecord && content.parent ? { ...base, parent: { record: parentRecord, id: content.parent.id } } : base;
  const outcome = await invoke(platform, {
    route,
    parameters: content.parameters,
    principal: await platform.identity.ofPerson(data.personId),
    address: 'queue',
    correlationId: data.correlationId,
    cause: content.cause,
    ...(route.operation?.transactions === 'own'
      ? {}
      : {
          remember: {
            key: `queue ${data.messageId}`,
            request: data.messageId,
            render: ({ answer, alerts }) => ({ status: 200, headers: {}, body: answer.kind === 'content' ? '{}' : toJson(answer, alerts) }),
          },
        }),
  });
  return outcome.alerts.length;
}

/** A recurring call queues its next run under an id made from this one, so that a job delivered twice queues one. */
async function scheduleNext(platform: Platform, queue: BossQueue, name: string, data: Envelope): Promise<void> {
  if (data.scheduleName === null) return;
  const next = nextRun(parseSchedule(data.scheduleName), platform.clock.milliseconds(), platform.settings.get(timeZone));
  if (next === undefined) return;
  const content = openEnvelope(platform.cipher, data);
  await queue.send(platform.store, [
    { ...content, messageId: randomUUID(), route: data.route, personId: data.personId, correlationId: data.correlationId, scheduleName: data.scheduleName, queueName: name, queuedDate: next, ...(data.label === null ? {} : { label: data.label }) },
  ]);
}
