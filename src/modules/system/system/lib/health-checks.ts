import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { countErrors } from '../../../../kernel/door/error-log.ts';
import { expiringKeys } from '../../../access/public/expiring-keys.ts';
import { undeclaredProxies } from '../../../access/public/undeclared-proxies.ts';
import { COUNTED_MAX, textBacklog } from '../../../documents/public/text-backlog.ts';
import { converterStates, printProgram } from '../../../documents/public/print-program.ts';
import { scannerState } from '../../../documents/public/scan-backlog.ts';
import { countRefusedCalls } from '../../../access/public/refused-calls.ts';
import { checkServerCertificates } from './certificate-finding.ts';
import { checkDisks } from './disk-finding.ts';
import { checkMail, checkMailboxes, checkPayments } from './mail-and-payments.ts';
import { checkedPublicAddress } from './public-address-finding.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { QueuePause, QueueState } from '../../../../kernel/ports/queue.ts';

/** One line of the health report. */
export interface HealthCheck {
  readonly Health: string;
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
  /** What to do. */
  readonly Advice?: string;
  /** Since when it has been so, where that is known. */
  readonly Since?: string | null;
}

type QueueStates = Promise<readonly QueueState[]>;

/** What a check found. */
type Finding = Omit<HealthCheck, 'Health'>;

/** A message that has been due for longer than this shows that workers are missing or too few. */
const WAITING_SECONDS_WARNING = 300;
/** Share of the server's connections in use above which few are left. */
const CONNECTIONS_SHARE_WARNING = 0.8;
/** Causes of dead letters that are looked at. */
const CAUSES_LOOKED = 100;

/** Runs all checks. A check that throws is reported as failed and stops no other. */
export async function runHealthChecks(ctx: Context): Promise<readonly HealthCheck[]> {
  // Two checks read them, and among a million calls that is the slowest statement of the report.
  const states = ctx.queue.states(ctx.db);
  const results = await Promise.all([
    guarded('Database', () => checkDatabase(ctx)),
    guarded('Database disk', () => checkDatabaseDisk(ctx)),
    guarded('Disk space', () => checkDisks(ctx)),
    guarded('Queues', () => checkQueues(ctx, states)),
    guarded('Dead letters', () => checkDeadLetters(ctx, states)),
    guarded('Stored files', () => checkStorage(ctx)),
    guarded('Text of documents', () => checkTexts(ctx)),
    guarded('Malware scan', () => checkMalwareScan(ctx)),
    guarded('Printing', () => checkPrinting(ctx)),
    guarded('Conversion', () => checkConversion(ctx)),
    guarded('Failures of the last day', () => checkFailures(ctx)),
    guarded('Proxies', () => checkProxies(ctx)),
    guarded('Mail', () => checkMail(ctx)),
    guarded('Mailboxes', () => checkMailboxes(ctx)),
    guarded('Payments', () => checkPayments(ctx)),
    guarded('API keys', () => checkKeys(ctx)),
    guarded('Public address', () => checkedPublicAddress(ctx)),
    guarded('Certificates', () => checkServerCertificates(ctx)),
    guarded('Installation', () => checkInstallation(ctx)),
  ]);
  return [...results, thisProcess()];
}

/** Runs a check and reports an exception as its result. */
async function guarded(name: string, check: () => Promise<Finding>): Promise<HealthCheck> {
  try {
    return { Health: name, ...(await check()) };
  } catch (error) {
    return {
      Health: name,
      State: 'failed',
      Detail: error instanceof PlatformError ? error.message : 'No answer.',
    };
  }
}

interface DatabaseHealth {
  readonly version: string;
  readonly bytes: string;
  readonly used: number;
  readonly most: number;
  /** The version of TLS; null if the connection is not encrypted. */
  readonly tls: string | null;
  readonly sslmode: string | null;
  readonly isLocal: boolean;
}

