import type { StoredDocument } from '../attachment.record.ts';

/** Returns a column's value as text; empty for null. Structured values are written as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/** Returns the file name of a document: its own, or else the document's name. */
export function fileNameOf(document: Pick<StoredDocument, 'Attachment' | 'FileName'>): string {
  return document.FileName ?? document.Attachment ?? 'file';
}
