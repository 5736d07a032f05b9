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

/** Returns the file name of a document in another format. */
export function renditionName(document: Pick<StoredDocument, 'Attachment' | 'FileName'>, extension: string): string {
  const name = fileNameOf(document).replace(/[/\\\p{Cc}]/gu, '_');
  // The name must not get longer than names may be.
  return `${name.replace(/\.[A-Za-z0-9]{1,8}$/, '').slice(0, 200) || 'file'}.${extension}`;
}
