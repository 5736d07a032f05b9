import { assertNoCardNumbers } from '../../../../kernel/door/card-numbers.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';

/** Nested records of a case that fail separately: each is checked on its own. */
export const CHECKED_ALONE: ReadonlySet<string> = new Set(['Delays', 'Forms', 'Messages', 'Attachments']);

/**
 * Throws BAD_PARAMETER naming the element if an element to be saved contains a card number. Skips those in `except`.
 */
export function assertNoCardNumbersIn(
  ctx: Context,
  record: RecordType,
  { children }: XmlElement,
  except: ReadonlySet<string> = new Set(),
): void {
  for (const child of children) {
    if (except.has(child.name)) continue;
    const { name, text, attributes } = child;
    assertNoCardNumbers(ctx, { params: {}, record }, { ...attributes, [name]: text });
    assertNoCardNumbersIn(ctx, record, child);
  }
}
