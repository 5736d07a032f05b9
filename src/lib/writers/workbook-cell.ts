import type { Field } from '../../kernel/declare/field-types.ts';
import { valueLabel } from '../../kernel/declare/labels.ts';
import { valueText } from '../../kernel/parameters/value-text.ts';
import { zoneOffset } from '../../kernel/time/clock.ts';
import { dateSerial, type WorkbookCell } from './workbook.ts';

/** Digits of a number that programs keep; longer ones stay texts, so that none is lost. */
const DIGITS_MAX = 15;

/** Returns a value as a cell of its kind: amounts and dates as such, everything else as the text that people read. */
export function workbookCell(field: Field, value: unknown, zone: string): WorkbookCell {
  if (value === null || value === undefined) return { text: '', style: 'text' };
  const text = valueText(value);
  switch (field.kind) {
    case 'money':
      return numberCell(text, 'money');
    case 'decimal':
    case 'integer':
    case 'id':
      return numberCell(text, 'number');
    case 'boolean':
      return { text, style: 'boolean' };
    case 'date':
      return dateCell(text, 'date');
    case 'timestamp':
      return dateCell(localTime(text, zone), 'time');
    default:
      return { text: valueLabel(field, text), style: 'text' };
  }
}

function numberCell(text: string, style: 'money' | 'number'): WorkbookCell {
  const isExact = /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= DIGITS_MAX;
  return { text, style: isExact ? style : 'text' };
}

function dateCell(local: string, style: 'date' | 'time'): WorkbookCell {
  const serial = dateSerial(local);
  return serial === undefined ? { text: local, style: 'text' } : { text: serial, style };
}

/** Returns an instant in a time zone, to the second: `2026-11-18T08:12:00`. */
function localTime(instant: string, zone: string): string {
  const at = Date.parse(instant);
  return Number.isFinite(at) ? new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 19) : instant;
}

/** Returns the width of a column in characters. */
export function columnWidth({ kind, to }: Field, label: string): number {
  const widths: Partial<Record<Field['kind'], number>> = {
    date: 12,
    timestamp: 17,
    money: 15,
    boolean: 9,
    integer: 10,
  };
  const width = to === undefined ? (widths[kind] ?? 22) : 24;
  return Math.max(width, label.length + 2);
}