async function checkDatabase(ctx: Context): Promise<Finding> {
  const [row] = await ctx.db.query<DatabaseHealth>(
    `select (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls,
       current_setting('casewright.sslmode', true) as sslmode,
       inet_client_addr() is null or inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() <<= '::1' as "isLocal",
       current_setting('server_version') as version,
       pg_size_pretty(pg_database_size(current_database())) as bytes,
       (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used,
       current_setting('max_connections')::integer as most`,
  );
  if (!row) throw new Error('no answer');
  const isExposed = row.tls === null && !row.isLocal;
  const isCrowded = row.used > row.most * CONNECTIONS_SHARE_WARNING;
  return {
    State: isExposed || isCrowded ? 'warning' : 'ok',
    Detail: `PostgreSQL ${row.version}, ${row.bytes}, ${row.used} of ${row.most} connections, ${encryptionOf(row)}.`,
    ...advice(
      isExposed && 'Set sslmode=verify-full in DATABASE_URL: the data can be read on the way.',
      isCrowded && 'Few connections are left. Raise max_connections of the database, or run fewer processes.',
    ),
  };
}

/** Returns how connections to the database are encrypted, in words for people. */
function encryptionOf({ tls, sslmode, isLocal }: DatabaseHealth): string {
  if (tls === null) return isLocal ? 'on this machine' : 'not encrypted';
  return `encrypted with ${tls}, server ${sslmode?.startsWith('verify') === true ? 'verified' : 'not verified'}`;
}

async function checkDatabaseDisk(ctx: Context): Promise<Finding> {
  if (!(await ctx.isDatabaseDiskFull())) return { State: 'ok', Detail: 'Nothing has failed for lack of disk space.' };
  return {
    State: 'failed',
    Detail: 'The database has no disk space left: nothing can be stored, but reading works.',
    ...advice('Free or add space on its disk; saves work again at once.'),
  };
}

async function checkQueues(ctx: Context, found: QueueStates): Promise<Finding> {
  const [states, pauses] = await Promise.all([found, ctx.queue.pauses(ctx.db)]);
  const sum = (of: (state: (typeof states)[number]) => number): number =>
    states.reduce((total, state) => total + of(state), 0);
  const oldest = Math.max(0, ...states.map((state) => state.OldestSeconds));
  const stopped = states.filter((state) => state.State !== 'running');
  const detail =
    `${countText(sum((state) => state.Waiting))} waiting, the oldest for ${durationText(oldest)}, ` +
    `${countText(sum((state) => state.Running))} running.` +
    (stopped.length > 0 ? ` Not running: ${stopped.map(heldText).join('; ')}.` : '') +
    (pauses.length > 0 ? ` Paused: ${pauses.map(pauseText).join('; ')}.` : '');
  const late = oldest > WAITING_SECONDS_WARNING;
  const since = [...stopped, ...pauses].map(({ ChangedDate: at }) => at ?? ctx.clock.now());
  if (late) since.push(new Date(ctx.clock.milliseconds() - oldest * 1_000).toISOString());
  return {
    State: late || stopped.length + pauses.length > 0 ? 'warning' : 'ok',
    Detail: detail,
    Since: since.toSorted()[0] ?? null,
    ...advice(
      oldest > WAITING_SECONDS_WARNING && 'Calls wait too long: start a process with workers, or more of them.',
      stopped.length > 0 && 'Start the stopped queues when their work may run again.',
      pauses.length > 0 && 'Resume the paused operations when their calls may run again.',
    ),
  };
}

/** Returns a number with its thousands separated: "4,000". */
function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** Returns a number with its noun: "1 dead letter", "4,000 dead letters". */
function countWithNoun(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** Returns a duration in its largest unit: "40 s", "12 min", "3 h". */
function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}

/** Returns a queue that nobody works on, with the reason. */
function heldText({ QueueName: name, Reason: reason }: QueueState): string {
  return reason === null ? name : `${name} (${reason})`;
}

/** Returns an operation whose calls wait, with the reason. */
function pauseText({ QueueName: queue, Operation: operation, Waiting: waiting, Reason: reason }: QueuePause): string {
  const facts = [...(reason === null ? [] : [reason]), ...(waiting > 0 ? [`${countText(waiting)} waiting`] : [])];
  return `${operation} in ${queue}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`;
}

