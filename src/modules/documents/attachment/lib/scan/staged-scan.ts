import type { Settings } from '../../../../../kernel/declare/setting.ts';
import type { ScanState } from '../../../../../kernel/ports/documents.ts';
import { malwareScanner } from '../../settings.ts';
import { scanContent, type ScanParts, type StoredVerdict } from './scan-content.ts';
import { isScanning } from './scan-gate.ts';

/** The verdict about a staged file, as its token carries it. */
export interface StagedVerdict extends StoredVerdict {
  /** ISO 8601. */
  readonly date: string;
}

/** The columns of a document that say whether its content was scanned. */
export interface ScanColumns {
  readonly ScanState: ScanState | null;
  readonly ScanDate: string | null;
  readonly ScanResult: string | null;
}

/** Largest file that is scanned while it is staged; larger ones wait for the background. */
const STAGED_BYTES_MAX = 16 * 1_048_576;
/** How long an upload waits for the verdict. */
const STAGED_SECONDS_MAX = 5;
/** How long uploads are not scanned at once after a scan came to no verdict: each of them would wait as well. */
const PAUSE_MILLISECONDS = 15_000;

/** Returns what is stored of a file that was staged, perhaps before a scanner was set up. */
export function scanColumns(settings: Settings, scan: StagedVerdict | undefined): ScanColumns {
  if (scan) return { ScanState: scan.state, ScanDate: scan.date, ScanResult: scan.result };
  return { ScanState: isScanning(settings) ? 'Waiting' : null, ScanDate: null, ScanResult: null };
}

/** Scans files while they are staged. */
export class StagedScans {
  private readonly parts: ScanParts & { readonly now: () => string };
  private paused: { readonly address: string; readonly until: number } | undefined;

  constructor(parts: ScanParts & { readonly now: () => string }) {
    this.parts = parts;
  }

  /**
   * Returns the verdict about a staged file; undefined without a scanner, or if there is none at once: the file is then
   * scanned in the background.
   */
  async verdict(content: {
    readonly size: number;
    open(): AsyncIterable<Uint8Array>;
  }): Promise<StagedVerdict | undefined> {
    const { settings, now } = this.parts;
    if (!isScanning(settings) || content.size > STAGED_BYTES_MAX) return undefined;
    const address = settings.get(malwareScanner);
    if (this.paused?.address === address && performance.now() < this.paused.until) return undefined;
    try {
      const verdict = await scanContent(this.parts, content, STAGED_SECONDS_MAX);
      return { ...verdict, date: now() };
    } catch {
      // The background scan records why, if it comes to no verdict either.
      this.paused = { address, until: performance.now() + PAUSE_MILLISECONDS };
      return undefined;
    }
  }
}
