import { MALWARE_SCANNER, ScannerUnavailable, type ScanVerdict } from '../../../../../contracts/malware-scanner.ts';
import type { Settings } from '../../../../../kernel/declare/setting.ts';
import type { ScanState } from '../../../../../kernel/ports/documents.ts';
import type { Providers } from '../../../../../kernel/ports/providers.ts';
import { malwareScanMegabytesMax, malwareScanSeconds } from '../../settings.ts';

/** What scans need of the platform. */
export interface ScanParts {
  readonly providers: Providers;
  readonly settings: Settings;
}

/** A verdict as rows store it. */
export interface StoredVerdict {
  readonly state: ScanState;
  readonly result: string | null;
}

/** The scan took longer than it may. */
export class ScanTimedOut extends Error {
  override readonly name = 'ScanTimedOut';
}

/** Returns how a verdict is stored. */
function storedVerdict(found: ScanVerdict): StoredVerdict {
  if (found.verdict === 'Infected') return { state: 'Infected', result: found.signature };
  return found.verdict === 'Clean' ? { state: 'Clean', result: null } : { state: 'TooLarge', result: found.reason };
}

/**
 * Scans a content. `secondsMax`: at most so long, if the setting allows more.
 * @throws ScannerUnavailable, ScanFailed, ScanTimedOut; what reading the bytes throws
 */
export async function scanContent(
  { providers, settings }: ScanParts,
  content: { readonly size: number; open(): AsyncIterable<Uint8Array> },
  secondsMax = Infinity,
): Promise<StoredVerdict> {
  const megabytes = settings.get(malwareScanMegabytesMax);
  if (content.size > megabytes * 1_048_576)
    return { state: 'TooLarge', result: `The file is larger than ${megabytes} MB (MalwareScanMegabytesMax).` };
  const seconds = Math.min(settings.get(malwareScanSeconds), secondsMax);
  const signal = AbortSignal.timeout(seconds * 1_000);
  try {
    return storedVerdict(await providers.get(MALWARE_SCANNER).scan(content.open(), { signal }));
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new ScanTimedOut(`The scan took longer than ${seconds} s (MalwareScanSeconds).`);
  }
}

/** How long the scanner may take to say its version. */
const VERSION_MILLISECONDS = 5_000;

/** Returns the scanner's version. @throws ScannerUnavailable */
export async function scannerVersion({ providers }: Pick<ScanParts, 'providers'>): Promise<string> {
  const signal = AbortSignal.timeout(VERSION_MILLISECONDS);
  try {
    return await providers.get(MALWARE_SCANNER).version({ signal });
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new ScannerUnavailable(`clamd did not answer within ${VERSION_MILLISECONDS / 1_000} s.`);
  }
}
