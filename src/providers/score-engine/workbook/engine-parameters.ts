import { safeName } from '../../../contracts/score-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Most names in EngineParameters. */
const NAMES_MAX = 1_000;

/** The workbook document, and the named cells that map to items with other names. */
export interface EngineParameters {
  readonly attachmentId: number | undefined;
  /** By the lower-cased name of the cell. */
  readonly cells: ReadonlyMap<string, { readonly name: string; readonly means: string }>;
}

/**
 * Parses EngineParameters: lines `Name = Item`, and `AttachmentID = …` if the template's RenderID does not name the
 * document. @throws BAD_PARAMETER with the line
 */
export function parseEngineParameters(parameters: string): EngineParameters {
  const cells = new Map<string, { name: string; means: string }>();
  let attachmentId: number | undefined;
  for (const [at, line] of parameters.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name = '', means = ''] = /^([^=]+)=([^=]+)$/.exec(line)?.map((part) => part.trim()) ?? [];
    if (safeName(name) === '' || safeName(means) === '')
      throw refused(`line ${at + 1}: expected Name = Item, or AttachmentID = the document's id`);
    if (name.toLowerCase() === 'attachmentid') {
      if (!/^[1-9]\d{0,14}$/.test(means)) throw refused(`line ${at + 1}: expected the id of a document`);
      attachmentId = Number(means);
    } else cells.set(name.toLowerCase(), { name, means });
    if (cells.size > NAMES_MAX) throw refused(`at most ${NAMES_MAX} names`);
  }
  return { attachmentId, cells };
}

function refused(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'EngineParameters', message: `EngineParameters: ${what}.` });
}
