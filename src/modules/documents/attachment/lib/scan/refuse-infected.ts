import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { StagedFile } from '../stored-documents.ts';

/** Most characters of a file's name in the security log. */
const NAME_CHARACTERS_MAX = 180;

/** Returns what the security log says of malware: its signature, and the file's name. */
export function malwareDetail(signature: string | null, fileName: string | null | undefined): string {
  return `${(signature ?? '').slice(0, 200)} in "${(fileName ?? '').slice(0, NAME_CHARACTERS_MAX)}"`;
}

/**
 * Refuses a staged file in which malware was found, and writes it to the security log. One that others have put into a
 * storage location is already stored: its document is created, in quarantine.
 * @throws DOCUMENT_INFECTED
 */
export async function assertNotInfected(
  ctx: Context,
  { scan, inPlace }: StagedFile,
  fileName: string | undefined,
): Promise<void> {
  if (scan?.state !== 'Infected') return;
  const event = inPlace === true ? 'MalwareFound' : 'MalwareRefused';
  await ctx.security({ event, object: 'Attachment', detail: malwareDetail(scan.result, fileName) });
  if (inPlace === true) return;
  throw new PlatformError('DOCUMENT_INFECTED', {
    field: 'Content',
    message: `Malware was found in "${fileName ?? 'the file'}" (${scan.result ?? ''}). It was not stored.`,
  });
}
