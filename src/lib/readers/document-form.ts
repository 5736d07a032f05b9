import type { ImportSource } from '../../contracts/import-engine.ts';

/** Bytes that identify a document's form. */
const HEAD_BYTES = 512;

/**
 * Detects a document's form by its first characters: markup, JSON, or a table, which is delimited text or a workbook.
 */
export async function detectForm(source: ImportSource): Promise<'table' | 'xml' | 'json'> {
  const head: Uint8Array[] = [];
  for await (const bytes of source.part(0, Math.min(source.size, HEAD_BYTES))) head.push(bytes);
  const [sign] = Buffer.concat(head)
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/^[\ufeff\ufffd]+/, '')
    .trimStart();
  if (sign === '<') return 'xml';
  return sign === '{' || sign === '[' ? 'json' : 'table';
}