async function checkDeadLetters(ctx: Context, found: QueueStates): Promise<Finding> {
  const [states, { causes }] = await Promise.all([found, ctx.queue.causes(ctx.db, CAUSES_LOOKED)]);
  const dead = states.reduce((sum, state) => sum + state.Dead, 0);
  if (dead === 0) return { State: 'ok', Detail: 'No call has used up its attempts.' };
  const [latest] = causes;
  const first = causes.map(({ FirstDate }) => FirstDate).toSorted()[0] ?? null;
  const more = causes.length > 1 ? `${causes.length} causes, the latest` : 'One cause';
  const letters = countWithNoun(dead, 'dead letter');
  return {
    State: 'warning',
    Detail: `${letters}. ${more}: ${latest?.Operation ?? ''}, ${latest?.ErrorCode ?? 'no code'}.`,
    Since: first,
    ...advice('Remove the cause, then retry its dead letters, or discard them with a reason.'),
  };
}

/** Stores a small file in the default storage and removes it. */
async function checkStorage(ctx: Context): Promise<Finding> {
  const content = Buffer.from(ctx.correlationId);
  const staged = await ctx.documents.stage(
    (async function* () {
      yield content;
    })(),
    { fileName: 'health.txt' },
  );
  await ctx.documents.discard(staged.token);
  const names = ctx.providers.names(FILE_OBJECT);
  return { State: 'ok', Detail: `Wrote and removed a file; storage locations: ${names.join(', ')}.` };
}

async function checkTexts(ctx: Context): Promise<Finding> {
  const { waiting, unrecognized, reason } = await textBacklog(ctx.db);
  const count = (number: number): string => (number === COUNTED_MAX ? `${COUNTED_MAX} or more` : String(number));
  const backlog = waiting === 1 ? '1 document waits' : `${waiting === 0 ? 'No' : count(waiting)} documents wait`;
  return {
    State: unrecognized > 0 ? 'warning' : 'ok',
    Detail:
      `${backlog} to be read for searches.` +
      (unrecognized > 0 ? ` ${count(unrecognized)} have pictures that are not recognized: ${reason ?? ''}` : ''),
    ...advice(
      unrecognized > 0 &&
        'Install Tesseract (Debian: tesseract-ocr) on the servers that run jobs, or set OcrCommand and OcrLanguages; ' +
          'the documents are then read within minutes.',
    ),
  };
}

async function checkMalwareScan(ctx: Context): Promise<Finding> {
  const scanner = await scannerState(ctx);
  if (!scanner) return { State: 'ok', Detail: 'Files are not scanned for malware (setting MalwareScanner).' };
  const { backlog, version, problem } = scanner;
  const { waiting, infected, unscannable, earlier, since } = backlog;
  const quarantined = infected + unscannable;
  const detail =
    `${countWithNoun(waiting, 'file')} waiting, ${countText(infected)} with malware, ` +
    `${countText(unscannable)} not scannable, ${countText(earlier)} from before to be scanned.`;
  if (problem === undefined)
    return {
      State: quarantined > 0 ? 'warning' : 'ok',
      Detail: `${version ?? ''}. ${detail}`,
      ...advice(
        quarantined > 0 && 'Search documents by their malware scan; delete, release or scan again each that is found.',
      ),
    };
  return {
    State: 'failed',
    Detail: `${problem} ${detail}`,
    Since: since,
    ...advice(
      'Start clamd, or correct MalwareScanner. New files are served only after their scan; they wait and nothing is ' +
        'lost. Once clamd answers they are scanned within a minute.',
    ),
  };
}

async function checkPrinting(ctx: Context): Promise<Finding> {
  const { program, types } = await printProgram(ctx);
  if (program !== undefined) return { State: 'ok', Detail: `PDF files are printed by ${program}.` };
  return {
    State: types > 0 ? 'warning' : 'ok',
    Detail: `Chromium is not installed. Document types that print PDF files: ${types}.`,
    ...advice(
      types > 0 && 'Install Chromium (Debian: chromium-headless-shell), or set ChromiumCommand to its program.',
    ),
  };
}

