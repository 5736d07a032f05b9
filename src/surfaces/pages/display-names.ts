import { pluralOf, wordsOf } from '../../kernel/declare/labels.ts';
import type { Collection } from '../../kernel/declare/record.ts';
import type { PageCall } from './page-call.ts';

/** Returns what people call a collection: the plural of its record type, or its own name if that is more specific. */
export function collectionTitle(call: PageCall, { name, record }: Pick<Collection, 'name' | 'record'>): string {
  return name === pluralOf(record) ? call.platform.registry.titlePluralOf(record) : wordsOf(name);
}

/** Returns a title as it is written inside a sentence: "External ID" is "external ID". */
export function inSentence(title: string): string {
  return /^[A-Z]{2,}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
}
