import { restrictToAgent } from '../shared/agent-rights.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type {} from '../../kernel/door/call.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import type { RenderedAnswer } from '../../kernel/door/idempotency.ts';
import type { Principal } from '../../kernel/security/identity.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { timeZone } from '../../kernel/declare/core-settings.ts';
import { toJson } from '../../kernel/render/json.ts';
import { parseRoute, type Route } from '../../kernel/door/route.ts';
import { nextRun, parseSchedule } from '../../kernel/time/schedule.ts';
import type { BossQueue } from './boss-queue.ts';
import { Consumer, type Job, type JobOutcome } from './consumer.ts';
import { attemptsAfter, causeOf } from './failure-cause.ts';
import { nextMessageId, openCall, sealFailure, type Envelope, type SealedCall } from './envelope.ts';

/** Largest stored result of a queued call, in bytes; of a larger one only the warnings are stored. */
const RESULT_BYTES_MAX = 4 * 1024 * 1024;

/** Longest time for one statement of a queued call. Interactive calls end sooner; the queue is for long work. */
const QUEUED_STATEMENT_MINUTES = 10;

/** Codes of failures that may pass: the call is retried with growing delays. */
const transientCodes = new Set([
  'CONCURRENT_CHANGE',
  'DOCUMENT_NOT_SCANNED',
  'TOO_MANY',
  'TIMED_OUT',
  'UNAVAILABLE',
  'INTERNAL',
  'UNKNOWN_OPERATION',
]);

/** A running worker. */
export interface RunningWorker {
  /** Claims no more jobs and finishes those that run. */
  stop(): Promise<void>;
}

/** Runs queued calls through the door, each as the user who queued it. */
export function startWorker(platform: Platform, queue: BossQueue): RunningWorker {
  const consumer = new Consumer({
    queue,
    db: platform.store,
    log: platform.log,
    run: (job, name) => runJob(platform, queue, name, job),
    fresh: () => platform.settings.fresh(),
  });
  consumer.start();
  return consumer;
}

async function runJob(platform: Platform, queue: BossQueue, name: string, job: Job): Promise<JobOutcome> {
  const { data } = job;
  try {
    // A requeued dead letter is a new job of the same message.
    await makeCall({ platform, queue, name }, data, job.retryCount > 0 || job.id !== data.messageId);
    platform.metrics.job(name, 'completed');
    return { status: 'completed' };
  } catch (error) {
    const known = error instanceof PlatformError ? error : await toInternalError(platform, data, error);
    // For a workflow step, what counts is the failure of the call that it made.
    const again = transientCodes.has(
      known.code === 'STEP_FAILED' ? String(known.details?.['FailureCode']) : known.code,
    );
    const last = !again || job.retryCount >= job.retryLimit;
    platform.metrics.job(name, last ? 'dead' : 'retried');
    const facts = {
      correlationId: data.correlationId,
      messageId: data.messageId,
      operation: data.route,
      code: known.code,
      attempt: job.retryCount + 1,
      last,
    };
    if (known.code === 'UNKNOWN_OPERATION') await logUnknownOperation(platform, data, facts);
    else platform.log.warn('queued call failed', facts);
    return {
      status: again ? 'failed' : 'deadletter',
      output: {
        code: known.code,
        cause: causeOf(platform.cipher, known),
        attempts: attemptsAfter(job, { at: platform.clock.now(), code: known.code }),
        sealed: sealFailure(platform.cipher, { message: known.message, alerts: known.alerts }),
      },
    };
  }
}

/** Where a job comes from: the platform, its queues, and the name of the job's queue. */
interface JobSource {
  readonly platform: Platform;
  readonly queue: BossQueue;
  readonly name: string;
}