async function checkConversion(ctx: Context): Promise<Finding> {
  const { programs, missing, unconverted } = await converterStates(ctx);
  if (missing.length === 0) return { State: 'ok', Detail: `Documents are converted by ${programs.join(', ')}.` };
  return {
    State: unconverted > 0 ? 'warning' : 'ok',
    Detail:
      `Not all documents can be converted to PDF; of the newest 1,000, ${unconverted} cannot. ` +
      missing.map((text) => text.split('. ')[0]).join('. ') +
      '.',
    ...advice(unconverted > 0 && missing.map((text) => text.split('. ').slice(1).join('. ')).join(' ')),
  };
}

async function checkFailures(ctx: Context): Promise<Finding> {
  const since = new Date(ctx.clock.milliseconds() - 86_400_000).toISOString();
  const errors = await countErrors(ctx.db, since);
  const refused = await countRefusedCalls(ctx.db, since);
  return {
    State: errors > 0 ? 'warning' : 'ok',
    Detail: `${countWithNoun(errors, 'unexpected error')}, ${countText(refused)} refused calls and sign-ins.`,
    ...advice(errors > 0 && 'Look at the error log below; each entry has the correlation ID of its call.'),
  };
}

async function checkProxies(ctx: Context): Promise<Finding> {
  const since = new Date(ctx.clock.milliseconds() - 86_400_000).toISOString();
  const senders = await undeclaredProxies(ctx.db, since);
  if (senders.length === 0) return { State: 'ok', Detail: 'No undeclared proxy was seen during the last day.' };
  return {
    State: 'warning',
    Detail: `${senders.join(', ')} sent X-Forwarded-For, which was ignored.`,
    ...advice(
      'If this is your proxy, add it to CASEWRIGHT_TRUSTED_PROXIES: until then all its callers count as one address ' +
        'and share its limits of failed sign-ins.',
    ),
  };
}

async function checkKeys(ctx: Context): Promise<Finding> {
  const keys = await expiringKeys(ctx);
  if (keys.length === 0) return { State: 'ok', Detail: 'No API key expires soon.' };
  const lines = keys.map(({ name, start, expires }) => `${name ?? ''} (${start ?? ''}…) on ${expires.slice(0, 10)}`);
  return {
    State: 'warning',
    Detail: `These API keys expire soon: ${lines.join(', ')}.`,
    ...advice('Create their successors in time, and give them to those who use the keys.'),
  };
}

async function checkInstallation(ctx: Context): Promise<Finding> {
  const [row] = await ctx.db.query<{ environment: string | null; state: string }>(
    'select environment, state from installation',
  );
  const name = row?.environment ? `Environment ${row.environment}` : 'CASEWRIGHT_ENVIRONMENT is not set';
  if (row?.state !== 'Paused') return { State: 'ok', Detail: `${name}${row?.state === 'Copy' ? ', a copy' : ''}.` };
  return {
    State: 'warning',
    Detail: `${name}, a paused copy: queues, schedules, watched folders and sFTP do not run.`,
    ...advice(
      'Check mail servers, webhooks, storage locations and queued calls, then run npm run db -- installation ' +
        '--resume and restart.',
    ),
  };
}

/** Returns what to do, in one text; nothing if there is nothing to do. */
function advice(...texts: readonly (string | false)[]): { readonly Advice?: string } {
  const given = texts.filter((text) => text !== false);
  return given.length === 0 ? {} : { Advice: given.join(' ') };
}

function thisProcess(): HealthCheck {
  const { rss } = process.memoryUsage();
  return {
    Health: 'This process',
    State: 'ok',
    Detail:
      `Node ${process.versions.node}, up for ${durationText(Math.round(process.uptime()))}, ` +
      `${Math.round(rss / 1_048_576)} MB.`,
  };
}
