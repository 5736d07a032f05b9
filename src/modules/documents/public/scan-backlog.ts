/** How far the files of documents are scanned for malware. */
import { ScannerUnavailable } from '../../../contracts/malware-scanner.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { scannerVersion } from '../attachment/lib/scan/scan-content.ts';
import { isScanning } from '../attachment/lib/scan/scan-gate.ts';
import { COUNTED_MAX } from './text-backlog.ts';

/** Files that are not served, by reason; each number counted up to {@link COUNTED_MAX}. */
export interface ScanBacklog {
  readonly waiting: number;
  readonly infected: number;
  /** Too large, or without a verdict. */
  readonly unscannable: number;
  /** Stored before there was a scanner, and noted to be scanned. */
  readonly earlier: number;
  /** Since when the first one waits, ISO 8601. */
  readonly since: string | null;
}

/** The scanner, and what it has to do. */
export interface ScannerState {
  readonly backlog: ScanBacklog;
  /** The scanner's version in its own words; undefined if it is unavailable. */
  readonly version: string | undefined;
  /** Why it is unavailable, as a sentence. */
  readonly problem: string | undefined;
}

/**
 * Returns the state of the malware scans; undefined if no scanner is set up. The caller has checked that the user may
 * know of the server and of all documents.
 */
export async function scannerState(
  ctx: Pick<Context, 'db' | 'providers' | 'settings'>,
): Promise<ScannerState | undefined> {
  if (!isScanning(ctx.settings)) return undefined;
  const [backlog, found] = await Promise.all([scanBacklog(ctx), versionOrProblem(ctx)]);
  return { backlog, ...found };
}

async function versionOrProblem(ctx: Pick<Context, 'providers'>): Promise<Pick<ScannerState, 'version' | 'problem'>> {
  try {
    return { version: await scannerVersion(ctx), problem: undefined };
  } catch (error) {
    if (!(error instanceof ScannerUnavailable)) throw error;
    return { version: undefined, problem: error.message };
  }
}

async function scanBacklog({ db }: Pick<Context, 'db'>): Promise<ScanBacklog> {
  const inState = (condition: string): string =>
    `(select count(*)::integer from (select from attachment where ${condition} limit ${COUNTED_MAX}) d)`;
  const [row] = await db.query<ScanBacklog>(
    `select ${inState("scanstate = 'Waiting'")} as waiting, ${inState("scanstate = 'Infected'")} as infected,
       ${inState("scanstate in ('TooLarge', 'Failed')")} as unscannable,
       (select count(*)::integer from (select from documentscan where earlier limit ${COUNTED_MAX}) e) as earlier,
       (select min(createddate) from documentscan where not earlier) as since`,
  );
  return row ?? { waiting: 0, infected: 0, unscannable: 0, earlier: 0, since: null };
}