/** Runs the call at most once, however often the job is delivered: the message id is the call's idempotency key. */
async function makeCall(source: JobSource, data: Envelope, redelivered: boolean): Promise<void> {
  const { platform } = source;
  await platform.settings.fresh();
  const content = openCall(platform.cipher, data);
  const person = await platform.identity.ofPerson(data.personId);
  const held = content.agent ? restrictToAgent(platform.registry, person) : person;
  const principal: Principal = content.unconfirmed ? { ...held, unconfirmed: true } : held;
  // Before the call, not after it: a worker that is killed on every attempt never gets past the call. The caller must
  // still be active, so the recurring calls of a user who has left end here.
  await queueNext(source, data, content);
  await invoke(platform, {
    route: routeOf(platform, data, content),
    parameters: content.parameters,
    principal,
    address: 'queue',
    surface: 'queue',
    correlationId: data.correlationId,
    cause: content.cause,
    statementMilliseconds: QUEUED_STATEMENT_MINUTES * 60_000,
    idempotency: {
      key: `queue ${data.messageId}`,
      request: data.messageId,
      messageId: data.messageId,
      redelivered,
      render: renderResult,
    },
  });
}

/**
 * Returns the route of a queued call: the operation's, in which a parameter segment is `{Name}`, or a saved
 * statement's.
 */
function routeOf(platform: Platform, data: Envelope, content: SealedCall): Route {
  const { registry } = platform;
  const operation = registry.operation(data.route);
  const at = data.route.indexOf('/');
  const base: Route = operation
    ? {
        module: data.route.slice(0, at),
        path: data.route.slice(at + 1),
        operation,
        segments: {},
        id: undefined,
        parent: undefined,
        queued: false,
      }
    : parseRoute(registry, data.route.split('/'), 'POST');
  const { parent } = content;
  return parent === undefined
    ? base
    : { ...base, parent: { record: registry.requireRecord(parent.record, 'Object'), id: parent.id } };
}

/** Renders the answer to store, for lookups by message. */
function renderResult({ answer, alerts }: CallOutcome): RenderedAnswer {
  const empty = toJson({ kind: 'nothing' }, alerts);
  const body = answer.kind === 'content' ? empty : toJson(answer, alerts);
  return { status: 200, headers: {}, body: body.length > RESULT_BYTES_MAX ? empty : body };
}

/**
 * Queues the next run of a recurring call, under an id derived from this run's, so that a job delivered twice queues
 * one.
 */
async function queueNext({ platform, queue, name }: JobSource, data: Envelope, content: SealedCall): Promise<void> {
  if (data.scheduleName === null || data.scheduleId === null) return;
  const next = nextRun(
    parseSchedule(data.scheduleName),
    platform.clock.milliseconds(),
    platform.settings.get(timeZone),
  );
  if (next === undefined) return;
  await queue.send(platform.store, [
    {
      ...content,
      messageId: nextMessageId(data.messageId),
      route: data.route,
      personId: data.personId,
      correlationId: data.correlationId,
      scheduleName: data.scheduleName,
      scheduleId: data.scheduleId,
      queueName: name,
      queuedDate: next,
      ...(data.label === null ? {} : { label: data.label }),
    },
  ]);
}

/** Logs a failure outside the door, such as an envelope whose key is gone, and returns INTERNAL. */
async function toInternalError(platform: Platform, data: Envelope, error: unknown): Promise<PlatformError> {
  const entry = {
    correlationId: data.correlationId,
    operation: data.route,
    message: loggableMessage(error),
    stack: '',
    cause: 'queue',
    personId: data.personId,
  };
  platform.log.error('queued call could not be run', {
    correlationId: data.correlationId,
    messageId: data.messageId,
    error: entry.message,
  });
  await platform.journal.error(entry).catch(() => undefined);
  return new PlatformError('INTERNAL');
}

/** Logs an operation that this version does not have. A node of a newer version may have it, so the job is retried. */
async function logUnknownOperation(
  platform: Platform,
  data: Envelope,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  platform.log.error('queued call names an unknown operation', facts);
  const entry = {
    correlationId: data.correlationId,
    operation: data.route,
    message: `UNKNOWN_OPERATION: a queued call names ${data.route}, which this version does not have`,
    stack: '',
    cause: 'queue',
    personId: data.personId,
  };
  await platform.journal.error(entry).catch(() => undefined);
}
