import { ScanFailed, ScannerUnavailable } from '../../../../../contracts/malware-scanner.ts';
import { extendLeaseDuring, LeaseLost } from '../../../../../kernel/database/lease.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { queueWorkers } from '../queue-workers.ts';
import { malwareDetail } from './refuse-infected.ts';
import { scanContent, scannerVersion, ScanTimedOut, type StoredVerdict } from './scan-content.ts';
import { isScanning } from './scan-gate.ts';
import {
  claimScan,
  contentOfClaim,
  countScans,
  extendScan,
  forgetScan,
  LEASE_SECONDS,
  postponeScan,
  storeVerdict,
  type ScanClaim,
  type ScannedContent,
} from './scan-rows.ts';

/** How long one call scans documents; the next one continues. */
const CALL_MILLISECONDS = 120_000;
/** Contents that all processes scan at a time; fewer than clamd has threads (MaxThreads, 10). */
const SLOTS = 4;
/** The same where a person waits for the verdict. */
const SLOTS_ASKED = 8;
/** Attempts without a verdict after which a content is given up. */
const FAILURES_MAX = 5;
/** How long a content waits after an attempt without a verdict. */
const RETRY_SECONDS = 30;
/** How long it waits for a storage location that is away. */
const STORAGE_SECONDS = 300;
/** Contents that were stored before a scanner was set up, noted at a time. */
const EARLIER_DOCUMENTS = 500;

/**
 * Scans the contents that are due, or those of some documents. Stops early if the scanner is unavailable. Returns how
 * many have a verdict.
 */
export async function scanDueContents(ctx: Context, ids?: readonly number[]): Promise<number> {
  const deadline = performance.now() + CALL_MILLISECONDS;
  let count = 0;
  while (isScanning(ctx.settings) && performance.now() < deadline) {
    const claim = await ctx.inTransaction((own) =>
      claimScan(own, ids ? { slots: SLOTS_ASKED, ids } : { slots: SLOTS }),
    );
    if (!claim) break;
    const outcome = await scanClaimed(ctx, claim);
    if (outcome === 'unavailable') break;
    if (outcome === 'done') count++;
  }
  return count;
}

type Outcome = 'done' | 'postponed' | 'unavailable';

async function scanClaimed(ctx: Context, claim: ScanClaim): Promise<Outcome> {
  const content = await contentOfClaim(ctx.db, claim);
  if (!content) {
    await forgetScan(ctx, claim);
    return 'done';
  }
  const extend = (): void => void extendScan(ctx, claim).catch(() => undefined);
  try {
    const verdict = await extendLeaseDuring(LEASE_SECONDS, extend, async () =>
      scanContent(ctx, await ctx.documents.unscannedContent(content)),
    );
    await record(ctx, claim, content, verdict);
    return 'done';
  } catch (error) {
    if (error instanceof LeaseLost) return 'done';
    return withoutVerdict(ctx, claim, content, error);
  }
}

/** Stores a verdict; malware, and the end of a quarantine, are written to the security log. */
async function record(
  ctx: Context,
  claim: ScanClaim,
  { FileName: name, personId }: ScannedContent,
  verdict: StoredVerdict,
): Promise<void> {
  const { before } = await ctx.inTransaction((own) => storeVerdict(own, claim, verdict));
  const subject = { object: 'Attachment', objectId: claim.id, personId };
  if (verdict.state === 'Infected' && before !== 'Infected')
    await ctx.security({ event: 'MalwareFound', ...subject, detail: malwareDetail(verdict.result, name) });
  if (verdict.state !== 'Infected' && before === 'Infected')
    await ctx.security({ event: 'MalwareCleared', ...subject, detail: malwareDetail('No malware', name) });
}

/** Records an attempt without a verdict: the content waits for the next one, or is given up. */
async function withoutVerdict(
  ctx: Context,
  claim: ScanClaim,
  content: ScannedContent,
  error: unknown,
): Promise<Outcome> {
  const reason = error instanceof Error ? error.message : '';
  const isOfScanner = error instanceof ScannerUnavailable || !(await isScannerAlive(ctx, error));
  const isOfFile = error instanceof ScanFailed || error instanceof ScanTimedOut;
  if (!isOfScanner && claim.failures >= FAILURES_MAX && !isAway(error)) {
    await record(ctx, claim, content, {
      state: 'Failed',
      result: isOfFile ? reason : 'The file cannot be read.',
    }).catch((lost: unknown) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
    return 'done';
  }
  if (!isOfFile && !isOfScanner)
    ctx.log.warn('a document could not be read for its malware scan', { attachmentId: claim.id, error: reason });
  await postponeScan(ctx, claim, {
    seconds: isAway(error) ? STORAGE_SECONDS : RETRY_SECONDS,
    reason: isOfScanner || isOfFile ? reason : 'The file cannot be read.',
    isCounted: !isOfScanner && !isAway(error),
  });
  return isOfScanner ? 'unavailable' : 'postponed';
}

/** Whether the storage location of a file is away. */
function isAway(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === 'UNAVAILABLE' || error.code === 'UNKNOWN_PROVIDER');
}

/** Whether a scanner that came to no verdict still answers: if not, the failure is not the file's. */
async function isScannerAlive(ctx: Context, error: unknown): Promise<boolean> {
  if (!(error instanceof ScanFailed) && !(error instanceof ScanTimedOut)) return true;
  return scannerVersion(ctx).then(
    () => true,
    () => false,
  );
}

/** Housekeeping: queues calls that scan the contents that are due, as many as may run. */
export const queueScans = {
  name: 'malware scans of documents',
  everyMinutes: 1 / 12,
  async run(platform: Platform): Promise<number> {
    const { store, settings, clock } = platform;
    if (!isScanning(settings)) return 0;
    const count = await countScans(store, clock);
    if (count.due === 0) return noteEarlier(store);
    await queueWorkers(platform, count, { route: 'attachment/scan', slots: SLOTS });
    return 0;
  },
} as const;

/**
 * Notes contents that were stored before a scanner was set up, the newest documents first, once nothing else waits.
 * They are served meanwhile. Returns how many.
 */
async function noteEarlier(store: Platform['store']): Promise<number> {
  const rows = await store.query(
    `with unscanned as (
       select attachmentid, fileversion from attachment a where scanstate is null and filepath is not null
         and not exists (select from documentscan s where s.attachmentid = a.attachmentid and s.number = a.fileversion)
       order by attachmentid desc limit ${EARLIER_DOCUMENTS}),
     unscanned_versions as (
       select v.attachmentid, v.number from documentversion v join attachment a on a.attachmentid = v.attachmentid
       where v.scanstate is null and not exists (select from unscanned) and not exists (
         select from documentscan s where s.attachmentid = v.attachmentid and s.number = v.number)
       order by v.attachmentid desc, v.number desc limit ${EARLIER_DOCUMENTS})
     insert into documentscan (attachmentid, number, earlier)
     select attachmentid, fileversion, true from unscanned
     union all select attachmentid, number, true from unscanned_versions
     on conflict do nothing
     returning 1`,
  );
  return rows.length;
}
