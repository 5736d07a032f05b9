import type { Settings } from '../../../../../kernel/declare/setting.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { ScanState } from '../../../../../kernel/ports/documents.ts';
import { malwareScanner } from '../../settings.ts';

/** What {@link assertServed} throws, for operations that read contents. */
export const servedErrors = ['DOCUMENT_NOT_SCANNED', 'DOCUMENT_INFECTED', 'DOCUMENT_UNSCANNABLE'] as const;

/** What decides whether a content is served. */
export interface ScannedFile {
  readonly ScanState: ScanState | null;
  readonly FileName: string | null;
}

/** Whether a scanner is set up. */
export function isScanning(settings: Settings): boolean {
  return settings.get(malwareScanner) !== '';
}

/** Whether the content of a document is served: to anybody, and to any program that reads it. */
export function isServed(settings: Settings, { ScanState: state }: Pick<ScannedFile, 'ScanState'>): boolean {
  if (state === null || state === 'Clean' || state === 'Released') return true;
  // Without a scanner nobody would ever decide about the others.
  return state !== 'Infected' && !isScanning(settings);
}

/**
 * The gate of all readers of stored contents: call it with the row that says where the content is, before it is read,
 * and before anything is returned that was made from it.
 * @throws DOCUMENT_NOT_SCANNED, which may pass; DOCUMENT_INFECTED, DOCUMENT_UNSCANNABLE
 */
export function assertServed(settings: Settings, file: ScannedFile): void {
  if (isServed(settings, file)) return;
  const name = `"${file.FileName ?? 'The file'}"`;
  if (file.ScanState === 'Infected')
    throw new PlatformError('DOCUMENT_INFECTED', {
      field: 'ID',
      message: `${name} is in quarantine because malware was found in it. An administrator can delete or release it.`,
    });
  if (file.ScanState === 'Waiting')
    throw new PlatformError('DOCUMENT_NOT_SCANNED', {
      field: 'ID',
      message: `${name} is waiting for its malware scan. Try again in a minute.`,
    });
  const why = file.ScanState === 'TooLarge' ? 'is too large to be scanned' : 'could not be scanned';
  throw new PlatformError('DOCUMENT_UNSCANNABLE', {
    field: 'ID',
    message: `${name} ${why} for malware and is not served. An administrator can scan it again, or release it.`,
  });
}
